"""The second half of a registration in a pretrained model: ``_init_weights`` fills what no checkpoint holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import WriteForm
from regbuf_lint.model.value import tensors
from regbuf_lint.rewrite.errors import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.fixes.buffer_plan import Plan
    from regbuf_lint.model.fix import Edit
    from regbuf_lint.model.span import Span
    from regbuf_lint.placement.weight_initialiser import Repeated

_FORMS = frozenset({WriteForm.PLAIN, WriteForm.ANNOTATED, WriteForm.UNPACKED})


def needs_refill(context: ClassContext, plan: Plan) -> bool:
    """Whether ``from_pretrained`` leaves the new buffer uninitialised: no checkpoint restores its value."""
    if not context.loads_without_construction or plan.persistent:
        return False
    return any(tensors(write.value) for write in plan.writes)


def refill(context: ClassContext, plans: Sequence[Plan]) -> Edit | None:
    """The lines of ``_init_weights`` that fill the buffers of one fix, where they need it.

    Args:
        context: the class.
        plans: the attributes that the fix registers.

    Returns:
        The edit; None where nothing needs it, or ``_init_weights`` cannot say what the constructor computes.
    """
    wanted = [plan for plan in plans if needs_refill(context, plan)]
    initialiser = context.places.weight_initialiser if wanted else None
    if initialiser is None or "." in context.name:
        return None
    copy = context.text.spelling("transformers.initialization.copy_")
    if copy is None or copy.count(".") > 1:
        return None
    by_statement: dict[Span, list[str]] = {}
    for plan in wanted:
        if len(plan.writes) != 1 or plan.attribute is None or plan.writes[0].form not in _FORMS:
            return None
        by_statement.setdefault(plan.writes[0].step.statement, []).append(plan.attribute)
    values: list[tuple[Repeated, Sequence[str]]] = []
    for statement, attributes in by_statement.items():
        one = context.places.repeated_by_initialiser(statement, attributes)
        if one is None:
            return None
        values.append((one, attributes))
    from regbuf_lint.rewrite.refilling import refilled  # noqa: PLC0415  libcst is slow to load

    style = context.text.style(wanted[0].writes[0].step.method)
    try:
        return refilled(context.source, initialiser, context.name, values, copy, style)
    except CannotRewrite:
        return None
