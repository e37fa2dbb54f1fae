"""Python's built-in functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.classes.definition import arguments_with_defaults
from regbuf_lint.infer.attributes import read_attribute
from regbuf_lint.infer.collections import (
    MOST_ITEMS,
    dict_of,
    element_of,
    items_of,
    sequence,
    sequence_of,
)
from regbuf_lint.infer.dimensions import as_numbers, is_plain_number
from regbuf_lint.infer.references import ClassValue, ExternalValue, OfProperty, SelfValue, SuperValue, class_of
from regbuf_lint.infer.strings import literal_strings, pattern_of, usual_strings
from regbuf_lint.infer.targets import write
from regbuf_lint.infer.torch_api import result_tensor
from regbuf_lint.model.class_view import AttributeState, WriteForm
from regbuf_lint.model.value import (
    NONE,
    NUMBER,
    OTHER,
    TENSOR_KINDS,
    UNKNOWN,
    Literal,
    NoneValue,
    Other,
    Sequence,
    Unknown,
    Value,
    is_only,
    join,
    may_be,
    the_one,
)

if TYPE_CHECKING:
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.state import State

Builtin: TypeAlias = Callable[["Frame", "Arguments", ast.Call, "State"], Value]


def _made(what: str, _frame: Frame, _arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    return frozenset({Other(what)})


def _range(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    numbers = [_integer(value) for value in arguments.positional]
    known = [number for number in numbers if number is not None]
    if known and len(known) == len(numbers) and known[-1] != 0:
        values = range(*known[:3])
        if len(values) <= MOST_ITEMS:
            return sequence("range", [frozenset({Literal(value)}) for value in values])
    return frozenset({Other("range")})


def _integer(value: Value) -> int | None:
    one = the_one(value)
    return one.value if isinstance(one, Literal) and type(one.value) is int else None


def _super(frame: Frame, arguments: Arguments, node: ast.Call, _state: State) -> Value:
    after = [one.symbol for value in arguments.positional[:1] for one in value if isinstance(one, ClassValue)]
    if after:
        return frozenset({SuperValue(after[0])})
    return frozenset({SuperValue(frame.owner)}) if not node.args and frame.owner is not None else UNKNOWN


def _setattr(frame: Frame, arguments: Arguments, node: ast.Call, state: State) -> Value:
    match arguments.positional:
        case (owner, names, value) if any(isinstance(one, SelfValue) for one in owner):
            for name in literal_strings(names) or (None,):
                write(frame, node, name, value, state, WriteForm.SETATTR)
        case (owner, names, value) if is_only(owner, ClassValue) and may_be(value, Unknown):
            for name in literal_strings(names) or ():
                state.attributes[name] = AttributeState(frozenset({OfProperty()}))
    return NONE


def _getattr(frame: Frame, arguments: Arguments, node: ast.Call, state: State) -> Value:
    given = arguments.argument(1, "name")
    if not arguments.positional:
        return UNKNOWN
    owner = arguments.positional[0]
    names = literal_strings(given) or known_pattern(given, state)
    if not names and is_only(owner, ExternalValue):
        names = usual_strings(given) or _default_name(frame, node)
    if not names:
        return UNKNOWN
    found = join(read_attribute(frame, one, name, state, node.args[0]) for one in owner for name in names)
    default = arguments.argument(2, "default")
    return default | as_numbers(found, default)


def _default_name(frame: Frame, node: ast.Call) -> tuple[str, ...]:
    """The string that an argument defaults to: ``getattr(torch, window)`` gets what does the same for other names."""
    name = node.args[1] if len(node.args) > 1 else None
    function = frame.scope.node
    if not isinstance(name, ast.Name) or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return ()
    defaults = (default for one, default in arguments_with_defaults(function) if one.arg == name.id)
    return tuple(one.value for one in defaults if isinstance(one, ast.Constant) and isinstance(one.value, str))


def known_pattern(name: Value, state: State) -> tuple[str, ...]:
    """The pattern of a computed name, where buffers were registered under names of that very pattern."""
    pattern = pattern_of(name)
    return (pattern,) if pattern is not None and pattern in state.attributes else ()


def _list(_frame: Frame, arguments: Arguments, node: ast.Call, _state: State) -> Value:
    kind = getattr(node.func, "id", "list")
    if not arguments.positional:
        return sequence(kind, [])
    items = items_of(arguments.positional[0])
    return sequence(kind, list(items)) if items is not None else sequence_of(kind, element_of(arguments.positional[0]))


def _dict(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    return dict_of(arguments)


def _enumerate(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    iterable = arguments.argument(0, "iterable")
    items = items_of(iterable)
    if items is not None:
        return sequence("list", [sequence("tuple", [frozenset({Literal(i)}), item]) for i, item in enumerate(items)])
    return sequence_of("list", sequence("tuple", [frozenset({Other("int")}), element_of(iterable)]))


def _zip(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    columns = [items_of(value) for value in arguments.positional]
    if columns and all(column is not None for column in columns) and not arguments.starred:
        rows = zip(*(column for column in columns if column is not None), strict=False)
        return sequence("list", [sequence("tuple", list(row)) for row in rows])
    return sequence_of("list", sequence("tuple", [element_of(value) for value in arguments.positional]))


def _map(frame: Frame, arguments: Arguments, _node: ast.Call, state: State) -> Value:
    if not arguments.positional:
        return UNKNOWN
    function, *iterables = arguments.positional
    elements = tuple(element_of(value) for value in iterables)
    return sequence_of("list", frame.call_value(function, elements, state))


def _reordered(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    return sequence_of("list", element_of(arguments.argument(0, "iterable")))


def _extreme(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    if len(arguments.positional) == 1:
        return element_of(arguments.positional[0]) | arguments.keyword("default")
    return join(arguments.positional) or UNKNOWN


def _sum(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    element = element_of(arguments.argument(0, "iterable"))
    return _arithmetic([element])


def _absolute(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    return _arithmetic(list(arguments.positional))


def _arithmetic(operands: list[Value]) -> Value:
    if any(may_be(value, *TENSOR_KINDS) for value in operands):
        result: Value = frozenset({result_tensor(operands, elementwise=True)})
        return result | UNKNOWN if any(may_be(value, Unknown) for value in operands) else result
    if any(may_be(value, Unknown, Sequence, NoneValue) for value in operands):
        return UNKNOWN
    return NUMBER if all(value and all(map(is_plain_number, value)) for value in operands) else OTHER


def _round(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    return _arithmetic(list(arguments.positional[:1]))


def _next(_frame: Frame, arguments: Arguments, _node: ast.Call, _state: State) -> Value:
    return element_of(arguments.argument(0, "iterator")) | arguments.argument(1, "default")


def _type(_frame: Frame, arguments: Arguments, node: ast.Call, _state: State) -> Value:
    return class_of(arguments.argument(0, "object")) if len(node.args) == 1 else UNKNOWN


_MAKING = {
    "int": ("int", "len", "ord", "hash", "id"),
    "float": ("float",),
    "complex": ("complex",),
    "bool": ("bool", "isinstance", "issubclass", "hasattr", "callable", "any", "all"),
    "str": ("str", "repr", "chr", "bin", "hex", "format", "input", "ascii"),
    "": ("print", "open", "divmod", "bytes", "dir", "slice"),
}
"""Functions by the type of what they give, whatever they are given; empty for what needs no name."""

BUILTINS: dict[str, Builtin] = {
    **{name: partial(_made, what) for what, names in _MAKING.items() for name in names},
    "range": _range,
    "super": _super,
    "setattr": _setattr,
    "getattr": _getattr,
    "list": _list,
    "tuple": _list,
    "set": _list,
    "dict": _dict,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "sorted": _reordered,
    "reversed": _reordered,
    "max": _extreme,
    "min": _extreme,
    "sum": _sum,
    "abs": _absolute,
    "pow": _absolute,
    "round": _round,
    "next": _next,
    "iter": _reordered,
    "type": _type,
}
