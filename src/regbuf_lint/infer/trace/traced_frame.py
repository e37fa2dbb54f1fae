"""A frame that follows where values come from, and tells a tracer what becomes of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.definition import BUILDERS, is_none
from regbuf_lint.classes.reaching import definition_of
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.infer.arguments import ANY_ARGUMENTS
from regbuf_lint.infer.frame import CALL, Frame
from regbuf_lint.infer.functions import MOST_DEPTH, run_function
from regbuf_lint.infer.references import BuiltSubmodule, ClassValue, FunctionValue, Instance, bound
from regbuf_lint.infer.trace.trail_kinds import trail_of_kind
from regbuf_lint.model.trail import NOWHERE, Flow, Origin, Source, Trail, merged
from regbuf_lint.model.value import TENSOR_KINDS, Sequence, is_only

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.frame import CallKey, Meter
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.infer.state import State
    from regbuf_lint.infer.trace.tracer import Tracer
    from regbuf_lint.model.value import Value


_FOLLOWED = (FunctionValue, Instance, BuiltSubmodule, ClassValue)
"""What a call may run whose source is at hand."""


class _Passed(Struct, frozen=True):
    """The trails of a call's arguments; ``owner`` is that of what a method is called of."""

    owner: Trail
    positional: tuple[Trail, ...]
    keywords: Mapping[str, Trail]
    rest: Trail | None

    @property
    def arguments(self) -> list[Trail]:
        return [*self.positional, *self.keywords.values(), *([self.rest] if self.rest is not None else [])]

    @property
    def every(self) -> list[Trail]:
        return [self.owner, *self.arguments]

    def key(self) -> CallKey:
        """A hashable form, equal where all trails are."""
        return (self.owner, self.positional, frozenset(self.keywords.items()), self.rest)

    def without_names(self) -> tuple[_Passed, dict[str, str]]:
        """The same with numbers for names, which only messages tell apart, and the name behind each number."""
        names = sorted(frozenset[str]().union(*(one.names for one in self.every)))
        numbers = {name: str(place) for place, name in enumerate(names)}
        renamed = _Passed(
            self.owner.renamed(numbers),
            tuple(one.renamed(numbers) for one in self.positional),
            {keyword: one.renamed(numbers) for keyword, one in self.keywords.items()},
            None if self.rest is None else self.rest.renamed(numbers),
        )
        return renamed, {number: name for name, number in numbers.items()}


class TracedCall(Struct, frozen=True):
    """What following a call shows that gets nothing of the object.

    Attributes:
        value: what it gives.
        result: where that comes from; None where the body does not tell.
        visited: the functions that were run.
    """

    value: Value
    result: Trail | None
    visited: frozenset[Scope]


