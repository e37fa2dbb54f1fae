"""The hooks by which the interpreter tells where values come from, while methods run that others call."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.classes.definition import BUILDERS
from regbuf_lint.index.tree import walk
from regbuf_lint.infer.dimensions import parts_of_index
from regbuf_lint.infer.references import SelfValue
from regbuf_lint.infer.state import trail_at_entry
from regbuf_lint.infer.strings import is_string
from regbuf_lint.infer.trace.expressions import trail_of
from regbuf_lint.infer.trace.trail_kinds import left_items, trail_of_kind, without_tensors
from regbuf_lint.model.class_view import AttributeState
from regbuf_lint.model.trail import NOWHERE, Cast, Flow, Origin, Source, Trail, made
from regbuf_lint.model.use import MEETING, Move, Sink, Store, Use
from regbuf_lint.model.value import (
    TENSOR_KINDS,
    Array,
    Literal,
    Mapping,
    NoneValue,
    Other,
    Sequence,
    Unknown,
    holds_numbers,
    is_number,
    is_only,
    may_be,
)

if TYPE_CHECKING:
    from collections import abc
    from collections.abc import Iterable, Iterator

    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.infer.state import State
    from regbuf_lint.infer.trace.traced_frame import TracedFrame
    from regbuf_lint.model.value import Value


class Tracer:
    """Collects what one method, and all that it calls, does with some attributes of the object.

    Args:
        attributes: those that somebody asks about.
        entry: name of the method that is called from outside.

    Attributes:
        tensors: unknown values that are used as nothing but a tensor can be used.
    """

    def __init__(self, attributes: frozenset[str], entry: str) -> None:
        self.attributes = attributes
        self.entry = entry
        self.tensors: set[Origin] = set()
        self._uses: dict[tuple[object, ...], Use] = {}
        self._stores: dict[tuple[object, ...], Store] = {}
        self._moves: dict[Move, None] = {}
        self._conditions = 0
        self.visited: set[Scope] = set()

    @property
    def uses(self) -> tuple[Use, ...]:
        """The uses so far, in the order of the text."""
        return tuple(sorted(self._uses.values(), key=lambda use: (str(use.path), use.span)))

    @property
    def stores(self) -> tuple[Store, ...]:
        """What the attributes were given so far."""
        return tuple(self._stores.values())

    @property
    def moves(self) -> tuple[Move, ...]:
        """What was moved by hand so far."""
        return tuple(self._moves)

    @contextmanager
    def aside(self) -> Iterator[dict[tuple[object, ...], Use]]:
        """The uses that are noted within, which do not count unless they are taken."""
        outside, self._uses = self._uses, {}
        try:
            yield self._uses
        finally:
            self._uses = outside

    def take(self, uses: abc.Mapping[tuple[object, ...], Use]) -> None:
        """Let uses count that were noted aside."""
        for key, use in uses.items():
            self._add(key, use)

    # What the interpreter tells

    def at_entry(self, attributes: abc.Mapping[str, AttributeState]) -> abc.Mapping[str, AttributeState]:
        """The attributes as the method finds them, by those that the object has."""
        return attributes

    def evaluated(self, frame: TracedFrame, node: ast.expr, value: Value, state: State) -> None:
        """An expression has been evaluated, its parts before it."""
        frame.trails[node] = trail_of_kind(trail_of(self, frame, node, value, state), value)
        frame.seen[node] = value

    def assigned(self, frame: TracedFrame, target: ast.expr, trail: Trail, state: State) -> None:
        """A target has got its value."""
        if isinstance(target, ast.Name):
            value = state.locals.get(target.id, frozenset())
            state.trails[target.id] = trail_of_kind(trail, value)
            if is_number(value):
                self.use(frame, left_items(trail), Sink.HOST, target)
        elif isinstance(target, ast.Starred):
            self.assigned(frame, target.value, trail, state)
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = next((i for i, one in enumerate(target.elts) if isinstance(one, ast.Starred)), len(target.elts))
            for index, one in enumerate(target.elts):
                place = index if index < starred else index - len(target.elts)
                self.assigned(frame, one, trail.element if index == starred else trail.item(place), state)
        elif isinstance(target, ast.Attribute):
            self._attribute_assigned(frame, target, trail, state)
        elif isinstance(target, ast.Subscript):
            self._item_assigned(frame, target, trail, state)

    def changed(self, frame: TracedFrame, target: ast.expr, value: Value, operand: ast.expr, state: State) -> None:
        """``target += operand``, which changes a tensor in place, which is ``value`` before."""
        trail = frame.trails.get(operand, NOWHERE)
        if holds_numbers(value):  # takes nothing but numbers, and one on the CPU goes with tensors of any device
            on_cpu = frozenset(one for one in trail.origins if one.on_cpu)
            self.use(frame, Trail(on_cpu), Sink.HOST, operand)
            trail = Trail(trail.origins - on_cpu)
        before = self.now(frame, target, state)
        if is_only(value, Sequence, Mapping):
            self._extended(frame, target, before, trail, state)
            return
        self.use(frame, before, Sink.MUTATED, target, trail.tensors)
        self.meet(frame, target, [before, trail])
        if isinstance(target, ast.Name) and trail.tensors:
            state.trails[target.id] = self.changed_in_place(before, trail.tensors)

    def _extended(self, frame: TracedFrame, target: ast.expr, before: Trail, added: Trail, state: State) -> None:
        """``target += added``, where the target is a list or dict."""
        self.use(frame, without_tensors(before, state), Sink.MUTATED, target, added.tensors)
        self.use(frame, added, Sink.STORED, target, callee=ast.unparse(target))
        if isinstance(target, ast.Name):
            state.trails[target.id] = Trail(before.origins | added.tensors)

    def changed_in_place(self, before: Trail, added: frozenset[Origin], *, is_copied: bool = False) -> Trail:
        """The trail of a tensor into which others were computed in place, or copied; it lies where it did.

        What is new and beside it, as an index, does not say where that is.
        """
        follows = is_copied or any(origin.follows for origin in before.origins)
        known = (one for one in added if one.source is not Source.FRESH)
        return Trail(before.origins | frozenset(_joined(one) if follows else one.then(Flow.COMPUTED) for one in known))

    def decided(self, frame: TracedFrame, test: ast.expr) -> None:
        """A value has been asked whether it is true."""
        self.use(frame, frame.trails.get(test, NOWHERE), Sink.HOST, test)

    def returned(self, frame: TracedFrame, node: ast.expr) -> None:
        """The method gives a value to whoever has called it."""
        self.use(frame, frame.trails.get(node, NOWHERE), Sink.RETURNED, node)

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """What runs now need not run whenever the method does."""
        self._conditions += 1
        try:
            yield
        finally:
            self._conditions -= 1

    def compared(self, frame: TracedFrame, test: ast.Compare, state: State, *, truth: bool) -> None:
        """A comparison is known to have come out; that of two devices says where the attribute lies."""
        if not isinstance(test.ops[0], ast.Eq if truth else ast.NotEq):
            return
        for name in self._compared_attributes(frame, [test.left, *test.comparators]):
            self._check(name, state)

    def branched(self, frame: TracedFrame, test: ast.expr, branches: abc.Sequence[State]) -> None:
        """Two branches of a comparison of devices meet: what one of them replaces, the other has found in place."""
        compared = self._compared_attributes(frame, [one for one in walk(test) if isinstance(one, ast.expr)])
        if not compared or len(branches) != 2:  # noqa: PLR2004
            return
        first, second = branches
        names = (name for name in self.attributes if name in first.attributes and name in second.attributes)
        replaced = {name for name in names if first.attributes[name].trail != second.attributes[name].trail}
        if compared & replaced:
            for name in replaced:
                for branch in branches:
                    self._check(name, branch)

    # What the trails are

    def attribute(self, name: str, state: State) -> Trail:
        """The trail of an attribute of the object as it is now."""
        return trail_at_entry(name, state.attribute(name))

    def now(self, frame: TracedFrame, node: ast.expr, state: State) -> Trail:
        """The trail of the value of a target before it is changed."""
        if isinstance(node, ast.Name):
            return state.trails.get(node.id, NOWHERE)
        if isinstance(node, ast.Attribute) and is_self(frame, node.value):
            return self.attribute(node.attr, state)
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            return self.now(frame, node.value, state)
        return frame.trails.get(node, NOWHERE)

    # What is noted

    def use(
        self,
        frame: TracedFrame,
        trail: Trail,
        sink: Sink,
        node: ast.expr | ast.stmt,
        partners: frozenset[Origin] = frozenset(),
        callee: str = "",
    ) -> None:
        """Note that the value of a trail ends in a sink; only attributes that somebody asks about count."""
        for origin in filter(self.is_asked_about, trail.origins):
            if origin.flow is Flow.JOINED and sink is Sink.MEETS:
                others = _made_beside(trail, _others(origin, partners))
            elif origin.is_tensor or (origin.flow, sink) in _ASKED_OF_NO_TENSOR:
                others = _others(origin, partners)
            else:
                continue
            end = self._changing(origin) if sink is Sink.MUTATED else sink
            is_alone = not others and (sink in MEETING or (sink is Sink.INDEX and bool(partners)))
            if end is not None and not is_alone:
                self._note(frame, origin, end, node, others, callee)

    def is_asked_about(self, origin: Origin) -> bool:
        """Whether an origin is an attribute which somebody asks about."""
        return origin.source is Source.ENTRY and origin.name in self.attributes

    def moved(self, frame: TracedFrame, trail: Trail, node: ast.expr) -> None:
        """Note that the value of a trail is moved by hand."""
        file = frame.scope.file
        for origin in filter(self.is_asked_about, trail.origins):
            if origin.is_tensor:
                self._moves[Move(origin.name, frame.method, file.span(node), file.path)] = None

    def _changing(self, origin: Origin) -> Sink | None:
        """What a change in place is to the attribute that a value is made of; nothing where that has memory of its own.

        What has been moved into the attribute is the attribute's value since.
        """
        if origin.flow in _SHARING:
            return None if origin.computed else Sink.MUTATED
        if origin.flow is not Flow.MOVED or origin.changed:
            return None
        is_own = any(one.attribute == origin.name and one.only_moves for one in self._stores.values())
        return Sink.MUTATED if is_own else Sink.MUTATED_COPY

    def overwritten(self, state: State, trail: Trail) -> Trail:
        """Note that all numbers of a value are replaced; gives its trail after that."""
        if len(trail.origins) != 1:
            return trail
        name = next(iter(trail.origins)).name
        known = state.attribute(name)
        if trail.refilled(name) is not trail:
            state.attributes[name] = AttributeState(
                known.value, known.writes, self.attribute(name, state).refilled(name)
            )
            state.trails.update({one: held.refilled(name) for one, held in state.trails.items()})
        return trail.refilled(name)

    def takes_tensor(self, frame: TracedFrame, node: ast.expr) -> None:
        """Note that an expression stands where nothing but a tensor can stand."""
        origins = frame.trails.get(node, NOWHERE).origins
        if len(origins) == 1 and is_only(frame.value_of(node), Unknown, NoneValue):
            self.tensors.update(replace(one, flow=Flow.SAME, cast=Cast.NONE) for one in origins if self._is_whole(one))

    def _is_whole(self, one: Origin) -> bool:
        """Whether an attribute that is asked about, or an argument of the constructor, is a tensor if this is one."""
        asked = one.name in self.attributes if one.source is Source.ENTRY else self.entry in BUILDERS
        return asked and one.source in {Source.ENTRY, Source.PARAMETER} and one.flow in _WHOLE

    def meet(
        self, frame: TracedFrame, node: ast.expr | ast.stmt, trails: abc.Sequence[Trail], callee: str = ""
    ) -> Trail:
        """Note that several values are computed together; gives the trail of the result."""
        for index, trail in enumerate(trails):
            if not any(one.source is Source.ENTRY for one in trail.origins):
                continue
            others = frozenset[Origin]().union(*(one.tensors for place, one in enumerate(trails) if place != index))
            if others:
                self._meet_one(frame, trail, node, others, callee)
        if any(_is_brought_to_cpu(one) for one in trails):
            trails = [_met_on_cpu(one) for one in trails]
        following = [any(origin.follows for origin in one.origins) for one in trails]
        result: set[Origin] = set()
        for index, trail in enumerate(trails):
            follows = any(one for place, one in enumerate(following) if place != index)
            result |= {_joined(one) if follows else one.then(Flow.COMPUTED) for one in trail.origins}
        return Trail(frozenset(result))

    def _meet_one(
        self, frame: TracedFrame, trail: Trail, node: ast.expr | ast.stmt, others: frozenset[Origin], callee: str
    ) -> None:
        names = {one.name for one in trail.origins if one.source is Source.ENTRY}
        if any(one.source is not Source.ENTRY or one.name not in names for one in others) or len(names) > 1:
            self.use(frame, trail, Sink.MEETS, node, others, callee)

    def _note(
        self,
        frame: TracedFrame,
        origin: Origin,
        sink: Sink,
        node: ast.expr | ast.stmt,
        partners: frozenset[Origin],
        callee: str,
    ) -> None:
        span = frame.scope.file.span(node)
        path = frame.scope.file.path
        key = (origin.name, sink, origin.flow, path, span)
        certain = not self._conditions and frame.is_certain
        is_cast = origin.cast is not Cast.NONE
        use = Use(
            origin.name,
            sink,
            origin.flow,
            self.entry,
            frame.method,
            span,
            path,
            partners,
            callee,
            certain,
            origin.refilled,
            origin.guessed,
            is_cast,
        )
        self._add(key, use)

    def _add(self, key: tuple[object, ...], use: Use) -> None:
        """Note a use; what is noted again at the same place is one use."""
        known = self._uses.get(key)
        self._uses[key] = use if known is None else known.joined(use)

    def _attribute_assigned(self, frame: TracedFrame, target: ast.Attribute, trail: Trail, state: State) -> None:
        if not is_self(frame, target.value):
            owner = self.now(frame, target.value, state)
            sink = Sink.MUTATED if target.attr in SAME_STORAGE else Sink.METADATA
            self.use(frame, owner, sink, target, trail.tensors)
            self.use(frame, trail, Sink.STORED, target, callee=ast.unparse(target))
            return
        self.stored(frame, target.attr, trail, state, target)

    def stored(self, frame: TracedFrame, name: str, trail: Trail, state: State, node: ast.expr | ast.stmt) -> None:
        """Note that an attribute of the object gets a value."""
        known = state.attribute(name)
        trail = trail_of_kind(trail, known.value)
        others = Trail(frozenset(one for one in trail.origins if not (one.source is Source.ENTRY and one.name == name)))
        self.use(frame, others, Sink.STORED, node, callee=name)
        if name in self.attributes:
            span = frame.scope.file.span(frame.statement or node)
            path = frame.scope.file.path
            certain = not self._conditions and frame.is_certain
            self._stores[name, path, span] = Store(
                name, self.entry, frame.method, span, path, trail, known.value, certain
            )
        if self.entry in BUILDERS and name in self.attributes:
            trail = made(Source.ENTRY, name)
        state.attributes[name] = AttributeState(known.value, known.writes, trail)

    def _item_assigned(self, frame: TracedFrame, target: ast.Subscript, trail: Trail, state: State) -> None:
        owner = self.now(frame, target.value, state)
        index = frame.trails.get(target.slice, NOWHERE)
        if is_only(frame.value_of(target.value), Array):
            self.use(frame, index, Sink.NUMPY, target)
            self.use(frame, trail, Sink.NUMPY, target)
            return
        is_copied = _takes_copies(frame, target)
        has_names = is_string(frame.value_of(target.slice))
        is_container = has_names or is_only(frame.value_of(target.value), Sequence, Mapping)
        changed = without_tensors(owner, state) if is_container else owner
        self.use(frame, changed, Sink.MUTATED, target, trail.tensors | index.tensors)
        self.use(frame, index, Sink.INDEX, target, owner.tensors)
        if owner.tensors and not is_container:
            self.use(frame, trail, Sink.COPIED if is_copied else Sink.MEETS, target, owner.tensors)
        else:
            self.use(frame, trail, Sink.STORED, target, callee=ast.unparse(target.value))
        root = target.value
        while isinstance(root, ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name) and trail.tensors:
            before = state.trails.get(root.id, NOWHERE)
            if is_only(state.locals.get(root.id, frozenset()), Sequence, Mapping):
                state.trails[root.id] = Trail(before.origins | trail.tensors)
            else:
                state.trails[root.id] = self.changed_in_place(before, trail.tensors, is_copied=is_copied)

    def _compared_attributes(self, frame: TracedFrame, nodes: Iterable[ast.expr]) -> frozenset[str]:
        """Attributes whose device is compared with that of something that follows the object or comes in."""
        origins = frozenset[Origin]().union(*(frame.trails.get(one, NOWHERE).origins for one in nodes))
        places = [one for one in origins if one.flow is Flow.PLACE]
        if not any(one.source in {Source.PARAMETER, Source.OBJECT} for one in places):
            return frozenset()
        return frozenset(one.name for one in places if one.source is Source.ENTRY)

    def _check(self, name: str, state: State) -> None:
        known = state.attribute(name)
        trail = self.attribute(name, state)
        own = {one for one in trail.origins if one.source is Source.ENTRY and one.name == name}
        checked = frozenset(one.then(Flow.CHECKED) if one in own else one for one in trail.origins)
        state.attributes[name] = AttributeState(known.value, known.writes, Trail(checked))


def _others(origin: Origin, partners: frozenset[Origin]) -> frozenset[Origin]:
    """The partners that are something else; what may also be made in the attribute's place goes with it."""
    own = frozenset(one for one in partners if one.source is Source.ENTRY and one.name == origin.name)
    return frozenset(one for one in partners - own if not (own and one.on_cpu))


