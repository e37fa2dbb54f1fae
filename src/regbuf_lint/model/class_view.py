"""What rules see of a class: everything that its construction does to its attributes, in order."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from regbuf_lint.model.value import UNSET, Buffer, Parameter, Submodule, Tensor, Value, is_only, may_be

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from regbuf_lint.model.span import Span
    from regbuf_lint.model.trail import Trail


class WriteForm(Enum):
    """How an attribute is given its value."""

    PLAIN = "self.x = value"
    ANNOTATED = "self.x: T = value"
    CHAINED = "self.x = y = value"
    UNPACKED = "self.x, y = value"
    AUGMENTED = "self.x += value"
    SETATTR = "setattr(self, name, value)"
    REGISTERED = "self.register_parameter(name, value)"
    TARGET = "for self.x in ..., with ... as self.x"
    BYPASS = "self.__dict__[name] = value, object.__setattr__(self, name, value)"
    DELETED = "del self.x"


class Step(Struct, frozen=True):
    """Where and when something happens during construction.

    Attributes:
        statement: the simple statement.
        method: name of the method that it stands in; empty in the body of a class.
        owner: dotted name of the class in whose body it stands; empty in plain functions.
        own: whether that is the class that is looked at, not a base.
        initialised: whether ``nn.Module.__init__`` has run by then on every path.
        within: names of the methods of the object that are running then.
    """

    statement: Span
    method: str
    owner: str
    own: bool
    initialised: bool
    within: frozenset[str] = frozenset()


class Write(Struct, frozen=True):
    """An attribute is assigned.

    Attributes:
        number: position in the order of events; events have distinct numbers.
        step: where and when.
        attribute: its name, None where it is only known at run time.
        value: what is assigned, over all times that the statement runs.
        prior: what the attribute is before; ``Unset`` among its alternatives where it may not exist yet.
        form: how it is written.
        target: the place of the attribute in the statement.
        side: the place of what is assigned, where the statement has a write for either side of a choice.
    """

    number: int
    step: Step
    attribute: str | None
    value: Value
    prior: Value
    form: WriteForm
    target: Span
    side: Span | None = None

    @property
    def fills_buffer(self) -> bool:
        """Whether the attribute is a registered buffer by then, so that a tensor becomes the buffer's new value."""
        return may_be(self.prior, Buffer) and not may_be(self.prior, Tensor)

    @property
    def is_refused(self) -> bool:
        """Whether a tensor cannot be assigned, since the attribute is a Parameter or a part by then (torch 2.13)."""
        return is_only(self.prior, Parameter, Submodule)


class Registration(Struct, frozen=True):
    """``self.register_buffer(name, value, persistent=...)``, an ``nn.Buffer`` assigned, or ``add_state`` of a metric.

    Attributes:
        number: position in the order of events.
        step: where and when.
        attribute: name of the buffer, None where it is only known at run time.
        value: what is registered.
        prior: what the attribute is before.
        call: place of the call of ``register_buffer`` or ``nn.Buffer``.
        argument: place of the expression that gives the tensor, None where it can't be told.
        function: what registers it: ``register_buffer``, ``add_state`` or ``nn.Buffer``.
        result_attribute: attribute that the call's result is assigned to, if any.
    """

    number: int
    step: Step
    attribute: str | None
    value: Value
    prior: Value
    call: Span
    argument: Span | None
    function: str = "register_buffer"
    result_attribute: str | None = None


class GradientRequest(Struct, frozen=True):
    """``self.x.requires_grad_()`` or ``self.x.requires_grad = True``."""

    number: int
    step: Step
    attribute: str
    prior: Value


Event: TypeAlias = Write | Registration | GradientRequest


class AttributeState(Struct, frozen=True):
    """An attribute at one moment.

    Attributes:
        value: what it is.
        writes: numbers of the events that may have set it last.
        trail: where its value comes from, while a method is traced that has set it; None where none has.
    """

    value: Value = UNSET
    writes: frozenset[int] = frozenset()
    trail: Trail | None = None


class Construction(Struct, frozen=True):
    """What happens while an object of a class is built.

    Attributes:
        events: in the order in which they are first reached.
        attributes: the object's attributes at the end.
        initialised: whether ``nn.Module.__init__`` has run on every path.
        called: names of the methods of ``self`` that ran.
        begun: events with smaller numbers come before the last run of ``nn.Module.__init__``, which may be one of
            several; what they registered is lost then.
        stopped: whether it takes more steps than are followed, so that nothing of it is known.
    """

    events: tuple[Event, ...] = ()
    attributes: Mapping[str, AttributeState] = field(default_factory=dict)
    initialised: bool = False
    called: frozenset[str] = frozenset()
    begun: int = 0
    stopped: bool = False

    def with_values(self, changes: Mapping[str, Callable[[Value], Value]]) -> Construction:
        """The same construction with other values in some attributes, given what changes each of them."""

        def changed(event: Event) -> Event:
            change = changes.get(event.attribute or "")
            if change is None or not isinstance(event, Write):
                return event
            return replace(event, value=change(event.value), prior=change(event.prior))

        attributes = {
            name: replace(state, value=changes[name](state.value)) if name in changes else state
            for name, state in self.attributes.items()
        }
        return replace(self, events=tuple(map(changed, self.events)), attributes=attributes)

    def seen_by(self, owner: str) -> Construction:
        """The same construction with those steps as own that stand in the class ``owner``, a base of the class."""
        return replace(self, events=tuple(seen_by(event, owner) for event in self.events))


def by_attribute(events: Iterable[Event]) -> dict[str | None, list[Event]]:
    """Events by the attribute that they are about, in order; None stands for names known at run time alone."""
    found: dict[str | None, list[Event]] = {}
    for event in events:
        found.setdefault(event.attribute, []).append(event)
    return found


def seen_by(event: Event, owner: str) -> Event:
    """The same event as that class sees it in whose body it stands, or another one."""
    own = event.step.owner == owner
    return event if event.step.own == own else replace(event, step=replace(event.step, own=own))
