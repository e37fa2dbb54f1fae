"""The constructor alone reads the attribute, which is registered under another name or by another object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.infer.recipients import is_given_to_registering_class
from regbuf_lint.infer.subclasses import is_named_by_subclasses
from regbuf_lint.model.use import IDENTITY
from regbuf_lint.model.value import NAMELESS, tensors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Registration, Write


def is_registered_elsewhere(context: ClassContext, attribute: str) -> bool:
    """Whether only the constructor, or what shows the object, reads the attribute, which is a buffer elsewhere."""
    if not context.readers(attribute) <= context.building | IDENTITY:
        return False
    if is_named_by_subclasses(context.inference, context.symbol, attribute):
        return False
    if is_given_to_registering_class(context.inference, context.built, attribute, context.building):
        return True
    held = _arguments(context.writes(attribute))
    return bool(held) and not held.isdisjoint(_arguments(context.registrations))


def _arguments(events: Iterable[Write | Registration]) -> set[str]:
    """Names of the constructor's arguments that the values of some events are."""
    return {one.argument for event in events for one in tensors(event.value) if not one.fresh} - {"", NAMELESS}


EXEMPTION = Exemption(
    "registered-elsewhere",
    "the same tensor is registered elsewhere, and nothing but the constructor reads it here",
    is_registered_elsewhere,
)
