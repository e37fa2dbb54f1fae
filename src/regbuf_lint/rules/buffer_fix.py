"""The fix that turns an attribute into a buffer: whether it can be made, how far to trust it, what it writes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import Event, Registration, Write, WriteForm
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.settings import BufferStyle, Persistence
from regbuf_lint.model.span import Span
from regbuf_lint.model.value import (
    Alternative,
    Buffer,
    Dtype,
    NoneValue,
    Tensor,
    Unknown,
    Unset,
    is_only,
    may_be,
    tensors,
)

if TYPE_CHECKING:
    from regbuf_lint.rewrite.statements import Registered
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.rules.context import ClassContext

_BUFFER_VALUES = (Tensor, Buffer, NoneValue)


class Withheld(Exception):  # noqa: N818  (an outcome, not an error)
    """No fix can be offered; the message says why, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class BufferFix:
    """A fix, or the reason why there is none.

    Attributes:
        fix: the fix, if there is one.
        note: why it was withheld, or why it needs a look; empty for a safe fix.
    """

    fix: Fix | None
    note: str


def buffer_fix(context: ClassContext, attribute: str | None, writes: list[Write]) -> BufferFix:
    """The fix that registers an attribute.

    Args:
        context: the class.
        attribute: its name; None for one that is computed, with ``writes`` then holding that one statement.
        writes: every write to it during construction, in order.
    """
    try:
        chosen = _to_convert(context, attribute, writes)
        edits = _edits(context, chosen, persistent=_is_persistent(context, attribute, writes))
    except Withheld as reason:
        return BufferFix(None, f"fix withheld: {reason}")
    persistent = _is_persistent(context, attribute, writes)
    doubts = _doubts(context, attribute, writes, chosen)
    kind = "persistent" if persistent else "non-persistent"
    fix = Fix(
        Applicability.UNSAFE if doubts else Applicability.SAFE,
        f"Register `{attribute}` as a {kind} buffer" if attribute else f"Register it as a {kind} buffer",
        edits,
        adds=(attribute,) if persistent and attribute else (),
    )
    return BufferFix(fix, f"the fix needs a look: {doubts[0]}" if doubts else "")


def _to_convert(context: ClassContext, attribute: str | None, writes: list[Write]) -> list[Write]:
    """The writes that become registrations: those by which the attribute first comes to exist, on whichever path."""
    _refuse_hostile_class(context)
    if attribute is not None:
        _refuse_name(context, attribute)
        _refuse_later(context, attribute)
    chosen = []
    for write in writes:
        is_first = may_be(write.prior, Unset)
        if is_first and is_only(write.value, *_BUFFER_VALUES):
            chosen.append(write)
        elif not is_first and _is_certainly_no_buffer_value(write):
            msg = f"`{write.step.method}` later assigns something else to it, which raises TypeError for a buffer"
            raise Withheld(msg)
    for write in chosen:
        _refuse_write(write)
    if not chosen:
        msg = "a base class gives it its first value"
        raise Withheld(msg)
    return chosen


def _is_certainly_no_buffer_value(write: Write) -> bool:
    kinds: tuple[type[Alternative], ...] = (*_BUFFER_VALUES, Unknown)
    return bool(write.value) and not any(isinstance(one, kinds) for one in write.value)


def _refuse_hostile_class(context: ClassContext) -> None:
    method = context.overrides("__setattr__", "register_buffer")
    if method is not None:
        msg = f"the class has its own `{method}`"
        raise Withheld(msg)


def _refuse_name(context: ClassContext, attribute: str) -> None:
    collision = context.collision(attribute)
    if collision is not None:
        msg = f"`{attribute}` is also {collision}, and registering that name raises KeyError"
        raise Withheld(msg)
    if context.deleted(attribute):
        msg = f"`{attribute}` is deleted somewhere"
        raise Withheld(msg)


def _refuse_later(context: ClassContext, attribute: str) -> None:
    for event in context.later_events(attribute):
        if isinstance(event, Write) and _is_certainly_no_buffer_value(event):
            msg = f"`{event.step.method}` later assigns something else to it, which raises TypeError for a buffer"
            raise Withheld(msg)


def _refuse_write(write: Write) -> None:
    if not write.step.own:
        msg = f"it is assigned in `{write.step.method}` of a base class or a helper"
        raise Withheld(msg)
    if not write.step.initialised:
        msg = "it is assigned before `super().__init__()`, where a registration raises AttributeError"
        raise Withheld(msg)
    if write.form in {WriteForm.TARGET, WriteForm.AUGMENTED, WriteForm.BYPASS, WriteForm.DELETED}:
        msg = f"it is assigned by `{write.form.value}`"
        raise Withheld(msg)
    if any(tensor.derived for tensor in tensors(write.value)):
        msg = "it is computed from parameters and carries their graph; compute it in `forward`, or store `.detach()` of it"
        raise Withheld(msg)


