"""Collects the events of one construction; a statement that runs several times is one event."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from regbuf_lint.model.class_view import Event, GradientRequest, Registration, Step, Write, WriteForm
from regbuf_lint.model.value import UNSET, Parameter, Value, join

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable

    from regbuf_lint.model.span import Span


Entry: TypeAlias = "tuple[tuple[object, ...], Event]"


class Recorder:
    """Events of the construction of one object."""

    def __init__(self) -> None:
        self._events: dict[tuple[object, ...], Event] = {}
        self.called: set[str] = set()
        self.begun = 0

    def begin_again(self) -> None:
        """Note that ``nn.Module.__init__`` runs another time, after the events so far."""
        self.begun = len(self._events)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The events, each with what makes it one and the same however often it is reached."""
        return tuple(self._events.items())

    @property
    def events(self) -> tuple[Event, ...]:
        """In the order in which they were first reached."""
        return tuple(self._events.values())

    def write(
        self,
        node: ast.AST,
        step: Step,
        attribute: str | None,
        value: Value,
        prior: Value,
        form: WriteForm,
        places: tuple[Span, Span | None],
    ) -> int:
        """Note that an attribute is assigned; gives the number of the event.

        ``places`` are those of the target and, where ``node`` is one side of a choice, of that side.
        """
        return self._note(
            (node, attribute, "write"),
            lambda number: Write(number, step, attribute, value, prior, form, *places),
            value,
            prior,
        )

    def registration(
        self,
        node: ast.AST,
        step: Step,
        attribute: str | None,
        value: Value,
        prior: Value,
        places: tuple[Span, Span | None],
        function: str,
    ) -> int:
        """Note that a buffer is registered; ``places`` are those of the call and of the tensor's expression."""
        return self._note(
            (node, attribute, "registration"),
            lambda number: Registration(number, step, attribute, value, prior, *places, function),
            value,
            prior,
        )

    def stores_result(self, number: int, attribute: str) -> None:
        """Note that the result of the registration ``number`` is assigned to ``attribute``."""
        for key, event in self._events.items():
            if event.number == number and isinstance(event, Registration):
                self._events[key] = replace(event, result_attribute=attribute)

    def may_be_parameter(self, numbers: frozenset[int]) -> None:
        """Note that what the writes with some numbers store may be a Parameter as well."""
        for key, event in self._events.items():
            if event.number in numbers and isinstance(event, Write):
                self._events[key] = replace(event, value=event.value | {Parameter()})

    def may_be_first(self, method: str, attribute: str) -> None:
        """Note that what a method does first to an attribute may be the first that anyone does to it."""
        for key, event in self._events.items():
            if event.attribute == attribute and method in event.step.within:
                if not isinstance(event, GradientRequest):
                    self._events[key] = replace(event, prior=event.prior | UNSET)
                return

    def gradient(self, node: ast.AST, step: Step, attribute: str, prior: Value) -> None:
        """Note that an attribute is asked to require a gradient."""
        key = (node, attribute, "gradient")
        self._events.setdefault(key, GradientRequest(len(self._events), step, attribute, prior))

    def repeat(self, entries: Iterable[Entry], adapted: Callable[[Event], Event]) -> dict[int, int]:
        """Note events that another recorder has seen, each ``adapted``; gives their numbers here by those there."""
        numbers: dict[int, int] = {}
        for key, event in entries:
            here = self._events.setdefault(key, replace(adapted(event), number=len(self._events)))
            numbers[event.number] = here.number
        return numbers

    def _note(self, key: tuple[object, ...], make: Callable[[int], Event], value: Value, prior: Value) -> int:
        known = self._events.get(key)
        if known is None:
            self._events[key] = made = make(len(self._events))
            return made.number
        if isinstance(known, (Write, Registration)):
            self._events[key] = replace(known, value=join((known.value, value)), prior=join((known.prior, prior)))
        return known.number
