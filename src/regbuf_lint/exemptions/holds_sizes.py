"""Tensors that keep the place of sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.trail import Flow

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _holds_sizes(context: ClassContext, attribute: str) -> bool:
    """Whether a method puts shapes of other tensors in the place of what the constructor left there."""
    trails = (store.trail for store in context.trace(attribute).replacements(attribute))
    return any(trail and all(one.flow is Flow.METADATA for one in trail.origins) for trail in trails)


EXEMPTION = Exemption(
    "holds-sizes", "a method puts shapes in its place, so it is no tensor once the object is used", _holds_sizes
)
