"""An object that is given the list puts its own tensors into it."""

from __future__ import annotations

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.infer.recipients import is_filled_by_taker

EXEMPTION = Exemption(
    "filled-by-taker",
    "an object that is given it puts what it computes in the places of the tensors",
    lambda context, attribute: is_filled_by_taker(context.inference, context.built, attribute, context.building),
)
