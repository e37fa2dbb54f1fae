"""Methods compute the tensor together with what lies on the CPU."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "meets-cpu",
    "methods compute it together with tensors on the CPU, and would fail if it moved",
    lambda context, attribute: context.trace(attribute).meets_cpu(attribute),
)
