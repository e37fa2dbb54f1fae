"""One run of one function body: evaluates its expressions and executes its statements over a state."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from regbuf_lint.infer.arguments import Arguments
from regbuf_lint.infer.construction_summaries import ConstructionSummary
from regbuf_lint.infer.expressions import EXPRESSIONS
from regbuf_lint.infer.external_calls import call_external
from regbuf_lint.infer.functions import run_function
from regbuf_lint.infer.recorder import Recorder
from regbuf_lint.infer.references import BuiltSubmodule, ExternalValue, FunctionValue, Instance, SelfValue, bound
from regbuf_lint.infer.state import State
from regbuf_lint.infer.statements import STATEMENTS
from regbuf_lint.infer.symbols import value_of_symbols
from regbuf_lint.model.class_view import Step
from regbuf_lint.model.value import UNKNOWN, Submodule, Unset, Value, is_only, join, map_tensors, without

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import Construction
    from regbuf_lint.model.trail import Trail

CallKey: TypeAlias = "tuple[object, ...]"

CALL = "call"
MOST_COST = 60_000
_ALWAYS = nullcontext()


class TooLarge(Exception):  # noqa: N818  (an outcome, not an error)
    """The object's construction takes more steps than is sensible to follow."""


class Meter:
    """Counts the expressions that one construction looks at."""

    __slots__ = ("cost",)

    def __init__(self) -> None:
        self.cost = 0

    def tick(self) -> None:
        """Count one.

        Raises:
            TooLarge: too many.
        """
        self.cost += 1
        if self.cost > MOST_COST:
            raise TooLarge


