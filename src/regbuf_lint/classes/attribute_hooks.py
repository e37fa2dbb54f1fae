"""A class's own ``__setattr__`` and ``__getattr__``: what becomes of a plain tensor, and whether buffers are found."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.definition import positional_arguments, receiver_name
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from regbuf_lint.index.scopes import FunctionNode

_NO_TENSORS = frozenset({"bool", "bytes", "complex", "dict", "float", "int", "list", "set", "str", "tuple"})
_PARAMETERS_OF_SETTER = 3


class Passing(Enum):
    """What a ``__setattr__`` does with a tensor."""

    ALWAYS = "it hands the tensor to the next class, or raises"
    MAYBE = "it does so on some path, or does something else as well"
    NEVER = "it does something else"


class _End(Enum):
    """How a block ends."""

    HANDED_ON = "the value was handed on"
    RAISED = "an exception was raised"
    LOST = "it returned, or the value was changed"
    OPEN = "what follows it runs"


class _Path(Struct, frozen=True):
    """Ways through a block.

    Attributes:
        ends: how they end.
        plain: whether nothing was done on the way.
    """

    ends: frozenset[_End]
    plain: bool = True


_OPEN = _Path(frozenset({_End.OPEN}))


def passing(function: FunctionNode, attribute: str | None) -> Passing:
    """What a ``__setattr__`` does with a plain tensor.

    Args:
        function: the method.
        attribute: name of the attribute that is set; None where it is not known.
    """
    parameters = positional_arguments(function)
    if len(parameters) != _PARAMETERS_OF_SETTER:
        return Passing.NEVER
    receiver, key, value = (one.arg for one in parameters)
    path = _Setter(receiver, key, value, attribute).block(function.body)
    if _End.HANDED_ON not in path.ends:
        return Passing.NEVER
    return Passing.ALWAYS if path.plain and path.ends <= {_End.HANDED_ON, _End.RAISED} else Passing.MAYBE


class _Setter:
    """Follows the body of a ``__setattr__`` for one attribute and a plain tensor."""

    def __init__(self, receiver: str, key: str, value: str, attribute: str | None) -> None:
        self._receiver = receiver
        self._key = key
        self._value = value
        self._attribute = attribute

    def block(self, body: list[ast.stmt]) -> _Path:
        ends: frozenset[_End] = frozenset()
        plain = True
        for statement in body:
            path = self._statement(statement)
            ends |= path.ends - {_End.OPEN}
            plain = plain and path.plain
            if _End.OPEN not in path.ends:
                return _Path(ends, plain)
        return _Path(ends | {_End.OPEN}, plain)

    def _statement(self, statement: ast.stmt) -> _Path:
        if isinstance(statement, (ast.Expr, ast.Return)) and self._hands_on(statement.value):
            return _Path(frozenset({_End.HANDED_ON}))
        if isinstance(statement, (ast.Pass, ast.Assert)) or _is_constant(statement):
            return _OPEN
        if isinstance(statement, ast.Raise):
            return _Path(frozenset({_End.RAISED}))
        if isinstance(statement, ast.Return) or self._changes_value(statement):
            return _Path(frozenset({_End.LOST}))
        if isinstance(statement, ast.If):
            return self._branches(statement)
        return _Path(_OPEN.ends, plain=False)

    def _branches(self, statement: ast.If) -> _Path:
        verdict = self._holds(statement.test)
        if verdict is not None:
            return self.block(statement.body if verdict else statement.orelse)
        both = self.block(statement.body), self.block(statement.orelse)
        return _Path(both[0].ends | both[1].ends, all(path.plain for path in both))

    def _hands_on(self, node: ast.expr | None) -> bool:
        """Whether an expression is ``super().__setattr__(name, value)`` or calls that of a base but ``object``."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
            return False
        if node.func.attr != "__setattr__" or getattr(node.func.value, "id", "") in {"object", self._receiver}:
            return False
        given = [getattr(one, "id", "") for one in node.args]
        bound = [] if isinstance(node.func.value, ast.Call) else [self._receiver]
        return given == [*bound, self._key, self._value]

    def _changes_value(self, statement: ast.stmt) -> bool:
        names = {self._key, self._value}
        return not isinstance(statement, ast.If) and any(
            isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Store)
            for node in walk(statement)
        )

    def _holds(self, test: ast.expr) -> bool | None:
        """Whether a condition holds for a plain tensor under the attribute's name; None where that is not known."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._holds(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            verdicts = [self._holds(one) for one in test.values]
            decisive = isinstance(test.op, ast.Or)
            if decisive in verdicts:
                return decisive
            return None if None in verdicts else not decisive
        if isinstance(test, ast.Call):
            return self._is_instance(test)
        return self._compares_name(test) if isinstance(test, ast.Compare) and len(test.ops) == 1 else None

    def _is_instance(self, test: ast.Call) -> bool | None:
        if getattr(test.func, "id", "") != "isinstance" or len(test.args) != 2:  # noqa: PLR2004
            return None
        if getattr(test.args[0], "id", "") != self._value:
            return None
        kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
        verdicts = [_takes_tensors(kind) for kind in kinds]
        if True in verdicts:
            return True
        return None if None in verdicts else False

    def _compares_name(self, test: ast.Compare) -> bool | None:
        if self._attribute is None or getattr(test.left, "id", "") != self._key:
            return None
        try:
            other = ast.literal_eval(test.comparators[0])
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
        operator = test.ops[0]
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            return (self._attribute == other) is isinstance(operator, ast.Eq)
        if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(other, (tuple, list, set, frozenset, dict)):
            return (self._attribute in other) is isinstance(operator, ast.In)
        return None


def _takes_tensors(kind: ast.expr) -> bool | None:
    """Whether ``isinstance`` of a class holds for a plain tensor; None where the class is not known."""
    name = kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "")
    if name in {"Tensor", "object"}:
        return True
    return False if name in _NO_TENSORS or ast.unparse(kind) in {"nn.Parameter", "nn.Module"} else None


def _is_name(node: ast.AST) -> bool:
    """Whether a node names an attribute, as ``self._buffers`` and ``self.__dict__["_buffers"]`` do."""
    return isinstance(node, ast.Attribute) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def finds_buffers(function: FunctionNode) -> bool:
    """Whether a ``__getattr__`` may give what that of nn.Module finds, which alone knows where buffers are kept."""
    nodes = list(walk(function))
    if any("_buffers" in {getattr(node, "attr", ""), getattr(node, "value", "")} for node in nodes if _is_name(node)):
        return True
    ignored = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    calls = (node for node in nodes if isinstance(node, ast.Call) and id(node) not in ignored)
    receiver = receiver_name(function)
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "__getattr__"
        and getattr(call.func.value, "id", "") != receiver
        for call in calls
    )
