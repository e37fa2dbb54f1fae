"""A None that the constructor puts in the place of a tensor and that nobody sees: the fix leaves it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import WriteForm
from regbuf_lint.model.value import NoneValue, is_only, may_be
from regbuf_lint.placement.blocks import is_alone_in_block

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.fixes.buffer_plan import Plan
    from regbuf_lint.model.class_view import Write


def dead_placeholder(context: ClassContext, plan: Plan) -> Write | None:
    """The ``self.x = None`` before the tensor is assigned, where nothing that construction runs reads the attribute.

    Args:
        context: the class.
        plan: how the attribute becomes a buffer.
    """
    first, *others = plan.chosen
    if plan.attribute is None or not others or first.form is not WriteForm.PLAIN or not is_only(first.value, NoneValue):
        return None
    if may_be(context.value_of(plan.attribute), NoneValue) or _may_be_read(context, plan.attribute):
        return None
    statement = first.step.statement
    has_row = context.source.line(statement.start.row).strip() == context.source.slice(statement)
    return first if has_row and not is_alone_in_block(context.symbol, statement) else None


def _may_be_read(context: ClassContext, attribute: str) -> bool:
    reading = context.readers(attribute) | context.family_uses.computing
    return not reading.isdisjoint(context.building)