class Frame:
    """One function body under evaluation.

    Attributes:
        inference: what all frames share.
        scope: scope of the function, for names that are not its own.
        closure: locals of the functions around it.
        symbol: class of the object under construction, None outside of one.
        owner: class in whose body the function stands, None for plain functions.
        method: name of the function.
        recorder: where events go, None where nobody wants them.
        meter: counts the work.
        depth: number of calls around this one.
        place: how much work of the inference was under way when the outermost of these calls began.
        within: names of the methods, this one and those around it.
        loops: number of loops around the present statement.
        from_start: whether the object was followed from the start of its construction.
        quiet_gradient: number of ``torch.no_grad()`` blocks around the present statement.
        statement: the simple statement being executed.
        returned: values of the ``return`` statements reached so far.
        yielded: values of the ``yield`` expressions reached so far.
        exits: states at these returns.
        guards: tests of which one side has returned, with the first of its exits and the one behind its last.
        broken: per loop around the present statement, the states at its ``break`` and ``continue``.
        buffers: calls of ``nn.Buffer`` reached so far.
        closure_trails: where the locals of the functions around it come from, as far as that is followed.
        rounds: how often the body of a loop is run.
        passed: what the calls of classes reached so far pass, None where nobody wants to know.
        runs_body: whether the function's own statements run, and not one expression alone.
        registered: calls of ``register_buffer`` reached so far, with the numbers of their events.
    """

    def __init__(
        self,
        inference: Inference,
        scope: Scope,
        *,
        symbol: ClassSymbol | None = None,
        owner: ClassSymbol | None = None,
        recorder: Recorder | None = None,
        meter: Meter | None = None,
        depth: int = 0,
    ) -> None:
        self.inference = inference
        self.scope = scope
        self.closure: Mapping[str, Value] = {}
        self.symbol = symbol
        self.owner = owner
        self.method = getattr(scope.around_lambdas.node, "name", "")
        self.recorder = recorder
        self.meter = meter or Meter()
        self.depth = depth
        self.place = inference.memo.place
        self.within: frozenset[str] = frozenset()
        self.loops = 0
        self.quiet_gradient = 0
        self.from_start = False
        self.statement: ast.stmt | None = None
        self.returned: list[Value] = []
        self.yielded: list[Value] = []
        self.exits: list[State] = []
        self.guards: list[tuple[ast.expr, int, int]] = []
        self.broken: list[list[State]] = []
        self.registered: dict[ast.expr, int] = {}
        self.buffers: set[ast.expr] = set()
        self.closure_trails: Mapping[str, Trail] = {}
        self.rounds = 1
        self.passed: dict[ast.Call, list[Arguments]] | None = None
        self.runs_body = False

    def evaluate(self, node: ast.expr, state: State) -> Value:
        """What an expression can evaluate to; calls in it act on ``state``."""
        self.meter.tick()
        handler = EXPRESSIONS.get(type(node))
        return UNKNOWN if handler is None else handler(self, node, state)

    def execute(self, body: list[ast.stmt], state: State) -> None:
        """Run statements over ``state`` until its path ends."""
        for statement in body:
            if not state.alive:
                return
            handler = STATEMENTS.get(type(statement))
            if handler is not None:
                self.statement = statement
                handler(self, statement, state)

    def name(self, name: str, state: State) -> Value:
        """What a name stands for."""
        for names in (state.locals, self.closure):
            value = names.get(name)
            if value is not None:
                bound = without(value, Unset)
                return bound or UNKNOWN
        if self.runs_body and name in self.scope.bindings:
            return UNKNOWN  # a local that nothing has bound on the way here
        return self.global_name(name)

    def global_name(self, name: str) -> Value:
        """What a name stands for that no local binds."""
        return value_of_symbols(self, self.inference.project.lookup(self.scope, name))

    def elsewhere(self, scope: Scope) -> Frame:
        """A frame for an expression that stands outside of this function, in the file or class ``scope``."""
        inner = Frame(self.inference, scope, meter=self.meter, depth=self.depth + 1)
        inner.place = self.place
        return inner

    def called(self, function: FunctionValue) -> Frame:
        """A frame for the body of a function that is called from here."""
        name = getattr(function.scope.node, "name", "")
        bound = function.owner is not None and function.receiver is not None
        others = function.receiver is not None and is_only(function.receiver, Instance, Submodule)
        if bound and not others and self.recorder is not None and self.symbol is not None:
            self.recorder.called.add(name)
        inner = self.within_call(function)
        inner.place = self.place
        inner.runs_body = True
        inner.passed = self.passed
        inner.closure = function.closure
        inner.closure_trails = function.trails
        inner.within = self.within | {name} if bound and name not in self.within else self.within
        inner.loops = self.loops
        inner.quiet_gradient = self.quiet_gradient
        inner.from_start = self.from_start
        return inner

    def within_call(self, function: FunctionValue) -> Frame:
        """A new frame of the same kind for the body of a function."""
        return Frame(
            self.inference,
            function.scope,
            symbol=self.symbol,
            owner=function.owner,
            recorder=self.recorder,
            meter=self.meter,
            depth=self.depth + 1,
        )

    def recalled(self, key: CallKey) -> Value | None:
        """What a call gave before that gives the same wherever it stands; None where it is the first one."""
        return self.inference.memo.recalled(self.inference.summaries, key, CALL)

    def remembered(self, key: CallKey, work: object, run: Callable[[], Value]) -> Value:
        """What such a call gives, kept for the next one.

        Args:
            key: the function and what it is given.
            work: what is under way meanwhile.
            run: runs the body.
        """
        return self.inference.memo.found(self.inference.summaries, key, CALL, work, run)

    def summary(
        self, function: FunctionValue, owner: ClassSymbol, devices: Mapping[str, Value]
    ) -> ConstructionSummary | None:
        """What a method does to an object of its own class; None while that is being found out further up.

        Args:
            function: the method.
            owner: the class that it stands in.
            devices: those of its arguments that are devices; what the others are is left open.
        """
        return self.inference.memo.found_once(
            self.inference.construction_summaries,
            (function.scope, frozenset(devices.items())),
            "summary",
            lambda: self._follow_alone(function, owner, devices),
        )

    def _follow_alone(
        self, function: FunctionValue, owner: ClassSymbol, devices: Mapping[str, Value]
    ) -> ConstructionSummary:
        recorder, meter, state = Recorder(), Meter(), State()
        frame = Frame(self.inference, owner.scope, symbol=owner, owner=owner, recorder=recorder, meter=meter)
        alone = FunctionValue(function.scope, receiver=frozenset({SelfValue(owner)}), owner=owner)
        try:
            value = run_function(frame, alone, Arguments(keywords=dict(devices), starred=True), state)
        except (TooLarge, RecursionError):
            return ConstructionSummary(MOST_COST)
        called = frozenset(recorder.called)
        return ConstructionSummary(meter.cost, value, state.attributes, state.initialised, called, recorder.entries)

    def without_graph(self, value: Value) -> Value:
        """``value`` as it is where no gradient is recorded, if that is so here."""
        if not self.quiet_gradient:
            return value
        return map_tensors(value, lambda tensor: replace(tensor, derived=False))

    def call_value(self, callee: Value, positional: tuple[Value, ...], state: State) -> Value:
        """What calling a value gives; only functions that can be read and outside functions are followed."""
        arguments = Arguments(positional)
        found = [run_function(self, one, arguments, state) for one in callee if isinstance(one, FunctionValue)]
        found += [call_external(self, one.name, arguments) for one in callee if isinstance(one, ExternalValue)]
        return join(found) or UNKNOWN

    def call_method(
        self, owner: ClassSymbol, method: FunctionNode, positional: tuple[Value, ...], state: State
    ) -> None:
        """Call a method of the object under construction."""
        assert self.symbol is not None  # noqa: S101  (called for its attributes only)
        receiver: Value = frozenset({SelfValue(self.symbol)})
        function = bound(owner, method, receiver)
        run_function(self, function, Arguments(positional), state)

    def construct(self, symbol: ClassSymbol) -> Construction | None:
        """What constructing an object of another class does; None while that very class is being constructed."""
        return self.inference.constructor(self.inference, symbol)

    def as_argument(self, promised: Value, name: str) -> Value:
        """What an annotation promises, as the argument ``name``."""
        known = frozenset(replace(one, argument=True) if isinstance(one, BuiltSubmodule) else one for one in promised)
        return map_tensors(known, lambda tensor: replace(tensor, argument=name))

    # What is told to a frame that follows where values come from (infer/trace)

    @property
    def follows_arguments(self) -> bool:
        """Whether the answer to a call depends on where its arguments come from."""
        return False

    @property
    def follows_uses(self) -> bool:
        """Whether the body of each function that is called is to be run, since its uses count."""
        return False

    def aside(self, function: FunctionValue) -> Frame:  # noqa: ARG002  a frame that follows uses asks
        """The frame to call a function from that gets nothing of the object."""
        return self

    def assigned(self, target: ast.expr, source: ast.expr, state: State) -> None:
        """A target has got the value of an expression."""

    def iterated(self, target: ast.expr, iterable: ast.expr, state: State) -> None:
        """The target of a loop has got an element."""

    def changed(self, target: ast.expr, before: Value, operand: ast.expr, state: State) -> None:
        """``target += operand`` is about to run."""

    def decided(self, test: ast.expr) -> None:
        """Which way the run goes has been decided by an expression."""

    def compared(self, test: ast.Compare, state: State, *, truth: bool) -> None:
        """In ``state`` a comparison is known to have come out."""

    def branched(self, test: ast.expr, branches: tuple[State, State]) -> None:
        """Both branches of a test have been run."""

    def leaves(self, node: ast.expr, state: State) -> None:
        """The function returns or yields a value."""

    def passes(self, node: ast.Call | None, callee: Value) -> None:
        """A call is about to be followed; None where a getter or the like is run."""

    def makes(self, symbol: ClassSymbol, made: Value, arguments: Arguments, state: State) -> None:
        """A call makes an object of a class whose source is at hand."""

    def has_passed(self) -> None:
        """The functions that a call may mean have been followed."""

    def enters(self, inner: Frame, function: FunctionValue, local: State) -> None:
        """The body of a function is about to run in a frame of its own."""

    def left(self, inner: Frame) -> None:
        """That body has been run."""

    def maybe(self) -> AbstractContextManager[None]:
        """What runs within need not run whenever the function does."""
        return _ALWAYS

    def step(self, state: State) -> Step:
        """Where and when the present statement runs."""
        return Step(
            self.scope.file.span(self.statement or self.scope.statement),
            self.method,
            self.owner.name if self.owner is not None else "",
            self.symbol is not None and self.owner is not None and self.owner.scope is self.symbol.scope,
            state.initialised,
            self.within,
        )
