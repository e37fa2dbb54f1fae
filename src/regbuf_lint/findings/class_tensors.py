"""The tensors in the body of an nn.Module class that its methods compute with where the object is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.inert import inert
from regbuf_lint.infer.class_bodies import tensors_of_body
from regbuf_lint.model.trail import Flow
from regbuf_lint.model.use import MEETING, Sink
from regbuf_lint.model.value import ON_CPU, tensors

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Write
    from regbuf_lint.model.use import Use

_LEAVING = frozenset({Sink.PASSED, Sink.PART})


def class_tensors(context: ClassContext) -> dict[str, Write]:
    """The statements in the body of the class that give all objects a tensor that is left behind, by attribute.

    What every method moves to its inputs is a constant of the class, and so is a number without dimensions.
    """
    if context.definition.decorators:
        return {}
    found = {write.attribute: write for write in tensors_of_body(context.inference, context.symbol)}
    return {name: write for name, write in found.items() if name and _is_reported(context, name, write)}


def _is_reported(context: ClassContext, attribute: str, write: Write) -> bool:
    goes_along = any(one.is_number or one.location not in ON_CPU for one in tensors(write.value))
    if goes_along or not _is_shared(context, attribute):
        return False
    if not any(map(_hurts, context.trace(attribute).uses(attribute))):
        return False
    return exempting(context, attribute) is None and inert(context, attribute) is None


def _hurts(use: Use) -> bool:
    """Whether a method computes with the tensor where others lie, or gives it to something that may, unmoved."""
    if use.guessed or use.flow is Flow.MOVED:
        return False
    return (use.sink in MEETING and use.hurts) or use.sink in _LEAVING


def _is_shared(context: ClassContext, attribute: str) -> bool:
    """Whether objects have nothing of their own under a name that the body of the class gives a value."""
    if not context.readers(attribute) or attribute in context.family_uses.stored or context.events_of(attribute):
        return False
    inference = context.inference
    giving = (one for one in inference.classes(context.built) if attribute in inference.definition(one).values)
    return next(giving, None) == context.symbol
