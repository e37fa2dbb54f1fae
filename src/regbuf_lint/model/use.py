"""What becomes of an attribute once its object is built: the trace, as rules and exemptions query it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from regbuf_lint.model.trail import Flow, Origin, Source, Trail

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from regbuf_lint.model.span import Span
    from regbuf_lint.model.value import Value


class Sink(Enum):
    """Where a value ends."""

    HOST = "Python makes a number, a string or a decision of it"
    NUMPY = "NumPy takes it, which works on the CPU alone"
    METADATA = "its shape is asked for, or whether it is None"
    PLACE = "its device or dtype is asked for"
    EMPTINESS = "the number of its elements is compared"
    INDEX = "an index into something else"
    DRAW = "the argument of a draw with a generator of the object"
    MEETS = "computed together with others"
    PASSED = "passed to what is not followed"
    RETURNED = "returned"
    STORED = "stored in an attribute"
    MUTATED = "changed in place"
    CAPTURED = "kept by a function that runs later"


HOST_ONLY = frozenset({Sink.HOST, Sink.METADATA, Sink.EMPTINESS})
"""Ends that are the same wherever a tensor lies."""


@dataclass(frozen=True, slots=True)
class Use:
    """One use of an attribute.

    Attributes:
        attribute: its name.
        sink: what becomes of it.
        flow: how it got there from the attribute.
        entry: the method that somebody calls.
        method: the method or function in which it is used, the entry or one that it calls.
        span: place of the expression.
        path: the file of that place.
        partners: origins of what it is computed with.
        callee: what takes it, as it is written in the text; the attribute that it is stored in.
        certain: whether each call of the entry that gets to its end gets there.
    """

    attribute: str
    sink: Sink
    flow: Flow
    entry: str
    method: str
    span: Span
    path: Path
    partners: frozenset[Origin] = frozenset()
    callee: str = ""
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """A method gives an attribute another value.

    Attributes:
        attribute: its name.
        entry: the method that somebody calls.
        method: the method in which the assignment stands.
        span: place of the statement.
        trail: what the value is made of.
        value: what it can be.
        certain: whether each call of the entry that gets to its end gets there.
    """

    attribute: str
    entry: str
    method: str
    span: Span
    trail: Trail
    value: Value
    certain: bool

    @property
    def own_flows(self) -> frozenset[Flow]:
        """How the attribute's own former value got into the new one."""
        origins = (one for one in self.trail.origins if one.source is Source.ENTRY and one.name == self.attribute)
        return frozenset(one.flow for one in origins)

    @property
    def only_moves(self) -> bool:
        """Whether the new value is the former one, at most moved or cast."""
        return bool(self.own_flows) and all(
            one.source is Source.ENTRY and one.name == self.attribute and one.flow in _UNCHANGED
            for one in self.trail.tensors
        )


_UNCHANGED = frozenset({Flow.SAME, Flow.MOVED, Flow.TO_CPU, Flow.CHECKED})


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """What one call of a method from outside does, all methods that it calls on the object included.

    Attributes:
        name: the method.
        owner: qualified name of the class in whose body it stands.
        uses: of the attributes that were asked about, in the order of the text.
        stores: the values that these attributes get.
        stopped: whether the method is too large, so that not all of it was followed.
    """

    name: str
    owner: str
    uses: tuple[Use, ...] = ()
    stores: tuple[Store, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """What becomes of some attributes of a class, by the methods that others call.

    Attributes:
        attributes: those that were asked about.
        methods: a summary for each method that may touch one of them.
    """

    attributes: frozenset[str] = frozenset()
    methods: tuple[MethodSummary, ...] = ()
    _uses: dict[str, tuple[Use, ...]] = field(default_factory=dict, compare=False, repr=False)

    def uses(self, attribute: str) -> tuple[Use, ...]:
        """Uses of the value that construction, or an earlier call, left in the attribute."""
        known = self._uses.get(attribute)
        if known is None:
            every = (use for method in self.methods for use in method.uses)
            known = self._uses[attribute] = tuple(use for use in every if use.attribute == attribute)
        return known

    def stores(self, attribute: str) -> tuple[Store, ...]:
        """What methods assign to the attribute."""
        return tuple(one for method in self.methods for one in method.stores if one.attribute == attribute)

    def by_entry(self, attribute: str) -> Mapping[str, tuple[Use, ...]]:
        """The uses by the method that somebody calls."""
        found: dict[str, list[Use]] = {}
        for use in self.uses(attribute):
            found.setdefault(use.entry, []).append(use)
        return {name: tuple(uses) for name, uses in found.items()}

    def was_followed(self, attribute: str) -> bool:
        """Whether the attribute was asked about and all methods were followed to their ends."""
        return attribute in self.attributes and not any(method.stopped for method in self.methods)
