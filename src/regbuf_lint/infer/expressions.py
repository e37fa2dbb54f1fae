"""What each kind of expression evaluates to."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from regbuf_lint.infer import torch_api
from regbuf_lint.infer.attributes import read_attribute
from regbuf_lint.infer.calls import call
from regbuf_lint.infer.collections import (
    at_key,
    element_of,
    held_by,
    item_of,
    items_of,
    mapping_values,
    part_of,
    part_of_loaded,
    sequence,
    sequence_of,
    updated,
)
from regbuf_lint.infer.dimensions import COMPLEX_NUMBER, copies_chosen, is_complex, is_plain_number, lost_dimensions
from regbuf_lint.infer.narrowing import assume, truthy, with_default
from regbuf_lint.infer.numpy_api import array_of_operation
from regbuf_lint.infer.randomness import spread, spread_attribute, spread_index, spread_variable
from regbuf_lint.infer.references import FunctionValue, Instance, class_of
from regbuf_lint.infer.strings import is_string, joined, literal_strings
from regbuf_lint.infer.targets import bind
from regbuf_lint.model.value import (
    NONE,
    NOTHING,
    NUMBER,
    OTHER,
    TENSOR_KINDS,
    UNKNOWN,
    Alternative,
    Array,
    Dtype,
    Literal,
    Loaded,
    Mapping,
    NoneValue,
    Other,
    Part,
    Sequence,
    Submodule,
    Unknown,
    Value,
    is_only,
    join,
    made_of,
    the_one,
    without,
)

if TYPE_CHECKING:
    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.state import State

Handler: TypeAlias = Callable[["Frame", Any, "State"], Value]


def _constant(_frame: Frame, node: ast.Constant, _state: State) -> Value:
    if node.value is None:
        return NONE
    return OTHER if node.value is Ellipsis else frozenset({Literal(node.value)})


def _name(frame: Frame, node: ast.Name, state: State) -> Value:
    return frame.name(node.id, state)


def _attribute(frame: Frame, node: ast.Attribute, state: State) -> Value:
    owner = frame.evaluate(node.value, state)
    frame.passes(None, owner)
    # None has no such attribute: where there are other alternatives, the run only goes on with one of them.
    present = without(owner, NoneValue) or owner
    if node.attr == "__class__":
        return class_of(present)
    found = join(read_attribute(frame, one, node.attr, state, node.value) for one in present) or UNKNOWN
    return spread_attribute(present, node.attr, found)


def _subscript(frame: Frame, node: ast.Subscript, state: State) -> Value:
    owner = frame.evaluate(node.value, state)
    index = frame.evaluate(node.slice, state)
    present = without(owner, NoneValue) or owner  # None has no items
    found = join(_item(one, index, node.slice) for one in present) or UNKNOWN
    return spread_variable(present, index, spread_index(index, spread(present, found)))


def _item(one: Alternative, index: Value, where: ast.expr) -> Value:
    if isinstance(one, TENSOR_KINDS):
        return frozenset({part_of(one, lost_dimensions(index, where), is_copy=copies_chosen(index, where))})
    value: Value = frozenset({one})
    if isinstance(one, Sequence) and isinstance(where, ast.Slice):
        return frozenset({Sequence(one.kind, None, one.element)})
    strings = literal_strings(index)
    if isinstance(one, Mapping):
        return join(at_key(one, key) for key in strings) if strings else mapping_values(one)
    numbers = [literal.value for literal in index if isinstance(literal, Literal) and type(literal.value) is int]
    if isinstance(one, Sequence):
        if numbers and len(numbers) == len(index):
            return join(item_of(one, number) for number in numbers)
        return one.element
    if isinstance(one, (Literal, Other)):
        return frozenset({one}) if isinstance(one, Array) else OTHER
    if isinstance(one, Submodule):
        return value if isinstance(where, ast.Slice) else held_by(one)
    return frozenset({part_of_loaded(one, Part.ITEM)}) if isinstance(one, Loaded) else made_of(one)


def _slice(_frame: Frame, _node: ast.Slice, _state: State) -> Value:
    return OTHER


def _binary(frame: Frame, node: ast.BinOp, state: State) -> Value:
    left, right = frame.evaluate(node.left, state), frame.evaluate(node.right, state)
    return frame.without_graph(combine(left, right, node.op))


def combine(left: Value, right: Value, operator: ast.operator) -> Value:
    """The value of an arithmetic operation. None is no operand: the run only goes on with what else there is."""
    sides = [without(side, NoneValue) or side for side in (left, right)]
    found = join(_combined(one, other, operator) for one in sides[0] for other in sides[1]) or UNKNOWN
    return spread(left | right, found)


def _combined(one: Alternative, other: Alternative, operator: ast.operator) -> Value:
    pair = (one, other)
    sides = [frozenset({one}), frozenset({other})]
    if any(isinstance(side, TENSOR_KINDS) for side in pair):
        if any(isinstance(side, (Submodule, Instance, Sequence, Mapping, NoneValue)) for side in pair):
            return UNKNOWN
        result = torch_api.result_tensor(sides, elementwise=not isinstance(operator, ast.MatMult))
        is_scaled = isinstance(operator, (ast.Mult, ast.Div))
        sparse = is_scaled and any(torch_api.as_plain(one).sparse for one in pair if isinstance(one, TENSOR_KINDS))
        return frozenset({replace(result, alias="", dtype=_common_dtype(pair, operator), sparse=sparse)})
    if isinstance(one, Sequence) and isinstance(operator, (ast.Add, ast.Mult)):
        return _longer(one, other, operator)
    if isinstance(other, Sequence) and isinstance(operator, ast.Mult):
        return _longer(other, one, operator)
    if isinstance(one, Mapping) and isinstance(operator, ast.BitOr):
        return frozenset({updated(one, frozenset({other}))})
    if isinstance(operator, ast.Add) and any(is_string(side) for side in sides):
        return joined(sides)
    if isinstance(one, Loaded) and isinstance(other, Loaded) and isinstance(operator, ast.Add):
        return frozenset(pair)
    return _plain(pair, operator)


def _plain(pair: tuple[Alternative, Alternative], operator: ast.operator) -> Value:
    """The value of an operation without tensors, lists and dicts."""
    are_numbers = all(map(is_plain_number, pair)) or _divides_whole(pair, operator)
    arrays: Value = frozenset({array_of_operation(pair, operator)} if _has_array(pair) else ())
    if any(isinstance(side, (Unknown, Instance, Submodule)) for side in pair):
        return arrays | {Unknown(number=are_numbers)}  # a tensor and an array give a tensor
    if arrays:
        return arrays
    if any(map(is_complex, pair)):
        return frozenset({COMPLEX_NUMBER})
    return NUMBER if are_numbers else OTHER


def _has_array(pair: tuple[Alternative, Alternative]) -> bool:
    return any(isinstance(side, Array) for side in pair)


def _divides_whole(pair: tuple[Alternative, Alternative], operator: ast.operator) -> bool:
    """Whether two unknown things are divided without a rest, as nothing but numbers are where objects are built."""
    return isinstance(operator, ast.FloorDiv) and all(isinstance(one, (Unknown, Literal, Other)) for one in pair)


def _longer(one: Sequence, other: Alternative, operator: ast.operator) -> Value:
    if isinstance(operator, ast.Mult):
        return frozenset({Sequence(one.kind, None, one.element)})
    if not isinstance(other, Sequence):
        return UNKNOWN
    if one.items is not None and other.items is not None:
        return sequence(one.kind, [*one.items, *other.items])
    return frozenset({Sequence(one.kind, None, one.element | other.element)})


def _common_dtype(pair: tuple[Alternative, Alternative], operator: ast.operator) -> Dtype:
    found = {torch_api.as_plain(one).dtype for one in pair if isinstance(one, TENSOR_KINDS)}
    if any(map(is_complex, pair)):
        return Dtype.COMPLEX
    for widest in (Dtype.COMPLEX, Dtype.DOUBLE):
        if widest in found:
            return widest
    if isinstance(operator, ast.Div) or (Dtype.FLOAT in found and found <= _JOINED_BY_FLOAT):
        return Dtype.FLOAT
    return found.pop() if len(found) == 1 else Dtype.UNKNOWN


_JOINED_BY_FLOAT = frozenset({Dtype.FLOAT, Dtype.INT, Dtype.BOOL})
"""Dtypes of tensors that give a floating-point one where one of them is that (torch 2.13)."""


def _unary(frame: Frame, node: ast.UnaryOp, state: State) -> Value:
    operand = frame.evaluate(node.operand, state)
    if isinstance(node.op, ast.Not):
        return OTHER
    one = the_one(operand)
    if isinstance(one, Literal) and isinstance(node.op, ast.USub) and isinstance(one.value, (int, float)):
        return frozenset({Literal(-one.value)})
    return combine(operand, frozenset({Literal(1)}), ast.Mult())


def _compare(frame: Frame, node: ast.Compare, state: State) -> Value:
    operands = [frame.evaluate(operand, state) for operand in (node.left, *node.comparators)]
    if any(isinstance(operator, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operator in node.ops):
        return OTHER
    if any(is_only(operand, *TENSOR_KINDS) for operand in operands):
        result = torch_api.result_tensor(operands, elementwise=True)
        return frozenset({replace(result, alias="", derived=False, dtype=Dtype.BOOL)})
    if any(isinstance(one, (*TENSOR_KINDS, Unknown)) for operand in operands for one in operand):
        return UNKNOWN
    return OTHER


def _boolean(frame: Frame, node: ast.BoolOp, state: State) -> Value:
    found: list[Value] = []
    where = state.copy()
    truth = isinstance(node.op, ast.And)
    for index, operand in enumerate(node.values):
        value = frame.evaluate(operand, where)
        last = index == len(node.values) - 1
        found.append(value if last else _short_circuit(value, truth=not truth))
        assume(frame, operand, where, truth=truth)
    return join(found) or UNKNOWN


def _short_circuit(value: Value, *, truth: bool) -> Value:
    """The alternatives of an operand that can be the result of ``or`` (truth) or ``and`` (no truth)."""
    if truth:
        return truthy(value)
    return frozenset(one for one in value if isinstance(one, (NoneValue, Literal, Other, Unknown, Sequence, Mapping)))


def _conditional(frame: Frame, node: ast.IfExp, state: State) -> Value:
    frame.evaluate(node.test, state)
    then, otherwise = state.copy(), state.copy()
    found = []
    if assume(frame, node.test, then, truth=True):
        found.append(frame.evaluate(node.body, then))
    if assume(frame, node.test, otherwise, truth=False):
        found.append(frame.evaluate(node.orelse, otherwise))
    return join(with_default(frame, node.test, *found) if len(found) > 1 else found) or UNKNOWN


def _display(frame: Frame, node: ast.List | ast.Tuple | ast.Set, state: State) -> Value:
    kind = type(node).__name__.lower()
    if isinstance(node, ast.List) and (numbers := [_number(item) for item in node.elts]) and all(numbers):
        return sequence(kind, numbers)
    if not any(isinstance(item, ast.Starred) for item in node.elts):
        return sequence(kind, [frame.evaluate(item, state) for item in node.elts])
    items: list[Value] = []
    unknown_length = False
    for item in node.elts:
        if not isinstance(item, ast.Starred):
            items.append(frame.evaluate(item, state))
            continue
        inner = frame.evaluate(item.value, state)
        known = items_of(inner)
        unknown_length = unknown_length or known is None
        items.extend(known if known is not None else [element_of(inner)])
    return sequence_of(kind, join(items)) if unknown_length else sequence(kind, items)


def _number(node: ast.expr) -> Value:
    """A number as it is written; no alternative for anything else. Rows of large tables are read so, in one step."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        node = node.operand
    number = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return NOTHING
    return frozenset({Literal(sign * number)})


