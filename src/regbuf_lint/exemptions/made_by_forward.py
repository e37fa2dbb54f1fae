"""Objects of the class end with the call that makes them."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.infer.lifetimes import is_made_by_forward

EXEMPTION = Exemption(
    "made-by-forward",
    "such objects are made in `forward` methods alone, and end with the call",
    lambda context, _attribute: is_made_by_forward(context.inference, context.built),
)
