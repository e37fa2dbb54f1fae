"""The constructor alone reads the attribute, which is registered under another name or by another object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.infer.recipients import is_given_to_registering_class, is_named_by_subclasses
from regbuf_lint.model.class_view import Registration, Write
from regbuf_lint.model.use import IDENTITY
from regbuf_lint.model.value import NAMELESS, tensors

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def is_registered_elsewhere(context: ClassContext, attribute: str) -> bool:
    """Whether only the constructor, or what shows the object, reads the attribute, which is a buffer elsewhere."""
    if not context.readers(attribute) <= context.building | IDENTITY:
        return False
    if is_named_by_subclasses(context.inference, context.symbol, attribute):
        return False
    if is_given_to_registering_class(context.inference, context.built, attribute, context.building):
        return True
    held: set[str] = set()
    registered: set[str] = set()
    for event in context.construction.events:
        if isinstance(event, Write) and event.attribute == attribute:
            held |= _arguments(event)
        elif isinstance(event, Registration):
            registered |= _arguments(event)
    return bool(held & registered)


def _arguments(event: Write | Registration) -> set[str]:
    """Names of the constructor's arguments that the value of an event is."""
    return {tensor.argument for tensor in tensors(event.value) if not tensor.fresh} - {"", NAMELESS}


EXEMPTION = Exemption(
    "registered-elsewhere",
    "the same tensor is registered elsewhere, and nothing but the constructor reads it here",
    is_registered_elsewhere,
)
