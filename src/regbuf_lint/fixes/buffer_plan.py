"""Which statements of a class become registrations of an attribute, or why none can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.class_context.change import Change
from regbuf_lint.classes.attribute_hooks import Passing
from regbuf_lint.classes.shallow_copies import assigns
from regbuf_lint.fixes.persistence import is_persistent
from regbuf_lint.fixes.subclass_writes import assigning_subclass, dropping_subclass, writes_of_subclasses
from regbuf_lint.model.class_view import Registration, Write, WriteForm
from regbuf_lint.model.mention import mention
from regbuf_lint.model.settings import Persistence
from regbuf_lint.model.value import (
    Alternative,
    Buffer,
    NoneValue,
    Parameter,
    Tensor,
    Unknown,
    Unset,
    Value,
    asks_for_gradient,
    is_only,
    is_tensor,
    may_be,
    tensors,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.class_context.context import ClassContext

BUFFER_VALUES = (Tensor, Buffer, NoneValue)
"""What a buffer may be assigned."""


class Withheld(Exception):  # noqa: N818  (an outcome, not an error)
    """No fix can be offered; the message says why, as the end of a sentence."""


class Plan(Struct, frozen=True):
    """How one attribute becomes a buffer.

    Attributes:
        attribute: its name; None for one that is computed.
        writes: every write to it during construction, in order.
        chosen: those that become registrations.
        persistent: whether ``state_dict()`` shall have it.
    """

    attribute: str | None
    writes: tuple[Write, ...]
    chosen: tuple[Write, ...]
    persistent: bool


def plan_for(context: ClassContext, attribute: str | None, writes: list[Write]) -> Plan:
    """How an attribute becomes a buffer.

    Args:
        context: the class.
        attribute: its name; None for one that is computed, with ``writes`` then holding that one statement.
        writes: every write to it during construction, in order.

    Raises:
        Withheld: it cannot become one.
    """
    _refuse_hostile_class(context, attribute, writes)
    if attribute is None and any(map(context.places.is_read_by_same_name, writes)):
        msg = (
            "the method reads the attribute first, so it may exist, and registering a name that exists raises KeyError"
        )
        raise Withheld(msg)
    if attribute is not None:
        _refuse_name(context, attribute, writes)
        _refuse_later(context, attribute)
    chosen = _with_first(writes, [write for write in writes if _is_to_be_converted(context, write)])
    for write in writes:
        if write not in chosen and not may_be(write.prior, Unset) and _is_no_buffer_value(write.value):
            raise Withheld(_assigned_otherwise(by(write)))
    if not chosen:
        raise Withheld(_why_none(writes))
    for write in chosen:
        _refuse_write(context, write)
    _refuse_subclasses(context, attribute, chosen)
    return Plan(attribute, tuple(writes), chosen, is_persistent(context, attribute, writes))


def by(write: Write) -> str:
    """The method of a write, for a message, with the line if that is in the class itself."""
    method = f"`{write.step.method}`"
    return f"{method} ({mention(write.step.statement.start.row)})" if write.step.own else method


def _why_none(writes: list[Write]) -> str:
    """Why no write is one to make a registration of."""
    either = next((one for one in writes if may_be(one.value, Parameter) and tensors(one.value)), None)
    if either is None:
        return "a base class assigns it first, so it has to be registered there"
    return f"what {by(either)} assigns is a Parameter or a plain tensor, and as a buffer no Parameter is trained"


def _assigned_otherwise(who: str) -> str:
    return f"{who} assigns it something that is no tensor, which raises TypeError for a buffer"


def _is_to_be_converted(context: ClassContext, write: Write) -> bool:
    """Whether the attribute may not be a buffer yet at a write, the earlier ones of which were converted.

    A tensor assigned where it certainly holds a tensor updates the buffer and stays as it is; one that is assigned
    over None is converted like the None, so that each path says what it registers. Not so in a method that runs later
    too: a registration does not belong into ``forward``.
    """
    if not is_only(write.value, *BUFFER_VALUES):
        return False
    if may_be(write.prior, Unset):
        return True
    before = without(write.prior, NoneValue)
    if before and not is_only(before, Tensor, Buffer):
        msg = "it is assigned something that is no tensor before, and registering a name that exists raises KeyError"
        raise Withheld(msg)
    if before or not is_tensor(write.value):
        return False
    return bool(calls_on(write)) or not context.runs_later(write.step.method)


def _with_first(writes: list[Write], chosen: list[Write]) -> tuple[Write, ...]:
    """What is to be registered, with each first value of unknown kind: one half of the objects would stay as they are.

    After ``self.x = x`` of an argument, and ``if self.x is None``, registering would even raise KeyError.
    """
    first = [write for write in writes if may_be(write.prior, Unset)]
    numbers = [write for write in first if any(map(_is_number, write.value))]
    if numbers and any(write not in first for write in chosen):
        raise Withheld(_assigned_otherwise(by(numbers[0])))
    unknown = [write for write in first if write not in numbers and is_only(write.value, *BUFFER_VALUES, Unknown)]
    return tuple(write for write in writes if write in chosen or (chosen and write in unknown))


def _is_number(one: Alternative) -> bool:
    return isinstance(one, Unknown) and one.number


def _is_no_buffer_value(value: Value) -> bool:
    kinds: tuple[type[Alternative], ...] = (*BUFFER_VALUES, Parameter, Unknown)
    return bool(value) and not any(isinstance(one, kinds) for one in value)


def _refuse_hostile_class(context: ClassContext, attribute: str | None, writes: list[Write]) -> None:
    if context.overrides("register_buffer"):
        msg = "the class has its own `register_buffer`, which may do something else"
        raise Withheld(msg)
    if context.hooks.assignment_passes(attribute) is Passing.NEVER and not _follows_registration(context, writes):
        msg = "the class has its own `__setattr__`, which keeps tensors elsewhere"
        raise Withheld(msg)
    if context.hooks.finds_no_buffers:
        msg = "the class has its own `__getattr__`, which does not find buffers"
        raise Withheld(msg)
    taking_over = context.object_uses.taking_over & context.building
    if taking_over:
        msg = f"`{min(taking_over)}` takes over the `__dict__` of another object, with that object's table of buffers"
        raise Withheld(msg)
    walker = context.hooks.walks_own_buffers
    if walker is not None:
        msg = f"`{walker}` goes through all buffers of the object, and would treat this one like the others"
        raise Withheld(msg)
    if context.is_script_module and context.text.wanted_persistence(attribute) is Persistence.NEVER:
        msg = "a ScriptModule refuses buffers with `persistent=False`"
        raise Withheld(msg)
    if context.settings.without_persistent and context.text.wanted_persistence(attribute) is Persistence.NEVER:
        msg = f"`persistent=False` came with torch 1.6, and {context.settings.without_persistent}"
        raise Withheld(msg)


def _follows_registration(context: ClassContext, writes: list[Write]) -> bool:
    """Whether the class's own text registers some buffer before the first write, so that one may be registered there.

    One that comes later says nothing: ``nn.Module.__init__`` may run again before it and drop what was registered.
    """
    first = min(write.number for write in writes)
    return any(
        isinstance(one, Registration) and one.step.own and one.number < first for one in context.construction.events
    )


def _refuse_name(context: ClassContext, attribute: str, writes: list[Write]) -> None:
    collision = context.collision(attribute)
    if collision is not None and context.places.class_none(attribute) is not None:
        _refuse_needed_none(context, attribute, writes)
    elif collision is not None:
        msg = f"`{attribute}` is also {collision}, and registering a name that exists raises KeyError"
        raise Withheld(msg)
    if not attribute or "." in attribute:
        msg = f"`register_buffer` refuses the name `{attribute}`: it is empty or has a dot"
        raise Withheld(msg)
    if context.deleted(attribute):
        msg = f"a method deletes `{attribute}`"
        raise Withheld(msg)
    buffer = context.registered_as(attribute)
    if buffer is not None:
        msg = f"the buffer `{buffer}` is this very tensor"
        raise Withheld(msg)
    copier = min(context.hooks.copying_methods, default=None)
    if copier is not None and _changes_in_copies(context, attribute):
        msg = f"`{copier}` makes a shallow copy, which shares its buffers: a change in one changes the other"
        raise Withheld(msg)
    reader = context.in_dict(attribute) or min(context.family_uses.formatted.get(attribute, ()), default=None)
    if reader is not None:
        msg = f"`{reader}` looks for it in `__dict__`, which does not hold buffers"
        raise Withheld(msg)


def _changes_in_copies(context: ClassContext, attribute: str) -> bool:
    """Whether an object or a shallow copy of it puts another value into the attribute, for itself alone."""
    if context.change_of(attribute) is not Change.NONE:
        return True
    return any(assigns(function, attribute) for function in context.hooks.copying_methods.values())


def _refuse_needed_none(context: ClassContext, attribute: str, writes: list[Write]) -> None:
    """The ``x = None`` of the class can become ``x: Tensor`` where no object and nobody else sees the None."""
    what = f"the class body says `{attribute} = None`, which"
    first = writes[0].step
    if may_be(context.value_of(attribute), Unset):
        msg = f"{what} is what it stays where the constructor does not assign it"
        raise Withheld(msg)
    reading = context.uses.read.get(attribute, set()) & context.construction.called - {first.method}
    if not first.own or reading or context.places.read_before(attribute, first.method, first.statement):
        msg = f"{what} is read before the constructor assigns it"
        raise Withheld(msg)
    if context.places.read_on_class(attribute):
        msg = f"{what} is read from the class"
        raise Withheld(msg)
    if context.text.makes_fields_of_annotations:
        msg = f"{what} would be an argument of the constructor as an annotation"
        raise Withheld(msg)


def _refuse_later(context: ClassContext, attribute: str) -> None:
    for event in context.later_events(attribute):
        if isinstance(event, Write) and _is_no_buffer_value(event.value):
            raise Withheld(_assigned_otherwise(by(event)))


def _refuse_subclasses(context: ClassContext, attribute: str | None, chosen: tuple[Write, ...]) -> None:
    """A subclass may assign it what no buffer takes, or assign it before a method registers it."""
    if attribute is None:
        return
    for symbol, write in writes_of_subclasses(context, attribute):
        if _is_no_buffer_value(write.value):
            raise Withheld(_assigned_otherwise(f"the subclass `{symbol.scope.qualname}`"))
    dropping = next((found for write in chosen if (found := dropping_subclass(context, write))), None)
    if dropping is not None:
        msg = f"`{dropping}` runs `nn.Module.__init__` again after it is assigned, and would drop the buffer"
        raise Withheld(msg)
    if all(write.step.method == "__init__" for write in chosen):
        return
    subclass = assigning_subclass(context, attribute)
    if subclass is not None:
        msg = f"{subclass} assigns it too; where that comes first, registering a name that exists raises KeyError"
        raise Withheld(msg)


def _refuse_write(context: ClassContext, write: Write) -> None:
    if not write.step.own:
        msg = f"it is assigned in `{write.step.method}` of a base class or a helper, so it has to be registered there"
        raise Withheld(msg)
    if not write.step.initialised:
        when = "before `super().__init__()`" if context.construction.initialised else "without `super().__init__()`"
        msg = f"it is assigned {when}, where registering raises AttributeError"
        raise Withheld(msg)
    if write.number < context.construction.begun:
        msg = "`nn.Module.__init__` runs again after it is assigned, and would drop the buffer"
        raise Withheld(msg)
    if any(tensor.sparse for tensor in tensors(write.value)):
        msg = "it is sparse, and DistributedDataParallel fails with sparse buffers; register its indices and values"
        raise Withheld(msg)
    if asks_for_gradient(write.value):
        msg = "it requires a gradient: no optimizer trains a buffer, and after `.to(dtype)` its `.grad` stays None"
        raise Withheld(msg)
    if write.form in {WriteForm.TARGET, WriteForm.AUGMENTED, WriteForm.BYPASS, WriteForm.DELETED}:
        msg = f"it is assigned by `{write.form.value}`, which no registration can replace"
        raise Withheld(msg)
    if write.step.method in context.definition.setters:
        setter = write.step.method
        msg = f"the property's setter assigns it; register it in `__init__`, so that setting `{setter}` updates it"
        raise Withheld(msg)
    refuse_calls_on_none(write)


def refuse_calls_on_none(write: Write) -> None:
    """Raise where a method of a tensor would have to be called on what may be None."""
    if calls_on(write) and may_be(write.value, NoneValue):
        msg = f"it may be None, on which `.{calls_on(write)[0]}()` cannot be called"
        raise Withheld(msg)


def is_early(context: ClassContext, write: Write) -> bool:
    """Whether a write comes before ``nn.Module.__init__``, or before it runs again."""
    return not write.step.initialised or write.number < context.construction.begun


def becomes_assignment(context: ClassContext, write: Write) -> bool:
    """Whether a write becomes the assignment of an ``nn.Buffer``, instead of a call of ``register_buffer``.

    ``nn.Buffer(None)`` is an empty tensor, and each other attribute that an ``nn.Buffer`` is assigned to registers it.
    """
    if not context.text.wants_nn_buffer or may_be(write.value, NoneValue):
        return False
    return write.attribute is None or not context.is_held_elsewhere(write.attribute)


def calls_on(write: Write) -> tuple[str, ...]:
    """Methods of the tensor that have to be called before it can be registered."""
    found = tensors(write.value)
    detach = ("detach",) if any(tensor.derived or tensor.requires_grad for tensor in found) else ()
    return (*detach, "clone") if any(tensor.expanded for tensor in found) else detach


def first_tensors(plan: Plan) -> list[Write]:
    """The writes that become registrations, and those that then fill a buffer which was None before."""
    filling = [write for write in plan.writes if write.step.own and write not in plan.chosen]
    after_none = [write for write in filling if may_be(write.prior, NoneValue) and not may_be(write.prior, Tensor)]
    return [*plan.chosen, *after_none]


def share_tensor(plans: Sequence[Plan]) -> bool:
    """Whether two attributes are targets of one chained assignment."""
    chained = [write.step.statement for plan in plans for write in plan.chosen if write.form is WriteForm.CHAINED]
    return len(set(chained)) < len(chained)


def later_writes(context: ClassContext, plan: Plan) -> list[Write]:
    """What methods that construction does not call assign to the attribute."""
    later = context.later_events(plan.attribute) if plan.attribute is not None else ()
    return [event for event in later if isinstance(event, Write)]


def replacing(context: ClassContext, plan: Plan) -> str:
    """What gives the attribute another value after construction, in words."""
    return next(map(by, later_writes(context, plan)), "a method")
