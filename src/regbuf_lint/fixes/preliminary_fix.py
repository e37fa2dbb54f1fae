"""The fix of an attribute that holds something else before the tensor: a local holds that instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.fixes.buffer_annotations import annotation_edits
from regbuf_lint.fixes.buffer_fix import BufferFix, judged_fix, message, text_style, withheld
from regbuf_lint.fixes.buffer_plan import BUFFER_VALUES, Plan, Withheld, becomes_assignment, calls_on, plan_for
from regbuf_lint.fixes.buffer_refill import needs_refill
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.value import UNSET, Buffer, NoneValue, Tensor, Unset, is_only, tensors, without
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.names import free_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.fix import Edit
    from regbuf_lint.model.span import Span

_FORMS = frozenset({WriteForm.PLAIN, WriteForm.ANNOTATED})


def preliminary_fix(context: ClassContext, attribute: str) -> BufferFix | None:
    """The fix of an attribute whose name first stands for something else; None where another fix has to do."""
    writes = context.writes(attribute)
    at = next((at for at, write in enumerate(writes) if _replaces_other(write)), None)
    if at is None:
        return None
    before, first, behind = writes[:at], writes[at], writes[at + 1 :]
    places = context.places.preliminary_places(first)
    if not places or any(write.step.statement not in places or write.form not in _FORMS for write in before):
        return None
    try:
        plan = plan_for(context, attribute, [replace(first, prior=UNSET), *behind])
        if len(plan.chosen) > 1 or needs_refill(context, plan):
            return None
        what = f"{message([plan])}, and keep what it holds before in a local"
        return judged_fix(context, [plan], what, _edits(context, plan, first, places))
    except (CannotRewrite, Withheld) as reason:
        return withheld(reason)


def _replaces_other(write: Write) -> bool:
    """Whether a write puts a tensor where something was for certain that no buffer takes."""
    if not write.step.own or write.form not in _FORMS or not is_only(write.value, *BUFFER_VALUES):
        return False
    before = without(write.prior, NoneValue)
    return bool(tensors(write.value) and before) and not is_only(before, Tensor, Buffer, Unset)


def _edits(context: ClassContext, plan: Plan, first: Write, places: Mapping[Span, tuple[Span, ...]]) -> list[Edit]:
    from regbuf_lint.rewrite.early import renamed  # noqa: PLC0415  libcst is slow to load
    from regbuf_lint.rewrite.registration import Registered  # noqa: PLC0415
    from regbuf_lint.rewrite.statements import register  # noqa: PLC0415

    source, style = context.source, text_style(context, first)
    local = free_name(first.attribute or "", style.taken_names)
    others = {one: found for one, found in places.items() if one != first.step.statement}
    edits = [edit for one, found in others.items() for edit in renamed(source, one, found, local, style)]
    how = Registered(plan.persistent, calls_on(first), by_call=not becomes_assignment(context, first))
    made = register(source, first.step.statement, {source.slice(first.target): how}, style, local)
    return [*annotation_edits(context, [plan]), *edits, *style.with_import([made])]
