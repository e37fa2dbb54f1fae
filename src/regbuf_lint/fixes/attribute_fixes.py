"""The fixes of attributes that hold plain tensors, wherever the constructor assigns them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.fixes.buffer_fix import BufferFix, buffer_fixes
from regbuf_lint.fixes.buffer_plan import is_early
from regbuf_lint.fixes.early_fix import early_fix
from regbuf_lint.fixes.parameter_fix import cast_parameter_fix
from regbuf_lint.fixes.preliminary_fix import preliminary_fix
from regbuf_lint.fixes.unmet_demands import staying_partner
from regbuf_lint.model.fix import Applicability

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from regbuf_lint.class_context.context import ClassContext


def attribute_fixes(context: ClassContext, attributes: Iterable[str]) -> Mapping[str, BufferFix]:
    """The fix of each attribute, or why there is none.

    Args:
        context: the class.
        attributes: what is to be registered, in the order in which it is first assigned.
    """
    attributes = list(attributes)
    cast = {one: cast_parameter_fix(context, one) for one in attributes}
    apart = {one: fix for one, fix in cast.items() if fix is not None}
    apart |= {
        one: early_fix(context, one) for one in attributes if one not in apart and _is_assigned_early(context, one)
    }
    there = {one: preliminary_fix(context, one) for one in attributes if one not in apart}
    apart |= {one: fix for one, fix in there.items() if fix is not None}
    return _together({**buffer_fixes(context, [one for one in attributes if one not in apart]), **apart}, context)


def _together(fixes: Mapping[str, BufferFix], context: ClassContext) -> Mapping[str, BufferFix]:
    """The fixes, of which no safe one moves a tensor away from another that it is computed with."""
    found = dict(fixes)
    while True:
        safe = {name for name, one in found.items() if one.fix and one.fix.applicability is Applicability.SAFE}
        partners = ((name, staying_partner(context, name, safe)) for name in sorted(safe))
        attribute, partner = next((pair for pair in partners if pair[1] is not None), ("", None))
        if partner is None:
            return found
        shared = found[attribute].fix
        found |= {name: one.doubted(partner) for name, one in found.items() if one.fix is shared}


def _is_assigned_early(context: ClassContext, attribute: str) -> bool:
    return any(is_early(context, write) for write in context.writes(attribute))