def _is_persistent(context: ClassContext, attribute: str | None, writes: list[Write]) -> bool:
    wanted = context.settings.persistent
    if wanted is not Persistence.AUTO:
        return wanted is Persistence.ALWAYS
    if any(tensor.random for write in writes for tensor in tensors(write.value)):
        return True
    return attribute is not None and context.changed_later(attribute)


def _doubts(context: ClassContext, attribute: str | None, writes: list[Write], chosen: list[Write]) -> list[str]:
    """Reasons to look at the fix before it is applied, the weightiest first."""
    found = [doubt for write in chosen for doubt in _doubts_about_values(write)]
    if attribute is None:
        found.append("the name is only known at run time")
    elif context.guarded(attribute):
        found.append(f"a method asks whether `{attribute}` exists or is None")
    if any(write.form in {WriteForm.CHAINED, WriteForm.UNPACKED} for write in chosen):
        found.append("the statement binds other names too")
    if any(not is_only(write.value, *_BUFFER_VALUES) for write in writes):
        found.append("other statements assign it something that may be no tensor")
    if context.is_mixin:
        found.append("the class is a mixin: only on nn.Module classes does it have `register_buffer`")
    if context.loads_without_construction:
        found.append("`from_pretrained` builds the model on `meta` and fills only what a checkpoint holds")
    return found


def _doubts_about_values(write: Write) -> list[str]:
    found = []
    for tensor in tensors(write.value):
        if tensor.dtype is Dtype.COMPLEX:
            found.append("the tensor is complex, and `.to(torch.bfloat16)` drops the imaginary part of a complex buffer")
        if tensor.expanded:
            found.append("the tensor is expanded, so that the fix has to copy it")
        if tensor.argument:
            found.append("the tensor comes from outside and may be a Parameter or somebody else's tensor")
        elif tensor.alias:
            found.append(f"it is the same tensor as `{tensor.alias}`, and two buffers become two tensors after `.to()`")
        elif not tensor.fresh:
            found.append("something else holds the same tensor")
    if may_be(write.value, Buffer):
        found.append("it is the same tensor as another buffer")
    return found


def _edits(context: ClassContext, chosen: list[Write], *, persistent: bool) -> tuple[Edit, ...]:
    from regbuf_lint.rewrite.statements import CannotRewrite, Registered, register  # noqa: PLC0415  libcst is slow to load

    by_statement: dict[Span, dict[str | None, Registered]] = {}
    for write in chosen:
        expanded = any(tensor.expanded for tensor in tensors(write.value))
        wanted = by_statement.setdefault(write.step.statement, {})
        wanted[write.attribute] = Registered(persistent, clone=expanded)
    edits: list[Edit] = []
    try:
        for span, wanted in by_statement.items():
            style = _style(context, next(write for write in chosen if write.step.statement == span))
            edits.append(register(context.source, span, wanted, style))
    except CannotRewrite as reason:
        raise Withheld(str(reason)) from None
    edits.extend(_annotations(context, chosen))
    return tuple(sorted(edits, key=lambda edit: edit.span))


def _style(context: ClassContext, write: Write) -> TextStyle:
    style = context.text_style(write.step.method)
    if style.buffer_style is BufferStyle.NN_BUFFER and not style.buffer_name:
        msg = "the file imports neither `torch` nor `torch.nn`, so `nn.Buffer` has no name there"
        raise Withheld(msg)
    return style


def _annotations(context: ClassContext, chosen: list[Write]) -> list[Edit]:
    """``self.x: Tensor = ...`` becomes a call and loses its annotation, so the class gets a bare one."""
    annotated = next((write for write in chosen if write.form is WriteForm.ANNOTATED), None)
    if annotated is None or context.wants_nn_buffer or annotated.attribute in context.definition.annotations:
        return []
    place = context.annotation_place()
    if place is None:
        return []
    statement = replace(annotated.step.statement, start=annotated.target.end)
    text = context.source.slice(statement)
    annotation = text.split("=", 1)[0].removeprefix(":").strip()
    newline = context.source.newline
    content = f"{place.indent}{annotated.attribute}: {annotation}{newline}"
    return [Edit(Span(place.position, place.position), content + (newline if place.blank_line_behind else ""))]


def all_writes(events: tuple[Event, ...], attribute: str) -> list[Write]:
    """Every write to an attribute, in order."""
    return [event for event in events if isinstance(event, Write) and event.attribute == attribute]


def registrations(events: tuple[Event, ...], attribute: str) -> list[Registration]:
    """Every registration of a buffer of that name, in order."""
    return [event for event in events if isinstance(event, Registration) and event.attribute == attribute]