class TracedFrame(Frame):
    """One function body under evaluation, with the origins of its values.

    Attributes:
        tracer: is told what becomes of values.
        trails: where the value of each expression came from when it was evaluated last.
        seen: what that value was.
        result: where the result of the call or getter came from that was followed last; None where none was.
        results: where the values come from that the body returns.
        is_entry: whether somebody outside calls the function.
        is_reached: whether each call of the entry that gets to its end runs the body.
        calls_entry: whether the next function that is called is one that somebody outside calls.
    """

    def __init__(
        self,
        tracer: Tracer,
        inference: Inference,
        scope: Scope,
        *,
        symbol: ClassSymbol | None = None,
        owner: ClassSymbol | None = None,
        meter: Meter | None = None,
        depth: int = 0,
    ) -> None:
        super().__init__(inference, scope, symbol=symbol, owner=owner, meter=meter, depth=depth)
        self.rounds = 2
        self.tracer = tracer
        self.trails: dict[ast.expr, Trail] = {}
        self.seen: dict[ast.expr, Value] = {}
        self.result: Trail | None = None
        self.results: list[Trail] = []
        self.is_entry = False
        self.is_reached = True
        self.calls_entry = False
        self._passed: _Passed | None = None

    @property
    def is_certain(self) -> bool:
        """Whether no ``return`` may have ended this function, or one around it, before."""
        return self.is_reached and not self.exits

    def evaluate(self, node: ast.expr, state: State) -> Value:
        """What an expression can evaluate to, and where that comes from."""
        value = super().evaluate(node, state)
        self.tracer.evaluated(self, node, value, state)
        if isinstance(node, (ast.Call, ast.Attribute)):
            self.result = None
        return value

    def value_of(self, node: ast.expr) -> Value:
        """What an expression was when it was evaluated last; nothing where it was not."""
        return self.seen.get(node, frozenset())

    def is_device(self, node: ast.expr) -> bool:
        """Whether an expression may be the device of something, or its number."""
        if not any(one.flow is Flow.PLACE for one in self.trails.get(node, NOWHERE).origins):
            return False
        given = definition_of(self.scope.node, node)
        return not (isinstance(given, ast.Attribute) and given.attr == "dtype")

    def within_call(self, function: FunctionValue) -> TracedFrame:
        """A new frame for the body of a function that tells the same tracer."""
        inner = TracedFrame(
            self.tracer,
            self.inference,
            function.scope,
            symbol=self.symbol,
            owner=function.owner,
            meter=self.meter,
            depth=self.depth + 1,
        )
        inner.is_reached = self.is_certain
        return inner

    @property
    def follows_uses(self) -> bool:
        """Whether bodies are run: always."""
        return True

    @property
    def follows_arguments(self) -> bool:
        """Whether some argument of the present call is an attribute that somebody asks about."""
        given = self._passed.every if self._passed is not None else []
        return any(one.source is Source.ENTRY for trail in given for one in trail.origins)

    def aside(self, function: FunctionValue) -> Frame:
        """A plain one for a part of the object: what that gives comes from the part, whatever is computed in it."""
        if not function.receiver or not is_only(function.receiver, BuiltSubmodule):
            return self
        frame = Frame(self.inference, self.scope, meter=self.meter, depth=self.depth)
        frame.place = self.place
        frame.loops = self.loops
        frame.quiet_gradient = self.quiet_gradient
        return frame

    def recalled(self, key: CallKey) -> Value | None:
        """What a call gave before that was given the same, from the same places by whatever name."""
        passed, names = self._anonymous()
        known = self.inference.memo.recalled(self.inference.traced_calls, _key(key, passed), CALL)
        return None if known is None else self._taken(known, names)

    def remembered(self, key: CallKey, work: object, run: Callable[[], Value]) -> Value:
        """What such a call gives, and where that comes from, kept for the next one."""
        passed, names = self._anonymous()

        def follow() -> TracedCall:
            outside = self.result, self._passed, self.tracer.visited
            self.result, self._passed, self.tracer.visited = None, passed, set()
            try:
                value = run()
                return TracedCall(value, self.result, frozenset(self.tracer.visited))
            finally:
                self.result, self._passed, self.tracer.visited = outside

        found = self.inference.memo.found(self.inference.traced_calls, _key(key, passed), CALL, work, follow)
        return self._taken(found, names)

    def _anonymous(self) -> tuple[_Passed | None, Mapping[str, str]]:
        return self._passed.without_names() if self._passed is not None else (None, {})

    def _taken(self, found: TracedCall, names: Mapping[str, str]) -> Value:
        self.tracer.visited |= found.visited
        if found.result is not None:
            self._results_in(found.result.renamed(names))
        return found.value

    def _results_in(self, trail: Trail) -> None:
        """A function that the present call may mean has given a value from there."""
        self.result = trail if self.result is None else merged([self.result, trail])

    def assigned(self, target: ast.expr, source: ast.expr, state: State) -> None:
        """A target has got the value of an expression."""
        self.tracer.assigned(self, target, self.trails.get(source, NOWHERE), state)

    def iterated(self, target: ast.expr, iterable: ast.expr, state: State) -> None:
        """The target of a loop has got an element."""
        self.tracer.assigned(self, target, self.trails.get(iterable, NOWHERE).element, state)

    def changed(self, target: ast.expr, before: Value, operand: ast.expr, state: State) -> None:
        """``target += operand`` is about to run."""
        self.tracer.changed(self, target, before, operand, state)

    def decided(self, test: ast.expr) -> None:
        """Which way the run goes has been decided by an expression."""
        self.tracer.decided(self, test)

    def compared(self, test: ast.Compare, state: State, *, truth: bool) -> None:
        """In ``state`` a comparison is known to have come out."""
        self.tracer.compared(self, test, state, truth=truth)

    def branched(self, test: ast.expr, branches: tuple[State, State]) -> None:
        """Both branches of a test have been run."""
        self.tracer.branched(self, test, branches)

    def leaves(self, node: ast.expr, state: State) -> None:
        """The function returns or yields a value."""
        trail = self.trails.get(node, NOWHERE)
        self.results.append(trail)
        if self.is_entry:
            self.tracer.returned(self, node)
            self.run_later(self.value_of(node), state)

    def passes(self, node: ast.Call | None, callee: Value) -> None:
        """A call is about to be followed; None where a getter or the like is run."""
        self.result = None
        self._passed = None
        if node is None or not any(isinstance(one, _FOLLOWED) for one in callee):
            return
        first = next((at for at, one in enumerate(node.args) if isinstance(one, ast.Starred)), len(node.args))
        positional = tuple(self.trails.get(one, NOWHERE) for one in node.args[:first])
        keywords = {one.arg: self.trails.get(one.value, NOWHERE) for one in node.keywords if one.arg is not None}
        more: list[ast.expr | ast.keyword] = [*node.args[first:], *(one for one in node.keywords if one.arg is None)]
        rest = merged(map(self._given_anywhere, more)) if more else None
        self._passed = _Passed(self._tuple_called(node.func), positional, keywords, rest)

    def _given_anywhere(self, node: ast.expr | ast.keyword) -> Trail:
        """The trail of what any parameter may get: elements of ``*values`` or ``**values``, and all behind a star."""
        if isinstance(node, (ast.Starred, ast.keyword)):
            return self.trails.get(node.value, NOWHERE).element
        return self.trails.get(node, NOWHERE)

    def _tuple_called(self, function: ast.expr) -> Trail:
        """The trail of the named tuple whose method is called; what else has methods has its parts to itself."""
        owner = function.value if isinstance(function, ast.Attribute) else None
        if owner is None or not is_only(self.value_of(owner), Sequence):
            return NOWHERE
        return self.trails.get(owner, NOWHERE)

    def makes(self, symbol: ClassSymbol, made: Value, arguments: Arguments, state: State) -> None:
        """A call makes an object: a plain one that keeps nothing of what it is given has done what it does with it."""
        found = self._constructor(symbol) if self.follows_arguments else None
        if found is None or self._passed is None:
            return
        outside = self.result
        with self.tracer.aside() as uses:
            run_function(self, bound(*found, made), arguments, state.copy())
        self.result = outside
        if not any(use.may_be_held for use in uses.values()):
            self.tracer.take(uses)
            self._results_in(merged(Trail(one.origins) for one in self._passed.arguments).guessed())

    def _constructor(self, symbol: ClassSymbol) -> tuple[ClassSymbol, FunctionNode] | None:
        """The constructor of a class that is no nn.Module class, if it can be run."""
        if self.inference.hierarchy.membership(symbol).verdict is not Verdict.NO or self.depth >= MOST_DEPTH:
            return None
        found = self.inference.find_method(symbol, "__init__")
        return None if found is None or self._is_running(found[0].scope.child(found[1])) else found

    def has_passed(self) -> None:
        """The functions that a call may mean have been followed."""
        self._passed = None

    def enters(self, inner: Frame, function: FunctionValue, local: State) -> None:
        """The body of a function is about to run in a frame of its own."""
        self.tracer.visited.add(function.scope)
        arguments = getattr(function.scope.node, "args", None)
        if not isinstance(arguments, ast.arguments):
            return
        if isinstance(inner, TracedFrame):
            inner.is_entry, self.calls_entry = self.calls_entry, False
        given = self._given(arguments, function)
        for name, value in local.locals.items():
            trail = given.get(name)
            if trail is None:
                trail = NOWHERE if self._passed is not None else _of_argument(name, value)
            local.trails[name] = trail_of_kind(trail, value)

    def _given(self, arguments: ast.arguments, function: FunctionValue) -> dict[str, Trail]:
        """The trails of the arguments that are passed, by name."""
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        found: dict[str, Trail] = {}
        if function.receiver is not None and names:
            found[names.pop(0)] = self._passed.owner if self._passed is not None else NOWHERE
        if self._passed is None:
            return found
        found |= dict(zip(names, self._passed.positional, strict=False)) | dict(self._passed.keywords)
        every = merged(Trail(one.origins) for one in (NOWHERE, *self._passed.arguments))
        if self._passed.rest is not None:
            found = dict.fromkeys((*names, *(one.arg for one in arguments.kwonlyargs)), every) | found
        more = (arguments.vararg, arguments.kwarg)
        return {**found, **{one.arg: every for one in more if one is not None}}

    def left(self, inner: Frame) -> None:
        """The body of a function has been run."""
        if isinstance(inner, TracedFrame) and (inner.results or not _promises_result(inner)):
            self._results_in(merged(inner.results) if inner.results else NOWHERE)

    def maybe(self) -> AbstractContextManager[None]:
        """What runs within need not run whenever the function does."""
        return self.tracer.maybe()

    def may_name(self, attribute: str) -> bool:
        """Whether a name that is computed here may be that of an attribute, as the text of two files tells."""
        files = {self.scope.file, *([self.symbol.scope.file] if self.symbol is not None else [])}
        return any(f"{quote}{attribute}{quote}" in file.source.text for file in files for quote in "\"'")

    def run_later(self, value: Value, state: State) -> None:
        """Functions that somebody keeps or is given run at some time, with arguments that nobody knows.

        A constructor is asked for its arguments, and does not build an object that is there.
        """
        result, passed, calls_entry = self.result, self._passed, self.calls_entry
        self._passed = None
        with self.tracer.maybe():
            for one in value:
                if isinstance(one, FunctionValue) and self._may_run(one):
                    self.calls_entry = True  # somebody else gets what it returns
                    run_function(self, one, ANY_ARGUMENTS, state.copy())
        self.result, self._passed, self.calls_entry = result, passed, calls_entry

    def _may_run(self, function: FunctionValue) -> bool:
        is_builder = getattr(function.scope.node, "name", "") in BUILDERS
        return not is_builder and not self._is_running(function.scope)

    def _is_running(self, function: Scope) -> bool:
        return self.inference.memo.is_working((function, "running"))


def _key(key: CallKey, passed: _Passed | None) -> CallKey:
    return (*key, None if passed is None else passed.key())


def _promises_result(frame: Frame) -> bool:
    """Whether a function says that it returns something, so that one that returns nothing has to be replaced."""
    returns = getattr(frame.scope.node, "returns", None)
    return returns is not None and not is_none(returns)


def _of_argument(name: str, value: Value) -> Trail:
    """The trail of an argument that somebody outside gives."""
    return Trail(frozenset({Origin(Source.PARAMETER, name, declared=is_only(value, *TENSOR_KINDS))}))
