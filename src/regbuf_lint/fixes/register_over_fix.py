"""The fix of a registration whose name was assigned just before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from regbuf_lint.fixes.buffer_annotations import new_annotation
from regbuf_lint.fixes.buffer_plan import by
from regbuf_lint.model.class_view import WriteForm
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.span import Span
from regbuf_lint.model.value import Literal, NoneValue, is_only
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import without_statement
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.rewrite.style import NO_BUFFER_NAME

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Registration, Write


def fix_of(context: ClassContext, event: Registration, before: list[Write]) -> tuple[Fix | None, str]:
    """The fix that leaves the registration alone, and a note on it."""
    reason = _objection(context, event, before)
    if reason is not None:
        return None, f"fix withheld: {reason}"
    try:
        return _rewritten(context, event, before[0])
    except CannotRewrite as error:
        return None, f"fix withheld: {error}"


def _objection(context: ClassContext, event: Registration, before: list[Write]) -> str | None:
    write = before[0]
    if len(before) > 1:
        return "several statements assign it before: " + ", ".join(map(by, before))
    if write.form is not WriteForm.PLAIN or not write.step.own:
        return "the assignment before is not a plain one in this class"
    if write.step.method != event.step.method or write.step.statement.end > event.step.statement.start:
        return "the assignment stands in another method"
    if context.text.is_alone_in_block(write.step.statement):
        return "the assignment is all that its block holds"
    return None


def _rewritten(context: ClassContext, event: Registration, write: Write) -> tuple[Fix, str]:
    target = context.source.slice(write.target)
    argument = context.source.slice(event.argument) if event.argument is not None else ""
    if argument == target:
        return _moved(context, event, write, target), ""
    _refuse_reads(context, event, write)
    constant = is_only(write.value, NoneValue, Literal)
    statement = write.step.statement
    drop = Edit(without_statement(context.source, statement), "")
    edits = (*new_annotation(context, event.attribute or "", statement), drop)
    applicability = Applicability.SAFE if constant else Applicability.UNSAFE
    fix = Fix(applicability, f"Drop the assignment of `{event.attribute}`", edits, adds=_gained(context, event))
    return fix, "" if constant else f"the fix needs a look: it drops what {by(write)} assigns"


def _moved(context: ClassContext, event: Registration, write: Write, target: str) -> Fix:
    """The assignment becomes the registration, and the registration goes."""
    from regbuf_lint.rewrite.calls import persistence  # noqa: PLC0415  libcst is slow to load
    from regbuf_lint.rewrite.merging import merged  # noqa: PLC0415
    from regbuf_lint.rewrite.registration import Registered  # noqa: PLC0415

    source, statement = context.source, event.step.statement
    persistent = persistence(source, event.call)
    if event.call != statement or persistent is None or context.text.is_alone_in_block(statement):
        msg = "the registration is not a plain call on a line of its own"
        raise CannotRewrite(msg)
    style = context.text.style(write.step.method)
    if context.text.wants_nn_buffer and not style.buffer_name:
        raise CannotRewrite(NO_BUFFER_NAME)
    both = merged(source, write.step.statement, target, statement, Registered(persistent), style)
    annotations = () if context.text.wants_nn_buffer else new_annotation(context, event.attribute or "")
    edits = style.with_import([*annotations, *both])
    return Fix(Applicability.SAFE, f"Register `{event.attribute}` at once", edits, adds=_gained(context, event))


def _refuse_reads(context: ClassContext, event: Registration, write: Write) -> None:
    source = context.source
    between = source.slice(Span(write.step.statement.end, event.step.statement.start)) + source.slice(event.call)
    readers = context.uses.read.get(event.attribute or "", set()) & context.construction.called
    if re.search(rf"\.{re.escape(event.attribute or '')}\b", between) or readers - {event.step.method}:
        msg = "it is read before it is registered"
        raise CannotRewrite(msg)


def _gained(context: ClassContext, event: Registration) -> tuple[str, ...]:
    from regbuf_lint.rewrite.calls import persistence  # noqa: PLC0415  libcst is slow to load

    key = attribute_key(event.attribute or "", context.name)
    return () if persistence(context.source, event.call) is False else (key,)
