"""The attribute is an argument for which nobody gives plain tensors."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "given-parameters",
    "all callers in the package give Parameters for it, or leave it out",
    lambda context, attribute: context.is_given_no_tensors(attribute),
)
