"""Objects of the class end with the call that makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.index.exports import is_exported
from regbuf_lint.infer.lifetimes import is_made_by_forward

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_made(context: ClassContext, _attribute: str) -> bool:
    """Whether the package makes them so, and offers the class to nobody else."""
    inference, built = context.inference, context.built
    return is_made_by_forward(inference, built) and not is_exported(inference.project, built)


EXEMPTION = Exemption(
    "made-by-forward", "such objects are made in `forward` methods alone, and end with the call", _is_made
)