def _made_beside(trail: Trail, partners: frozenset[Origin]) -> frozenset[Origin]:
    """What a method makes on the CPU and computes with what it has computed of an attribute and of its arguments.

    Where these are numbers, the attribute has to lie there as well.
    """
    made = frozenset(one for one in partners if one.source is Source.FRESH and one.on_cpu)
    if not made:
        return made
    others = (one for one in trail.origins | partners if one.source is not Source.ENTRY)
    return made if all(_may_be_number(one) or (one.on_cpu and not one.moved) for one in others) else frozenset()


def _may_be_number(one: Origin) -> bool:
    """Whether an argument may be a number, or a new value is one, for all that is known."""
    if one.source is Source.PARAMETER:
        return one.is_tensor and not (one.moved or one.declared or one.flow is Flow.BESIDE)
    return one.source is Source.FRESH and one.name == "number"


def _takes_copies(frame: TracedFrame, target: ast.Subscript) -> bool:
    """Whether what is assigned to an item is copied into a tensor, from whatever device: a row, or a slice.

    An index that is a tensor, or a list, demands a value on its own device.
    """
    parts = parts_of_index(frame.value_of(target.slice), target.slice)
    has_slice = any(isinstance(one, ast.Slice) for one, _ in parts)
    if not has_slice and not may_be(frame.value_of(target.value), *TENSOR_KINDS):
        return False
    return all(isinstance(one, ast.Slice) or is_only(value, Literal, Other, NoneValue) for one, value in parts)


