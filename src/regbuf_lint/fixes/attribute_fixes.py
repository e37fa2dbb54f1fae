"""The fixes of attributes that hold plain tensors, wherever the constructor assigns them."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from regbuf_lint.fixes.buffer_fix import BufferFix, buffer_fixes
from regbuf_lint.fixes.buffer_plan import is_early
from regbuf_lint.fixes.container_fix import container_fix
from regbuf_lint.fixes.early_fix import early_fix
from regbuf_lint.fixes.parameter_fix import cast_parameter_fix
from regbuf_lint.fixes.partner_fixes import with_partners
from regbuf_lint.fixes.preliminary_fix import preliminary_fix

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from regbuf_lint.class_context.context import ClassContext


def attribute_fixes(
    context: ClassContext, attributes: Iterable[str], containers: Iterable[str] = ()
) -> Mapping[str, BufferFix]:
    """The fix of each attribute, or why there is none; it registers what methods compute with the attribute, too.

    Args:
        context: the class.
        attributes: what is to be registered, in the order in which it is first assigned.
        containers: attributes that hold containers of tensors and are reported.
    """
    others = {one: partial(_of_container, context, one) for one in containers}
    return with_partners(context, _by_themselves(context, tuple(attributes)), others)


def container_fixes(
    context: ClassContext, containers: Iterable[str], attributes: Iterable[str]
) -> Mapping[str, BufferFix]:
    """The fix of each container of tensors, or why there is none; as ``attribute_fixes``.

    Args:
        context: the class.
        containers: attributes that hold containers of tensors, in the order in which they are first assigned.
        attributes: those that hold tensors and are reported.
    """
    alone = cache(partial(_by_themselves, context, tuple(attributes)))
    others = {one: lambda one=one: alone()[one] for one in attributes}
    return with_partners(context, {one: _of_container(context, one) for one in containers}, others)


def _of_container(context: ClassContext, attribute: str) -> BufferFix:
    return container_fix(context, attribute, context.writes(attribute))


def _by_themselves(context: ClassContext, attributes: tuple[str, ...]) -> Mapping[str, BufferFix]:
    """The fix of each attribute, whatever becomes of its partners."""
    cast = {one: cast_parameter_fix(context, one) for one in attributes}
    apart = {one: fix for one, fix in cast.items() if fix is not None}
    apart |= {
        one: early_fix(context, one) for one in attributes if one not in apart and _is_assigned_early(context, one)
    }
    there = {one: preliminary_fix(context, one) for one in attributes if one not in apart}
    apart |= {one: fix for one, fix in there.items() if fix is not None}
    found = {**buffer_fixes(context, [one for one in attributes if one not in apart]), **apart}
    return {one: found[one] for one in attributes}


def _is_assigned_early(context: ClassContext, attribute: str) -> bool:
    return any(is_early(context, write) for write in context.writes(attribute))
