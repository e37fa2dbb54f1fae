"""The attributes to which methods, and no constructor, give tensors that are left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.inert import inert
from regbuf_lint.infer.annotations import annotated_in_body, declared
from regbuf_lint.infer.construction import construct
from regbuf_lint.infer.dimensions import is_plain_number
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.trail import Flow
from regbuf_lint.model.use import HOST_ONLY, MEETING, Sink
from regbuf_lint.model.value import (
    NONE,
    ON_CPU,
    NoneValue,
    Tensor,
    Unknown,
    is_only,
    join,
    may_be,
    tensors,
    without,
)
from regbuf_lint.placement.blocks import assigns_beside

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.model.use import Store, Use
    from regbuf_lint.model.value import Value


def set_by_methods(context: ClassContext) -> dict[str, list[Write]]:
    """The statements that give an attribute such a tensor, by attribute.

    What a method makes on the CPU by itself meets tensors of the object's device in whatever order they run. A tensor
    that lies where a method's arguments do mostly is the result of one call that another one reads, unless the body of
    the class declares it.
    """
    if context.hooks.registers_on_assignment:
        return {}
    found = {name: _writes(context, name) for name in sorted(_read_later(context))}
    return {name: writes for name, writes in found.items() if writes and _is_reported(context, name, writes)}


def _read_later(context: ClassContext) -> frozenset[str]:
    """The attributes that are left to methods, and that some other method reads; a cache is RBF004's."""
    asked = {
        name for name in context.left_to_methods if context.value_of(name) and _is_filled_when_asked(context, name)
    }
    later = (name for name in sorted(context.left_to_methods - asked) if _is_read_by_another(context, name))
    first = {name: at_first(context, name) for name in later if not _is_given(context, name)}
    asked |= {name for name, value in first.items() if value and _is_filled_when_asked(context, name)}
    found = (name for name, value in first.items() if value <= NONE and name not in asked)
    return frozenset(name for name in found if not (asked and _is_filled_beside(context, name, asked)))


def _is_filled_when_asked(context: ClassContext, attribute: str) -> bool:
    """Whether a method that asks for it fills it, itself or by another one that it calls."""
    asking = frozenset(context.family_uses.guarded.get(attribute, ()))
    filling = context.family_uses.stored.get(attribute, set())
    return bool(asking) and not filling.isdisjoint(asking | context.inference.reached_from(context.built, asking))


def _is_filled_beside(context: ClassContext, attribute: str, caches: set[str]) -> bool:
    """Whether methods fill it nowhere but in blocks that fill a cache, too, and not in each call."""
    writes = [one for one in context.later_events(attribute) if isinstance(one, Write) and one.step.own]
    if not writes or not all(assigns_beside(context.symbol, one.step.statement, caches) for one in writes):
        return False
    return not any(one.certain for one in context.trace(attribute).stores(attribute))


def _is_read_by_another(context: ClassContext, attribute: str) -> bool:
    return not context.readers(attribute) <= context.family_uses.stored.get(attribute, set())


def at_first(context: ClassContext, attribute: str) -> Value:
    """What a constructor, that of the class or of a subclass, leaves in an attribute; nothing where none does."""
    built = (construct(context.inference, one) for one in context.subclasses_at_hand)
    given = (one.attributes[attribute].value for one in built if one is not None and attribute in one.attributes)
    return join((context.value_of(attribute), *given))


def _is_given(context: ClassContext, attribute: str) -> bool:
    """Whether a class body gives objects the attribute, or a method deletes it."""
    return context.deleted(attribute) or context.collision(attribute) is not None


def _writes(context: ClassContext, attribute: str) -> list[Write]:
    """The class's own statements that give the attribute a tensor; none where some give it something else."""
    every = (_as_declared(context, attribute, one) for one in context.later_events(attribute) if isinstance(one, Write))
    writes = [one for one in every if not _is_without_tensor(one.value)]
    return [one for one in writes if one.step.own] if all(map(_is_new, writes)) else []


