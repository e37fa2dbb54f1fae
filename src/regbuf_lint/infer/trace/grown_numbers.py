"""Numbers that get dimensions: until then they go with tensors of any device, from then on with those of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.infer.collections import element_of, items_of
from regbuf_lint.model.trail import Flow, Trail, listed
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import Sequence, is_number, is_only

if TYPE_CHECKING:
    import ast

    from regbuf_lint.infer.trace.traced_frame import TracedFrame
    from regbuf_lint.infer.trace.tracer import Tracer
    from regbuf_lint.model.value import Value


def with_dimensions(tracer: Tracer, frame: TracedFrame, node: ast.expr, trail: Trail, value: Value) -> Trail:
    """The trail of what is given to something that gives numbers dimensions: a number, a list of such, or neither.

    Args:
        tracer: collects the uses.
        frame: where it stands.
        node: what gives the dimensions.
        trail: where the value comes from.
        value: what is given.
    """
    if is_number(value):
        return _grown(tracer, frame, node, trail)
    if not is_only(value, Sequence):
        return trail
    items = items_of(value)
    if items is not None and trail.items is not None and len(items) == len(trail.items):
        return listed(with_dimensions(tracer, frame, node, *one) for one in zip(trail.items, items, strict=True))
    return _grown(tracer, frame, node, trail) if is_number(element_of(value)) else trail


def _grown(tracer: Tracer, frame: TracedFrame, node: ast.expr, trail: Trail) -> Trail:
    """The trail of a number that has got dimensions; what was an item of a tensor lies where that does."""
    grown = Trail(
        frozenset(replace(one, flow=Flow.COMPUTED) if one.flow is Flow.METADATA else one for one in trail.origins)
    )
    tracer.use(frame, grown, Sink.GROWN, node)
    return grown
