"""The type that a new buffer is annotated with, as its file can spell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.model.class_view import Registration, Write
from regbuf_lint.model.value import Buffer, NoneValue, Parameter, Tensor, Unset, is_only, may_be
from regbuf_lint.placement.annotation_habits import signature

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.class_context.text import TypeName
    from regbuf_lint.model.class_view import Event
    from regbuf_lint.model.fix import Edit
    from regbuf_lint.model.span import Span


class BufferType(Struct, frozen=True):
    """What an attribute is annotated with.

    Attributes:
        text: the annotation, as it can stand in the body of the class.
        imports: edits that import what it names and the file does not.
        suits_torchscript: whether the class can be compiled with it: TorchScript reads the annotations of a class's
            body, refuses strings, and asks for a check wherever what may be None is read.
    """

    text: str
    imports: tuple[Edit, ...]
    suits_torchscript: bool


def buffer_type(context: ClassContext, attribute: str, dropped: Span | None = None) -> BufferType | None:
    """The type of a buffer; None where the file has no name for it.

    What is unknown is a tensor: a buffer may be nothing else.

    Args:
        context: the class.
        attribute: name of the buffer.
        dropped: an assignment that the fix takes away.
    """
    tensor = context.text.type_name("torch.Tensor")
    if tensor is None:
        return None
    stores = _stores(context.events_of(attribute))
    built = [one for one in stores if isinstance(one, Registration) or one.step.statement != dropped]
    later = _stores(context.later_events(attribute))
    if not _is_optional(context, attribute, built, later):
        is_certain = all(is_only(one.value, Tensor, Buffer, Parameter) for one in (*built, *later))
        return _in_body(context, tensor.spelling, (tensor,), is_certain=is_certain)
    optional = context.text.type_name("typing.Optional") if context.text.prefers_optional else None
    if optional is None:
        return _in_body(context, f"{tensor.spelling} | None", (tensor,), is_certain=False)
    return _in_body(context, f"{optional.spelling}[{tensor.spelling}]", (optional, tensor), is_certain=False)


def _in_body(
    context: ClassContext, annotation: str, names: tuple[TypeName, ...], *, is_certain: bool
) -> BufferType | None:
    text = context.text.in_class_body(annotation, tuple(one.spelling for one in names if one.edit is not None))
    if text is None:
        return None
    imports = tuple(one.edit for one in names if one.edit is not None)
    suits = is_certain and text == annotation and not context.text.postpones_annotations
    return BufferType(text, imports, suits)


def _stores(events: Iterable[Event]) -> list[Write | Registration]:
    return [one for one in events if isinstance(one, (Write, Registration))]


def _is_optional(
    context: ClassContext,
    attribute: str,
    built: list[Write | Registration],
    later: list[Write | Registration],
) -> bool:
    """Whether an attribute that may be None is annotated so.

    That asks each reader for a check. It is done where the class checks it, where an assignment that stays puts None
    there, and where a type checker has inferred it so far; else the code takes it for a tensor wherever it reads it.
    """
    may_hold = [one for one in (*built, *later) if may_be(one.value, NoneValue)]
    if not may_hold:
        return False
    if attribute in context.family_uses.guarded:
        return True
    if any(one in later or (isinstance(one, Write) and not may_be(one.prior, Unset)) for one in may_hold):
        return True
    return built[0] is may_hold[0] and _is_checked(context, built[0].step.method)


def _is_checked(context: ClassContext, method: str) -> bool:
    """Whether type checkers look into a method: one without annotations they pass over."""
    function = context.definition.methods.get(method)
    return function is not None and bool(signature(function))
