"""Loader workers, which run on the CPU, read the attribute."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "prepares-batches",
    "only methods that serve a loader as `collate_fn` read it, and these run on the CPU",
    lambda context, attribute: context.sampled_on_cpu(attribute),
)
