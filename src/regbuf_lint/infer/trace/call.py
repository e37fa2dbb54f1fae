"""One call whose callee is not followed, and what becomes of what it is given to where nobody looks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.definition import is_name, receiver_name
from regbuf_lint.index.known_classes import holds_no_tensors
from regbuf_lint.index.symbols import own_name
from regbuf_lint.infer.references import (
    BuiltSubmodule,
    ExternalValue,
    Instance,
    PartialCall,
    SelfValue,
)
from regbuf_lint.model.trail import NOWHERE, Flow, Origin, Source, Trail, made, merged
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import Submodule, tensors

if TYPE_CHECKING:
    from regbuf_lint.infer.state import State
    from regbuf_lint.infer.trace.traced_frame import TracedFrame
    from regbuf_lint.infer.trace.tracer import Tracer
    from regbuf_lint.model.value import Value


class Call(Struct, frozen=True):
    """One call whose callee is not followed.

    Attributes:
        tracer: collects the uses.
        frame: where it stands.
        node: the call.
        state: what is known there.
        callee: the values of what is called.
        result: what it gives.
    """

    tracer: Tracer
    frame: TracedFrame
    node: ast.Call
    state: State
    callee: Value
    result: Value

    @property
    def name(self) -> str:
        """What is called: the dotted name of what is imported, else what the text says."""
        names = self.external_names
        return names[0].removeprefix("builtins.") if names else ast.unparse(self.node.func)

    @property
    def external_names(self) -> list[str]:
        """The dotted names of what is called and imported; several where branches choose one."""
        return sorted(one.name for one in self.callee if isinstance(one, ExternalValue))

    @property
    def given(self) -> list[tuple[str | None, ast.expr]]:
        """The arguments, each with its keyword if it has one."""
        starred = (one.value if isinstance(one, ast.Starred) else one for one in self.node.args)
        return [*((None, one) for one in starred), *((one.arg, one.value) for one in self.node.keywords)]

    def trail(self, node: ast.expr) -> Trail:
        """The trail of one of its parts."""
        return self.frame.trails.get(node, NOWHERE)

    def value(self, node: ast.expr) -> Value:
        """The value of one of its parts."""
        return self.frame.value_of(node)

    def argument(self, index: int, keyword: str) -> ast.expr | None:
        """An argument by place or name."""
        if index < len(self.node.args):
            return self.node.args[index]
        return next((one.value for one in self.node.keywords if one.arg == keyword), None)

    @property
    def trails(self) -> list[Trail]:
        """The trails of all arguments."""
        return [self.trail(one) for _, one in self.given]

    @property
    def origins(self) -> frozenset[Origin]:
        """All that the arguments are made of."""
        return frozenset[Origin]().union(*(one.tensors for one in self.trails))

    def use(self, trail: Trail, sink: Sink, partners: frozenset[Origin] = frozenset()) -> None:
        """Note a use in this call."""
        self.tracer.use(self.frame, trail, sink, self.node, partners, self.name)

    def all_end(self, sink: Sink) -> Trail:
        """Note that all arguments end in a sink."""
        for trail in self.trails:
            self.use(trail, sink)
        return NOWHERE


def part_called(call: Call) -> Trail:
    """Follow ``self.net(x, self.mask)``: a part computes with what it is given, its own Parameters and buffers.

    A part of torch that holds neither, as a softmax, does what a function does; so does one that is made on the spot
    and belongs to no object.
    """
    function = call.node.func
    if call.callee and all(isinstance(one, Submodule) and holds_no_tensors(one.class_name) for one in call.callee):
        return computed(call, call.trails)
    if isinstance(function, ast.Name) and not call.trail(function).origins:
        return computed(call, call.trails)
    name = in_full(call.frame, function)
    origins, part = call.origins, made(Source.OBJECT, name)
    for trail in call.trails:
        call.use(trail, Sink.PASSED, origins - trail.tensors | part.origins)
    run_escaping(call)
    return part.then(Flow.COMPUTED)


def in_full(frame: TracedFrame, node: ast.expr) -> str:
    """How to name an attribute, as the text does: that of another object behind the name of the object's class."""
    root = node
    while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    written = ast.unparse(node)
    function = frame.scope.node
    if frame.owner is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return written
    if not is_name(root, receiver_name(function)):
        return written
    owners = [one.symbol for one in frame.value_of(root) if isinstance(one, (BuiltSubmodule, Instance)) and one.symbol]
    return own_name(owners[0]) + written[written.index(".") :] if owners and "." in written else written


def partial_called(call: Call) -> Trail:
    """``self.lerp = partial(torch.lerp, end=self.end)``: what it was given before meets what it is given now."""
    values = [value for one in call.callee if isinstance(one, PartialCall) for value in _kept(one)]
    names = {tensor.alias for value in values for tensor in tensors(value) if tensor.alias}
    kept = [made(Source.ENTRY, name) for name in sorted(names)]
    return call.tracer.meet(call.frame, call.node, [*kept, *call.trails], call.name)


def _kept(one: PartialCall) -> list[Value]:
    return [*one.positional, *(value for _, value in one.keywords)]


def passed(call: Call, sink: Sink = Sink.PASSED) -> Trail:
    """What becomes of what is passed on is not known."""
    origins = call.origins
    for trail in call.trails:
        call.use(trail, sink, origins - trail.tensors)
    run_escaping(call)
    return Trail(origins).guessed()


def run_escaping(call: Call) -> None:
    """Functions that are given to somebody are run by them, with arguments that nobody knows."""
    for _, one in call.given:
        call.frame.run_later(call.value(one), call.state)


def computed(call: Call, trails: list[Trail]) -> Trail:
    """Note that a call computes with some values; gives the trail of its result."""
    out = next((call.trail(one) for key, one in call.given if key == "out"), None)
    flat = [part for trail in trails for part in (trail.items if trail.items is not None else (trail,))]
    result = call.tracer.meet(call.frame, call.node, flat, call.name)
    if out is not None:
        call.use(out, Sink.MUTATED, result.tensors)
        return out
    run_escaping(call)
    return result


def is_self_argument(call: Call, node: ast.expr) -> bool:
    """Whether an argument is the object."""
    return any(isinstance(one, SelfValue) for one in call.value(node))


def asked_about(call: Call) -> Trail:
    """Note that a call asks what is the same wherever its arguments lie."""
    call.all_end(Sink.METADATA)
    return merged([one.then(Flow.METADATA) for one in call.trails]) if call.trails else NOWHERE
