"""The trail of each kind of expression, from those of its parts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from regbuf_lint.infer.dimensions import copies_chosen
from regbuf_lint.infer.references import ClassValue, ExternalValue, FileValue, FunctionValue, SelfMethod, SelfValue
from regbuf_lint.infer.trace.call import in_full
from regbuf_lint.infer.trace.calls import call_trail
from regbuf_lint.infer.trace.grown_numbers import with_dimensions
from regbuf_lint.model.trail import NOWHERE, Flow, Origin, Source, Trail, listed, made, merged
from regbuf_lint.model.use import ASSERTED, MATRIX_PRODUCT, Sink
from regbuf_lint.model.value import (
    FOLLOWING,
    Literal,
    Mapping,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    holds_numbers,
    is_number,
    is_only,
    may_be,
)
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from regbuf_lint.infer.state import State
    from regbuf_lint.infer.trace.traced_frame import TracedFrame
    from regbuf_lint.infer.trace.tracer import Tracer
    from regbuf_lint.model.trail import Origin
    from regbuf_lint.model.value import Value

Handler: TypeAlias = Callable[["Tracer", "TracedFrame", Any, "Value", "State"], Trail]


def trail_of(tracer: Tracer, frame: TracedFrame, node: ast.expr, value: Value, state: State) -> Trail:
    """Where the value of an expression comes from; its parts have been evaluated."""
    handler = _HANDLERS.get(type(node))
    return NOWHERE if handler is None else handler(tracer, frame, node, value, state)


def _name(_tracer: Tracer, frame: TracedFrame, node: ast.Name, value: Value, state: State) -> Trail:
    if node.id in state.locals:
        return state.trails.get(node.id, NOWHERE)
    if node.id in frame.closure:
        return frame.closure_trails.get(node.id, NOWHERE)
    return made(Source.FRESH) if may_be(value, Tensor) else NOWHERE


def _attribute(tracer: Tracer, frame: TracedFrame, node: ast.Attribute, value: Value, state: State) -> Trail:
    owner = frame.value_of(node.value)
    if any(isinstance(one, SelfValue) for one in owner):
        if frame.result is not None:
            stored = node.attr in state.attributes
            return merged([frame.result, tracer.attribute(node.attr, state)]) if stored else frame.result
        return NOWHERE if is_only(value, FunctionValue, SelfMethod) else tracer.attribute(node.attr, state)
    if is_only(owner, ExternalValue, FileValue, ClassValue):
        return made(Source.FRESH) if may_be(value, Tensor) else NOWHERE
    trail = frame.trails.get(node.value, NOWHERE)
    if has("metadata_properties", node.attr) or has("gradient_properties", node.attr):
        tracer.use(frame, trail, Sink.METADATA, node)
        return trail.then(Flow.METADATA)
    if has("place_properties", node.attr):
        is_asserted = node.attr == "dtype" and isinstance(frame.statement, ast.Assert)
        tracer.use(frame, trail, Sink.PLACE, node, callee=ASSERTED if is_asserted else "")
        return trail.then(Flow.PLACE)
    if has("reshape_properties", node.attr):
        return trail
    if is_only(owner, Submodule):
        return made(Source.OBJECT, in_full(frame, node)) if _follows_part(value) else made(Source.FRESH, "said")
    if trail.items is not None or may_be(value, FunctionValue):
        return trail
    return trail if may_be(owner, Tensor) else trail.then(Flow.ELEMENT)


def _follows_part(value: Value) -> bool:
    """Whether what is read of a part moves with it, as far as is known."""
    return all(isinstance(one, FOLLOWING) or (isinstance(one, Unknown) and one.of_module) for one in value)


def _decides_place(one: Origin) -> bool:
    """Whether an index says where what it chooses from has to lie: one on the CPU goes with tensors of any device.

    So does one that another attribute leaves there.
    """
    if one.source is Source.ENTRY:
        return one.moved
    return not one.on_cpu


def _subscript(tracer: Tracer, frame: TracedFrame, node: ast.Subscript, value: Value, _state: State) -> Trail:
    owner = frame.trails.get(node.value, NOWHERE)
    index = frame.trails.get(node.slice, NOWHERE)
    of_python = is_only(frame.value_of(node.value), Sequence, Mapping, Submodule, Literal)
    tracer.use(frame, index, Sink.HOST if of_python else Sink.INDEX, node, owner.tensors)
    if of_python and frame.is_device(node.slice):
        tracer.use(frame, owner, Sink.BY_DEVICE, node)
    chosen_by = frozenset(one for one in index.tensors if _decides_place(one))
    if chosen_by and not of_python:  # an index that lies on the CPU goes with tensors of any device
        tracer.use(frame, owner, Sink.MEETS, node, chosen_by)
    if is_number(value):
        tracer.use(frame, owner, Sink.HOST, node)
        return owner.then(Flow.METADATA)
    owner = with_dimensions(tracer, frame, node, owner, frame.value_of(node.value)) if not of_python else owner
    if isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        return owner.item(node.slice.value)
    if isinstance(node.slice, ast.Slice) and owner.items is not None:
        return Trail(owner.origins)
    is_copy = not of_python and copies_chosen(frame.value_of(node.slice), node.slice)
    return owner.then(Flow.COMPUTED if is_copy else Flow.ELEMENT)


def _slice(tracer: Tracer, frame: TracedFrame, node: ast.Slice, _value: Value, state: State) -> Trail:
    for bound in (node.lower, node.upper, node.step):
        if bound is not None:
            frame.evaluate(bound, state)
            tracer.use(frame, frame.trails[bound], Sink.HOST, bound)
    return NOWHERE


def _binary(tracer: Tracer, frame: TracedFrame, node: ast.BinOp, value: Value, state: State) -> Trail:
    pair = ((node.left, node.right), (node.right, node.left))
    operands = [_operand(tracer, frame, *one, state) for one in pair]
    if is_only(value, Sequence):
        return _longer([one for one in operands if one])
    if is_only(value, Mapping):
        return merged(operands)
    return tracer.meet(frame, node, operands, MATRIX_PRODUCT if isinstance(node.op, ast.MatMult) else "")


def _operand(tracer: Tracer, frame: TracedFrame, node: ast.expr, other: ast.expr, state: State) -> Trail:
    """The trail of an operand; what is reduced to a number without dimensions goes with tensors of any device."""
    trail = frame.trails.get(node, NOWHERE)
    if not is_number(frame.value_of(node)) or not frame.trails.get(other, NOWHERE).tensors:
        return trail
    reduced = frozenset(one for one in trail.tensors if not one.moved and _had_dimensions(one, state))
    tracer.use(frame, Trail(reduced), Sink.REDUCED, node)
    return Trail(frozenset(one.then(Flow.METADATA) if one in reduced else one for one in trail.origins))


def _had_dimensions(one: Origin, state: State) -> bool:
    return one.source is Source.ENTRY and not holds_numbers(state.attribute(one.name).value)


def _longer(lists: list[Trail]) -> Trail:
    """The trail of a list that several are joined to, or that one is repeated in."""
    parts = [part for one in lists for part in one.items or ()]
    if all(one.items is not None for one in lists):
        return listed(parts)
    return replace(listed(lists), items=None, each=merged(one.element for one in lists))


def _unary(tracer: Tracer, frame: TracedFrame, node: ast.UnaryOp, _value: Value, _state: State) -> Trail:
    trail = frame.trails.get(node.operand, NOWHERE)
    if isinstance(node.op, ast.Not):
        tracer.use(frame, trail, Sink.HOST, node)
        return Trail(trail.origins - trail.tensors)
    return trail.then(Flow.COMPUTED)


def _compare(tracer: Tracer, frame: TracedFrame, node: ast.Compare, _value: Value, _state: State) -> Trail:
    operands = [frame.trails.get(one, NOWHERE) for one in (node.left, *node.comparators)]
    if all(isinstance(one, (ast.Is, ast.IsNot)) for one in node.ops):
        for trail in operands:
            tracer.use(frame, trail, Sink.METADATA, node)
        return NOWHERE
    if any(Literal(0) in frame.value_of(one) for one in node.comparators):
        lengths = (Trail(frozenset(one for one in trail.origins if one.flow is Flow.METADATA)) for trail in operands)
        for trail in lengths:
            tracer.use(frame, trail, Sink.EMPTINESS, node)
    if any(isinstance(one, (ast.In, ast.NotIn)) for one in node.ops):
        for trail in operands:
            tracer.use(frame, trail, Sink.HOST, node)
    return tracer.meet(frame, node, operands)


def _boolean(tracer: Tracer, frame: TracedFrame, node: ast.BoolOp, _value: Value, _state: State) -> Trail:
    for operand in node.values[:-1]:
        tracer.decided(frame, operand)
    return merged(frame.trails.get(one, NOWHERE) for one in node.values)


def _conditional(tracer: Tracer, frame: TracedFrame, node: ast.IfExp, _value: Value, _state: State) -> Trail:
    tracer.decided(frame, node.test)
    return merged(frame.trails.get(one, NOWHERE) for one in (node.body, node.orelse))


def _display(
    _tracer: Tracer, frame: TracedFrame, node: ast.List | ast.Tuple | ast.Set, _value: Value, _state: State
) -> Trail:
    trails = [
        frame.trails.get(getattr(one, "value", one) if isinstance(one, ast.Starred) else one, NOWHERE)
        for one in node.elts
    ]
    if any(isinstance(one, ast.Starred) for one in node.elts):
        return merged([Trail(one.origins) for one in trails]) if trails else NOWHERE
    return listed(trails)


def _dict(_tracer: Tracer, frame: TracedFrame, node: ast.Dict, _value: Value, _state: State) -> Trail:
    return merged(Trail(frame.trails.get(one, NOWHERE).origins) for one in node.values) if node.values else NOWHERE


def _comprehension(
    _tracer: Tracer,
    frame: TracedFrame,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp,
    _value: Value,
    _state: State,
) -> Trail:
    inner = frame.trails.get(node.elt, NOWHERE)
    return Trail(inner.origins, each=inner)


def _dict_comprehension(_tracer: Tracer, frame: TracedFrame, node: ast.DictComp, _value: Value, _state: State) -> Trail:
    return Trail(frame.trails.get(node.value, NOWHERE).origins)


def _formatted(tracer: Tracer, frame: TracedFrame, node: ast.JoinedStr, _value: Value, _state: State) -> Trail:
    for part in node.values:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        tracer.use(frame, frame.trails.get(inner, NOWHERE), Sink.HOST, inner)
    return NOWHERE


def _inner(
    _tracer: Tracer, frame: TracedFrame, node: ast.Starred | ast.NamedExpr, _value: Value, _state: State
) -> Trail:
    return frame.trails.get(node.value, NOWHERE)


def _await(_tracer: Tracer, frame: TracedFrame, node: ast.Await, _value: Value, _state: State) -> Trail:
    return frame.trails.get(node.value, NOWHERE)


def _yield(tracer: Tracer, frame: TracedFrame, node: ast.Yield | ast.YieldFrom, _value: Value, state: State) -> Trail:
    if node.value is not None:
        frame.evaluate(node.value, state)
        tracer.returned(frame, node.value)
    return NOWHERE


_HANDLERS: dict[type[ast.AST], Handler] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.List: _display,
    ast.Tuple: _display,
    ast.Set: _display,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.JoinedStr: _formatted,
    ast.Starred: _inner,
    ast.NamedExpr: _inner,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.Call: call_trail,
}