def _joined(one: Origin) -> Origin:
    """What has been computed with something that follows the object lies where that does, or the call has failed."""
    return one.then(Flow.JOINED if one.source is Source.ENTRY and one.is_tensor else Flow.COMPUTED)


def _is_brought_to_cpu(trail: Trail) -> bool:
    return bool(trail.tensors) and all(one.flow is Flow.TO_CPU for one in trail.tensors)


def _met_on_cpu(trail: Trail) -> Trail:
    """What has been computed with something that was moved to the CPU lies there, too, or the call has failed."""
    return Trail(frozenset(one.then(Flow.TO_CPU) if one.source is Source.PARAMETER else one for one in trail.origins))


_ASKED_OF_NO_TENSOR = frozenset({(Flow.METADATA, Sink.EMPTINESS), (Flow.PLACE, Sink.PLACE)})
"""What counts as a use although the value is no tensor itself."""

_WHOLE = frozenset({Flow.SAME, Flow.MOVED, Flow.TO_CPU, Flow.CHECKED})
"""How a value got there that is a tensor where the attribute's is one."""

_SHARING = frozenset({Flow.SAME, Flow.ELEMENT, Flow.CHECKED})
"""How a value got there that still shares the memory of the attribute's."""

SAME_STORAGE = frozenset({"data", "real", "imag", "T", "mT"})
"""Attributes of a tensor that give another view of its elements."""


def is_self(frame: TracedFrame, node: ast.expr) -> bool:
    """Whether an expression that has been evaluated is the object."""
    return any(isinstance(one, SelfValue) for one in frame.value_of(node))