def _as_declared(context: ClassContext, attribute: str, write: Write) -> Write:
    """A statement with the tensor that the class says its attribute holds, where no more is known of the value.

    What a caller gives is the caller's, and may be a Parameter.
    """
    unknown = [one for one in write.value if isinstance(one, Unknown)]
    if not unknown or any(one.argument for one in unknown):
        return write
    types = (declared(context.inference, one, attribute) for one in _family(context))
    if not any(may_be(one, Tensor) for one in types):
        return write
    made = frozenset(Tensor(location=one.location) for one in unknown)
    return replace(write, value=without(write.value, Unknown) | made)


def _is_without_tensor(value: Value) -> bool:
    """Whether a value is None or a number, as on a path on which there is nothing to compute with."""
    return all(isinstance(one, NoneValue) or is_plain_number(one) for one in value)


def _is_new(write: Write) -> bool:
    """Whether a statement assigns a tensor that was made there, and that carries no graph."""
    held = list(tensors(write.value))
    is_assigned = is_only(write.value, Tensor) and write.form not in {WriteForm.BYPASS, WriteForm.DELETED}
    return is_assigned and all(one.fresh and not (one.derived or one.requires_grad) for one in held)


def _is_reported(context: ClassContext, attribute: str, writes: list[Write]) -> bool:
    hurts = _is_fitted(context, attribute) if at_first(context, attribute) else _hurts(context, attribute, writes)
    return hurts and exempting(context, attribute) is None and inert(context, attribute) is None


def _is_fitted(context: ClassContext, attribute: str) -> bool:
    """Whether what is None at first is state that a method such as ``fit`` computes and another one computes with.

    What ``forward`` sets is the result of one call.
    """
    trace = context.trace(attribute)
    stores = [one for one in trace.stores(attribute) if not _is_without_tensor(one.value)]
    setting = {one.entry for one in stores}
    if not trace.was_followed(attribute) or "forward" in setting:
        return False
    if not stores or any(one.keeps_argument or one.only_moves or one.own_flows for one in stores):
        return False
    return any(one.entry not in setting and _is_elsewhere(one) for one in trace.uses(attribute))


def _hurts(context: ClassContext, attribute: str, writes: list[Write]) -> bool:
    """Whether what nothing sets before lies where a method makes it, and another one needs it elsewhere."""
    is_declared = _is_declared(context, attribute)
    if not is_declared and not all(_may_be_on_cpu(one.value) for one in writes):
        return False
    trace = context.trace(attribute)
    stores = [one for one in trace.stores(attribute) if not _is_without_tensor(one.value)]
    uses = trace.uses(attribute)
    if not stores or not trace.was_followed(attribute):
        return False
    if not all(map(_lies_on_cpu, stores)):
        setting = {one.entry for one in stores}
        uses = tuple(one for one in uses if one.entry not in setting) if is_declared else ()
    return any(map(_is_elsewhere, uses))


def _is_declared(context: ClassContext, attribute: str) -> bool:
    """Whether the body of the class, or of one of its family, says that objects have such a tensor: it is state."""
    types = (annotated_in_body(context.inference, one, attribute) for one in _family(context))
    return any(one is not None and may_be(one, Tensor) for one in types)


def _family(context: ClassContext) -> tuple[ClassSymbol, ...]:
    """The class and those that inherit from it."""
    return (context.symbol, *context.subclasses_at_hand)


def _is_elsewhere(use: Use) -> bool:
    """Whether a method needs the tensor where others lie: it computes with them, indexes or moves by hand."""
    if use.sink in MEETING:
        return use.hurts and not use.guessed
    return use.sink is Sink.INDEX or (use.flow is Flow.MOVED and use.sink not in HOST_ONLY)


def _lies_on_cpu(store: Store) -> bool:
    """Whether a method makes the tensor where no device is named, or the CPU is."""
    made = store.trail.tensors
    return _may_be_on_cpu(store.value) and bool(made) and all(one.on_cpu for one in made)


def _may_be_on_cpu(value: Value) -> bool:
    """Whether a value has dimensions, and nothing names another device for it."""
    return all(one.location in ON_CPU and not one.is_number for one in tensors(value))