def _dict(frame: Frame, node: ast.Dict, state: State) -> Value:
    items: dict[str, Value] = {}
    rest: Value = frozenset()
    for key, expression in zip(node.keys, node.values, strict=True):
        value = frame.evaluate(expression, state)
        if key is None:
            merged = updated(Mapping(tuple(items.items()), rest), value)
            items, rest = dict(merged.items), merged.rest
        elif isinstance(key, ast.Constant) and isinstance(key.value, str):
            items[key.value] = value
        else:
            frame.evaluate(key, state)
            rest |= value
    return frozenset({Mapping(tuple(items.items()), rest)})


def _comprehension_state(frame: Frame, generators: list[ast.comprehension], state: State) -> State:
    inner = state.copy()
    for generator in generators:
        bind(frame, generator.target, element_of(frame.evaluate(generator.iter, inner)), inner)
        frame.iterated(generator.target, generator.iter, inner)
        for condition in generator.ifs:
            frame.evaluate(condition, inner)
            frame.decided(condition)
            assume(frame, condition, inner, truth=True)
    return inner


def _list_comprehension(frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, state: State) -> Value:
    inner = _comprehension_state(frame, node.generators, state)
    return sequence_of("list", frame.evaluate(node.elt, inner))


def _dict_comprehension(frame: Frame, node: ast.DictComp, state: State) -> Value:
    inner = _comprehension_state(frame, node.generators, state)
    frame.evaluate(node.key, inner)
    return frozenset({Mapping((), frame.evaluate(node.value, inner))})


