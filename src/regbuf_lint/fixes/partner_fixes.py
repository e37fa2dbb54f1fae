"""The fix of an attribute that methods compute together with others registers all of them, or says who stays behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.exemptions.moved_by_class import is_moved_by_class
from regbuf_lint.fixes.unmet_demands import HALF, MOVED, TOGETHER, user
from regbuf_lint.model.fix import Applicability, Fix, conflict
from regbuf_lint.model.trail import Source
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import (
    Array,
    Buffer,
    Literal,
    NoneValue,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Unset,
    is_empty_container,
    is_tensor,
    parts_of,
)
from regbuf_lint.model.value import Mapping as MappingValue

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.fixes.buffer_fix import BufferFix
    from regbuf_lint.model.value import Alternative, Value


class Partner(Struct, frozen=True):
    """Another attribute that has to lie where an attribute does.

    Attributes:
        name: its name.
        where: which method computes with both of them, in words.
    """

    name: str
    where: str


def with_partners(
    context: ClassContext, fixes: Mapping[str, BufferFix], others: Mapping[str, Callable[[], BufferFix]]
) -> Mapping[str, BufferFix]:
    """Fixes of which none moves a tensor away from another that a method computes it with.

    Each makes the edits of the fixes of all partners, too. Where a partner stays, the fix is unsafe; it is shown alone
    where the partner certainly holds tensors, since the method then fails wherever it worked before.

    Args:
        context: the class.
        fixes: the fix of each attribute by itself, in the order in which they are first assigned.
        others: what gives the fixes of further attributes that are reported.
    """
    found = dict(fixes)
    known: dict[str, tuple[Partner, ...]] = {}
    waiting = [*fixes]
    while waiting:
        name = waiting.pop(0)
        known[name] = tuple(partners(context, name)) if found[name].is_applied else ()
        new = dict.fromkeys(one.name for one in known[name] if one.name in others and one.name not in found)
        found |= {one: others[one]() for one in new}
        waiting += new
    while (staying := _left_behind(context, known, found)) is not None:
        found |= staying
    sharing: dict[int, list[str]] = {}
    for name, fix in found.items():
        sharing.setdefault(id(fix.fix), []).append(name)
    return {name: _joined(name, found, known, sharing) for name in fixes}


def partners(context: ClassContext, attribute: str) -> Iterator[Partner]:
    """The other attributes that have to lie where an attribute does.

    A method computes with both of them; where something that follows the object takes part, it fails before and after.
    Or a method moves them once it has asked where the attribute lies.

    Args:
        context: the class.
        attribute: the attribute.
    """
    for use in context.trace(attribute).uses(attribute):
        if use.sink not in TOGETHER or use.hurts or use.flow in MOVED:
            continue
        for one in sorted(use.partners, key=lambda partner: partner.name):
            if one.source is Source.ENTRY and not one.moved and _has_a_place(context, one.name):
                partner = f"`self.{one.name}`"
                does = f"indexes {partner} with it" if use.sink is Sink.INDEX else f"combines it with {partner}"
                yield Partner(one.name, f"{user(context, use)} {does}")
    for store in context.trace(attribute).moved_for(attribute):
        moves = f"moves `self.{store.attribute}` only where `self.{attribute}` lies elsewhere"
        yield Partner(store.attribute, f"`{store.method}` ({context.mention(store.span, store.path)}) {moves}")


def _has_a_place(context: ClassContext, attribute: str) -> bool:
    """Whether an attribute may hold a tensor with dimensions, or an array, that nothing else moves."""
    value = context.value_of(attribute)
    return (not value or any(map(_lies_somewhere, value))) and not is_moved_by_class(context, attribute)


def _lies_somewhere(one: Alternative) -> bool:
    """Whether an alternative may be, or hold, what is on some device or in the memory of the CPU."""
    if isinstance(one, Tensor):
        return not one.is_number
    if isinstance(one, Unknown):
        return not one.number
    if isinstance(one, (Sequence, MappingValue)) and not is_empty_container(one):
        return any(_lies_somewhere(inner) for part in parts_of(one) for inner in part)
    return isinstance(one, Array) or not isinstance(one, _PLACELESS)


def _left_behind(
    context: ClassContext, known: Mapping[str, tuple[Partner, ...]], found: Mapping[str, BufferFix]
) -> dict[str, BufferFix] | None:
    """The first fixes of some that move a tensor away from one that stays, as such; None where there are none."""
    for name, fix in found.items():
        for partner in known[name] if fix.is_applied else ():
            if partner.name in found and found[partner.name].is_applied:
                continue
            less = _less_trusted(context, fix, partner)
            if less != fix:
                return {one: less for one, other in found.items() if other.fix is fix.fix}
    return None


def _less_trusted(context: ClassContext, fix: BufferFix, partner: Partner) -> BufferFix:
    """A fix of an attribute one of whose partners stays behind."""
    if _holds_tensors(context.value_of(partner.name)) and not context.trace(partner.name).replacements(partner.name):
        return fix.trusted(Applicability.DISPLAY, f"{HALF}: {partner.where}, which stays behind")
    doubt = f"{partner.where}, which stays behind if it is a tensor"
    if doubt in fix.reason:
        return fix
    return fix.trusted(Applicability.UNSAFE, "; ".join(filter(None, (fix.reason, doubt))))


def _joined(
    name: str,
    found: Mapping[str, BufferFix],
    known: Mapping[str, tuple[Partner, ...]],
    sharing: Mapping[int, list[str]],
) -> BufferFix:
    """The fix of an attribute with those of its partners, and of their partners.

    Args:
        name: the attribute.
        found: the fix of each attribute by itself.
        known: the partners of each.
        sharing: the attributes of each fix.
    """
    own = found[name]
    if own.fix is None or not own.is_applied:
        return own
    names = _reached(name, found, known, sharing)
    others = [one for one in names if found[one].fix is not own.fix]
    fixes = [fix for one in names if (fix := found[one].fix) is not None]
    edits = tuple(dict.fromkeys(edit for fix in fixes for edit in fix.edits))
    if any(conflict(edit, other) for edit in edits for other in edits):
        reason = f"{HALF}: methods combine it with `{others[0]}`, which another fix registers"
        return own.trusted(Applicability.DISPLAY, reason)
    doubted = next((one for one in (name, *others) if found[one].reason), None)
    merged = Fix(
        own.fix.applicability if doubted is None else Applicability.UNSAFE,
        own.fix.message + _with(others),
        tuple(sorted(edits, key=lambda edit: edit.span)),
        adds=tuple(dict.fromkeys(key for fix in fixes for key in fix.adds)),
    )
    if doubted in {name, None}:
        return replace(own, fix=merged)
    return replace(own, fix=merged, reason=f"it registers `{doubted}`, too: {found[doubted].reason}")


def _reached(
    name: str,
    found: Mapping[str, BufferFix],
    known: Mapping[str, tuple[Partner, ...]],
    sharing: Mapping[int, list[str]],
) -> list[str]:
    """The attributes that have to move where one does, itself among them, in the order of their assignments."""
    reached, waiting = set[str](), {name}
    while waiting:
        reached.update(*(sharing[id(found[one].fix)] for one in waiting))
        waiting = {partner.name for one in reached for partner in known.get(one, ()) if partner.name in found} - reached
        waiting = {one for one in waiting if found[one].is_applied}
    return [name] if len(reached) == 1 else [one for one in found if one in reached]


def _holds_tensors(value: Value) -> bool:
    """Whether a value is a tensor, or a container of tensors, for certain."""
    parts = [part for one in value for part in parts_of(one) if part]
    return is_tensor(value) or (bool(parts) and len(value) == 1 and all(map(_holds_tensors, parts)))


_PLACELESS = (Literal, Other, NoneValue, Submodule, Parameter, Buffer, Unset)


def _with(others: Collection[str]) -> str:
    """The other attributes that a fix registers, for its message."""
    if not others:
        return ""
    *first, last = (f"`{one}`" for one in others)
    return f", together with {', '.join(first)} and {last}" if first else f", together with {last}"
