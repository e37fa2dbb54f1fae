"""Fixes that make a Parameter of what a plain tensor is assigned to, and what stands against them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.fixes.buffer_fix import BufferFix, withheld
from regbuf_lint.model.class_view import WriteForm
from regbuf_lint.model.fix import Applicability, Fix
from regbuf_lint.model.value import Dtype, Unset, may_be, tensors
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.names import attribute_key

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Write
    from regbuf_lint.model.fix import Edit

_NO_GRADIENT = frozenset({Dtype.INT, Dtype.BOOL})


def parameter_obstacle(context: ClassContext, write: Write) -> str | None:
    """Why the statement of a write cannot assign a Parameter, as the end of a sentence; None where it can.

    Args:
        context: the class.
        write: the write of the attribute.
    """
    if write.form not in {WriteForm.PLAIN, WriteForm.ANNOTATED} or not may_be(write.prior, Unset):
        return "the statement does more than assign this attribute for the first time"
    if not write.step.initialised:
        return "it is assigned before `super().__init__()`, where a Parameter raises AttributeError"
    if write.number < context.construction.begun:
        return "`nn.Module.__init__` runs again after it is assigned, and would drop the Parameter"
    collision = context.collision(write.attribute or "")
    return None if collision is None else f"`{write.attribute}` is also {collision}"


def cast_parameter_fix(context: ClassContext, attribute: str) -> BufferFix | None:
    """The fix of ``self.x = nn.Parameter(t).to(device)``, which was meant to be a Parameter; None for anything else.

    Whatever the attribute is assigned before is what the Parameter is made of.

    Args:
        context: the class.
        attribute: the attribute.
    """
    fixes = (_cast_fix(context, write) for write in context.writes(attribute) if write.step.own)
    return next((one for one in fixes if one is not None), None)


def _cast_fix(context: ClassContext, write: Write) -> BufferFix | None:
    if "Parameter(" not in context.source.slice(write.step.statement):
        return None
    from regbuf_lint.rewrite.lost_parameters import cast_inside  # noqa: PLC0415  libcst is slow to load

    try:
        edit = cast_inside(context.source, write.step.statement, context.text.style(write.step.method))
    except CannotRewrite as reason:
        return withheld(reason)
    return None if edit is None else _cast_first(context, write, edit)


def _cast_first(context: ClassContext, write: Write, edit: Edit) -> BufferFix:
    advice = "calling a method on a new Parameter gives a plain tensor; call it first: `nn.Parameter(t.to(...))`"
    obstacle = parameter_obstacle(context, write)
    asks = "requires_grad=False" not in edit.content
    if obstacle is None and asks and any(tensor.dtype in _NO_GRADIENT for tensor in tensors(write.value)):
        obstacle = (
            "only floating-point and complex Parameters can require a gradient: this one needs `requires_grad=False`"
        )
    if obstacle is not None:
        return BufferFix(None, obstacle, advice)
    key = attribute_key(write.attribute or "", context.name)
    fix = Fix(Applicability.DISPLAY, f"Cast `{write.attribute}` before it becomes a Parameter", (edit,), adds=(key,))
    return BufferFix(fix, "it gives optimizers and `state_dict()` a new Parameter", advice)
