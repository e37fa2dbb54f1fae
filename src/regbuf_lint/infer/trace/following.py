"""Following the methods of a class that others call once its object is built."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.classes.definition import BUILDERS, takes_object
from regbuf_lint.classes.outside_uses import given_to_others, read_outside
from regbuf_lint.index.symbols import own_name
from regbuf_lint.infer.arguments import ANY_ARGUMENTS
from regbuf_lint.infer.construction import construct
from regbuf_lint.infer.frame import Meter, TooLarge
from regbuf_lint.infer.functions import run_function
from regbuf_lint.infer.references import FunctionValue, SelfValue, bound
from regbuf_lint.infer.state import State
from regbuf_lint.infer.trace.traced_frame import TracedFrame
from regbuf_lint.infer.trace.tracer import Tracer
from regbuf_lint.model.use import MethodSummary, Trace
from regbuf_lint.model.value import (
    UNKNOWN,
    Literal,
    NoneValue,
    Parameter,
    is_only,
    is_parameter_or_tensor,
    may_be,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import AttributeState

MOST_FAR_SUBCLASSES = 3
"""Subclasses in other files that are followed for the sake of one class."""


def traced(
    inference: Inference,
    built: ClassSymbol,
    subclasses: tuple[ClassSymbol, ...],
    attributes: frozenset[str],
    runs_later: Callable[[str], bool],
    at_end: Mapping[str, AttributeState],
) -> Trace:
    """What becomes of some attributes, found out once: several classes may ask it of the same objects.

    Args:
        inference: what all classes share.
        built: the class whose construction is known.
        subclasses: classes that inherit from the one that is looked at.
        attributes: those that somebody asks about.
        runs_later: whether a method of a name runs once the object is built.
        at_end: the attributes of a finished object.
    """
    names = frozenset[str]().union(*map(inference.function_names, (built, *subclasses)))
    key = (built, subclasses, attributes, frozenset(filter(runs_later, names)), Same(at_end))
    return inference.traces.found(
        key, lambda _: Follower(inference, built, subclasses, attributes, runs_later).trace(at_end)
    )


class Same:
    """What a mapping is known by among others: that it is the very same object."""

    def __init__(self, attributes: Mapping[str, AttributeState]) -> None:
        self._attributes = attributes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._attributes is other._attributes

    def __hash__(self) -> int:
        return id(self._attributes)


class Follower:
    """Follows the methods that others call on objects of a class and of its subclasses.

    Args:
        inference: what all classes share.
        built: the class whose construction is known.
        subclasses: classes that inherit from the one that is looked at.
        attributes: those that somebody asks about.
        runs_later: whether a method of a name runs once the object is built.
        tracer: makes what collects the uses of one method, given the attributes and the method's name.
        arguments: what the constructor is given, where it is one of the methods.
    """

    def __init__(
        self,
        inference: Inference,
        built: ClassSymbol,
        subclasses: Iterable[ClassSymbol],
        attributes: frozenset[str],
        runs_later: Callable[[str], bool],
        tracer: Callable[[frozenset[str], str], Tracer] = Tracer,
        arguments: Arguments = ANY_ARGUMENTS,
    ) -> None:
        self._inference = inference
        self._built = built
        self._subclasses = tuple(subclasses)
        self._attributes = attributes
        self._runs_later = runs_later
        self._tracer = tracer
        self._arguments = arguments
        self._visited: set[Scope] = set()
        self._meter = Meter()
        self._naming: dict[FileFacts, bool] = {}

    def trace(self, attributes: Mapping[str, AttributeState]) -> Trace:
        """What becomes of the attributes; ``attributes`` are those of a finished object of the class.

        Subclasses in other files have steps of their own, and what is too large there is left out, as are all but the
        first of them that touch an attribute: a class is followed to its end whoever inherits from it.
        """
        summaries = list(self._methods(self._built, attributes, self._inference.classes(self._built)))
        near = [one for one in self._subclasses if one.scope.file is self._built.scope.file]
        for subclass in near:
            summaries.extend(self._of_subclass(subclass, attributes))
        self._meter = Meter()
        far = (self._of_subclass(one, attributes) for one in self._subclasses if one not in near)
        touching = (several for one in far if (several := list(one)))
        for several in islice(touching, MOST_FAR_SUBCLASSES):
            summaries.extend(replace(one, stopped=False) for one in several)
        return Trace(self._attributes, tuple(summaries))

    def _of_subclass(self, subclass: ClassSymbol, attributes: Mapping[str, AttributeState]) -> Iterator[MethodSummary]:
        """Summaries of what a subclass adds or changes; it is not built where none of that touches an attribute."""
        touching = self._touching(subclass)
        owners = self._owners(subclass, touching)
        if touching.isdisjoint(node.name for owner in owners for node in self._inference.definition(owner).functions):
            return
        built = construct(self._inference, subclass)
        if built is not None:
            yield from self._methods(subclass, attributes, owners, built.attributes)

    def _owners(self, subclass: ClassSymbol, touching: frozenset[str]) -> tuple[ClassSymbol, ...]:
        """The classes whose methods do other things with an attribute on an object of a subclass.

        These are all where it replaces a method that touches one, or that such a method uses.
        """
        replaced = self._inference.replaced(subclass)
        read = self._inference.object_uses(subclass).read
        used = any(not touching.isdisjoint(read.get(name, ())) for name in replaced)
        return self._inference.classes(subclass) if used or not touching.isdisjoint(replaced) else (subclass,)

    def _methods(
        self,
        symbol: ClassSymbol,
        attributes: Mapping[str, AttributeState],
        owners: Iterable[ClassSymbol],
        own_attributes: Mapping[str, AttributeState] | None = None,
    ) -> Iterator[MethodSummary]:
        """Summaries of the methods of some classes that may touch an attribute, as an object of ``symbol`` has them.

        Those that no other method uses come first. How they use an attribute counts for what they have run on the way,
        too: with the arguments that it is given there.
        """
        every = ((owner, node) for owner in owners for node in self._inference.definition(owner).functions)
        found = [one for one in every if self._runs_later(one[1].name) and takes_object(one[1])]
        calling = [name for name, state in attributes.items() if may_be(state.value, FunctionValue)]
        touching = self._touching(symbol, calling) if found else frozenset[str]()
        found = [one for one in found if one[1].name in touching and self._is_meant(symbol, *one)]
        found = [one for one in found if not self._is_left_alone(symbol, one[1].name)]
        if not found:
            return
        used = self._used_by(symbol, {node.name for _, node in found})
        setting = self._setting(symbol)
        is_replaced = not setting <= BUILDERS
        at_entry = self._at_entry(symbol, {**attributes, **(own_attributes or {})}, asks_others=is_replaced)
        for owner, node in sorted(found, key=lambda one: one[1].name in used):
            known = owner.scope.child(node) in self._visited and not _is_protocol(node.name)
            if not known or node.name in setting:
                summary = self._summary(symbol, (owner, node), at_entry)
                yield replace(summary, uses=()) if known else summary

    def _is_meant(self, symbol: ClassSymbol, owner: ClassSymbol, node: FunctionNode) -> bool:
        """Whether a method is the one that its name means on an object, and not one that a subclass replaces."""
        method = self._inference.find_method(symbol, node.name)
        return method is None or method[1] is node or method[0] == owner

    def _is_left_alone(self, symbol: ClassSymbol, name: str) -> bool:
        """Whether nothing uses a method but methods that others take the place of, on an object of a class."""
        if name not in self._inference.object_uses(symbol).read:
            return False
        every = self._inference.classes(symbol)
        using = ((base, user) for base in every for user in self._inference.uses(base).read.get(name, ()))
        return not any(self._is_run(symbol, *one) for one in using)

    def _is_run(self, symbol: ClassSymbol, owner: ClassSymbol, method: str) -> bool:
        """Whether an object of a class may run a method as a base has it."""
        found = self._inference.find_method(symbol, method)
        if found is None or found[0] == owner:
            return True
        return not self._inference.is_free_of(symbol, frozenset({method}), ("super", own_name(owner)))

    def _touching(self, symbol: ClassSymbol, calling: Iterable[str] = ()) -> frozenset[str]:
        """Names of methods that may touch an attribute that somebody asks about, by themselves or through others.

        Args:
            symbol: the class.
            calling: attributes that hold functions, which may touch others.
        """
        uses = self._inference.object_uses(symbol)
        reached = self._computing(symbol) if uses.computing else set[str]()
        handing = uses.handing if uses.handing and self._is_read_by_others(symbol) else set[str]()
        reached |= handing
        pending = {*self._attributes, *handing}
        if not pending.isdisjoint(uses.by_inner):
            pending.update(calling)
        while pending:
            found = {method for name in pending for method in uses.users(name)}
            pending = found - reached
            reached |= found
        return frozenset(reached)

    def _computing(self, symbol: ClassSymbol) -> set[str]:
        """Methods that compute names, of the class and of bases beside which an attribute is named.

        Other bases compute names for all classes.
        """
        every = self._inference.classes(symbol)
        meant = (one for one in every if one == symbol or self._is_named(one, symbol))
        return {name for one in meant for name in self._inference.uses(one).computing}

    def _is_read_by_others(self, symbol: ClassSymbol) -> bool:
        """Whether a file of the class, or of its bases, reads an attribute from what is not the object of a method."""
        every = self._inference.classes(symbol)
        definitions = [self._inference.definition(one) for one in every]
        files = {one.scope.file for one in every}
        return any(read_outside(one.tree, definitions, name) for one in files for name in self._attributes)

    def _is_named(self, base: ClassSymbol, symbol: ClassSymbol) -> bool:
        """Whether the text of a class, or of its base, has the name of an attribute as a string."""
        return any(map(self._names_one, {base.scope.file, symbol.scope.file}))

    def _names_one(self, file: FileFacts) -> bool:
        """Whether a file has the name of an attribute as a string."""
        known = self._naming.get(file)
        if known is None:
            names = (f"{quote}{name}{quote}" for name in self._attributes for quote in "\"'")
            known = self._naming[file] = any(name in file.source.text for name in names)
        return known

    def _setting(self, symbol: ClassSymbol) -> frozenset[str]:
        """Names of methods that assign an attribute that somebody asks about."""
        stored = self._inference.object_uses(symbol).stored
        return frozenset(method for name in self._attributes for method in stored.get(name, ()))

    def _used_by(self, symbol: ClassSymbol, names: set[str]) -> set[str]:
        """Those of some methods that others of them use."""
        read = self._inference.object_uses(symbol).read
        return {name for name in names if read.get(name, set()) & (names - {name})}

    def _at_entry(
        self, symbol: ClassSymbol, built: Mapping[str, AttributeState], *, asks_others: bool
    ) -> dict[str, AttributeState]:
        """The attributes of an object that has been used: what other methods set may be anything by then.

        What others set is asked for only where methods replace what is looked at, for which such a flag may be. Of what
        is looked at, and may be a Parameter too, the Parameter hurts nobody.
        """
        stored = self._inference.object_uses(symbol).stored
        found = {}
        for name, known in built.items():
            is_set = any(map(self._runs_later, stored.get(name, ())))
            is_known = is_only(known.value, Literal, NoneValue)
            changes = is_known and (is_set or (asks_others and self._is_set_by_others(symbol, name)))
            value = known.value | UNKNOWN if changes else known.value
            if name in self._attributes and is_parameter_or_tensor(value):
                value = without(value, Parameter)
            found[name] = replace(known, trail=None, value=value)
        return found

    def _is_set_by_others(self, symbol: ClassSymbol, name: str) -> bool:
        """Whether methods of subclasses, or code outside of the class, assign an attribute, as a flag is set."""
        stores = (self._inference.uses(one).stored.get(name, set()) for one in self._subclasses)
        if any(one - BUILDERS for one in stores) or name in given_to_others(symbol.scope.file.tree):
            return True
        return self._inference.project.is_given(symbol.scope.file, name)

    def _summary(
        self, symbol: ClassSymbol, found: tuple[ClassSymbol, FunctionNode], at_entry: Mapping[str, AttributeState]
    ) -> MethodSummary:
        owner, node = found
        is_builder = node.name in BUILDERS
        tracer = self._tracer(self._attributes, node.name)
        frame = TracedFrame(tracer, self._inference, symbol.scope, symbol=symbol, owner=symbol, meter=self._meter)
        frame.calls_entry = True
        state = State(attributes={} if is_builder else tracer.at_entry(at_entry), initialised=True)
        arguments = self._arguments if is_builder else ANY_ARGUMENTS
        stopped = False
        try:
            run_function(frame, bound(owner, node, frozenset({SelfValue(symbol)})), arguments, state)
        except (TooLarge, RecursionError):
            stopped = True
        self._visited |= tracer.visited
        tensors = frozenset(tracer.tensors)
        return MethodSummary(
            node.name, owner.scope.qualname, tracer.uses, tracer.stores, tracer.moves, stopped, tensors
        )


def _is_protocol(name: str) -> bool:
    """Whether torch or Python calls a method of that name, whatever the class itself does."""
    return name == "forward" or (name.startswith("__") and name.endswith("__"))
