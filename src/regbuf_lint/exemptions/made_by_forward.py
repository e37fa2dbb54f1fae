"""Objects of the class end with the call that makes them."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption

EXEMPTION = Exemption(
    "made-by-forward",
    "such objects are made in `forward` methods alone, and end with the call",
    lambda context, _attribute: context.is_made_by_forward,
)