def _formatted(frame: Frame, node: ast.JoinedStr, state: State) -> Value:
    parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
    return joined(frame.evaluate(part, state) for part in parts)


def _lambda(frame: Frame, node: ast.Lambda, state: State) -> Value:
    scope = frame.scope.child(node)
    trails = {**frame.closure_trails, **state.trails}
    return frozenset({FunctionValue(scope, {**frame.closure, **state.locals}, owner=frame.owner, trails=trails)})


def _named(frame: Frame, node: ast.NamedExpr, state: State) -> Value:
    value = frame.evaluate(node.value, state)
    bind(frame, node.target, value, state)
    frame.assigned(node.target, node.value, state)
    return value


def _starred(frame: Frame, node: ast.Starred, state: State) -> Value:
    return frame.evaluate(node.value, state)


def _await(frame: Frame, node: ast.Await, state: State) -> Value:
    frame.evaluate(node.value, state)
    return UNKNOWN


def _yield(frame: Frame, node: ast.Yield | ast.YieldFrom, state: State) -> Value:
    value = NONE
    if node.value is not None:
        value = frame.evaluate(node.value, state)
        frame.leaves(node.value, state)
    frame.yielded.append(element_of(value) if isinstance(node, ast.YieldFrom) else value)
    return UNKNOWN


EXPRESSIONS: dict[type[ast.AST], Handler] = {
    ast.Constant: _constant,
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
    ast.ListComp: _list_comprehension,
    ast.SetComp: _list_comprehension,
    ast.GeneratorExp: _list_comprehension,
    ast.DictComp: _dict_comprehension,
    ast.JoinedStr: _formatted,
    ast.Lambda: _lambda,
    ast.Call: call,
    ast.NamedExpr: _named,
    ast.Starred: _starred,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
