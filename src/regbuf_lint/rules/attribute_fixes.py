"""The fixes of attributes that hold plain tensors, wherever the constructor assigns them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.rules.buffer_fix import BufferFix, all_writes, buffer_fixes
from regbuf_lint.rules.buffer_plan import is_early
from regbuf_lint.rules.early_fix import early_fix

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from regbuf_lint.rules.context import ClassContext


def attribute_fixes(context: ClassContext, attributes: Iterable[str]) -> Mapping[str, BufferFix]:
    """The fix of each attribute, or why there is none.

    Args:
        context: the class.
        attributes: what is to be registered, in the order in which it is first assigned.
    """
    attributes = list(attributes)
    early = {one: early_fix(context, one) for one in attributes if _is_assigned_early(context, one)}
    return {**buffer_fixes(context, [one for one in attributes if one not in early]), **early}


def _is_assigned_early(context: ClassContext, attribute: str) -> bool:
    return any(is_early(context, write) for write in all_writes(context.construction.events, attribute))
