"""Where the values that a method works with end: as numbers of Python, or on a device."""

from __future__ import annotations

import ast
from enum import IntEnum
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_name, is_none, last_name, name_in_torch, receiver_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from regbuf_lint.index.scopes import FunctionNode

_CONVERSIONS = frozenset({"float", "int", "bool", "round", "str", "repr", "format", "print", "range"})
_TO_HOST = frozenset({"item", "tolist", "numpy"})
_ABOUT = frozenset({"shape", "ndim", "size", "dim", "ndimension", "numel", "nelement", "is_floating_point"})
_ASKING = frozenset({"len", "isinstance", "type", "id", "is_tensor", "numel", "is_floating_point"})
_PLACES = frozenset({"device", "dtype"})
_COPIES = frozenset({"list", "tuple", "reversed"})
_PAIRS = {"enumerate": 1, "zip": 0}
"""Builtins that give tuples, with the place in them of what the first argument gives."""
_RESHAPING = frozenset({"squeeze", "unsqueeze", "flatten", "view", "reshape", "contiguous", "cpu", "detach", "clone"})
_COMPUTING = frozenset(
    {
        "long", "int", "float", "double", "bool", "clamp", "sum", "mean", "prod", "max", "min", "amax", "amin", "any",
        "all", "argmax", "argmin", "abs", "exp", "log", "sqrt", "square", "sigmoid", "softmax", "count_nonzero",
        "zeros_like", "ones_like",
    }
)  # fmt: skip
_DRAWING = frozenset({"multinomial", "bernoulli"})
_DRAWS_BETWEEN = frozenset({"uniform_", "normal_"})
_SETTINGS = frozenset({"dim", "axis", "keepdim", "dtype"})
_MAKERS = frozenset({"empty", "zeros", "ones"})
_NUMBERS = frozenset({"int", "float", "bool"})
_MOST_CALLS = 4


class Ending(IntEnum):
    """What becomes of a value; the greatest of several tells what becomes of all."""

    UNUSED = 0
    """It is not used, or only asked for what is the same wherever it lies: its shape, or whether it is None."""

    HOST = 1
    """Python gets a number, a string or a decision of it."""

    STAYS = 2
    """Anything else: it may meet tensors of a device."""


class HostValues:
    """Follows values through one method, and into the methods that it passes them to.

    Args:
        function: the method.
        methods: those of the class, its bases and its subclasses, by name.
        loose: whether every index and every comparison counts as the end of a value, and a call of what only a base
            that is not at hand can define; else only an index that was iterated over, and a comparison with a number.
        calls: how many calls lie between the method and the one with which all began.
    """

    def __init__(
        self, function: FunctionNode, methods: Mapping[str, Sequence[FunctionNode]], *, loose: bool, calls: int = 0
    ) -> None:
        self.receiver = receiver_name(function)
        self.nodes = list(ast.walk(function))
        self._function = function
        self._methods = methods
        self._loose = loose
        self._calls = calls
        self._parents = {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}
        self._followed: set[tuple[str, bool]] = set()

    def is_own(self, node: ast.AST) -> bool:
        """Whether a node is ``self.x`` for any ``x``."""
        return self.receiver is not None and isinstance(node, ast.Attribute) and is_name(node.value, self.receiver)

    def call_of_method(self, node: ast.expr, names: frozenset[str]) -> ast.Call | None:
        """The call ``node.name(...)`` around an expression, where the name is one of some."""
        attribute = self._parents.get(node)
        if not isinstance(attribute, ast.Attribute) or attribute.attr not in names:
            return None
        call = self._parents.get(attribute)
        return call if isinstance(call, ast.Call) and call.func is attribute else None

    def is_kept(self, node: ast.AST) -> bool:
        """Whether what reads a value may run after the method: an inner function, a lambda or a ``partial``."""
        inner: ast.AST | None = node
        while inner is not None and inner is not self._function:
            if isinstance(inner, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)):
                return True
            if isinstance(inner, ast.Call) and last_name(inner.func) == "partial":
                return True
            inner = self._parents.get(inner)
        return False

    def ending(self, node: ast.expr, *, element: bool = False) -> Ending:
        """What becomes of the value of an expression; ``element`` says that iterating over a tensor gave it."""
        parent = self._parents.get(node)
        if isinstance(parent, ast.Attribute):
            return self._of_attribute(parent, element=element)
        if isinstance(parent, ast.keyword):
            return self._of_argument(self._parents[parent], node, parent.arg, element=element)
        if isinstance(parent, ast.Call):
            return self._of_argument(parent, node, None, element=element)
        if isinstance(parent, ast.Subscript):
            return self._of_subscript(parent, node, element=element)
        if isinstance(parent, (ast.BinOp, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.IfExp)):
            return self._of_operand(parent, node, element=element)
        if isinstance(parent, (ast.If, ast.While, ast.Assert)):
            return Ending.HOST if parent.test is node else Ending.STAYS
        if isinstance(parent, (ast.FormattedValue, ast.Slice)):
            return Ending.HOST
        return Ending.UNUSED if isinstance(parent, ast.Expr) else self._of_binding(parent, node, element=element)

    def of_name(self, name: str, *, element: bool = False) -> Ending:
        """What becomes of the values of a local."""
        if (name, element) in self._followed:
            return Ending.UNUSED
        self._followed.add((name, element))
        uses = [node for node in self.nodes if isinstance(node, ast.Name) and node.id == name]
        changes = [self._of_change(node) for node in uses if isinstance(self._parents[node], ast.AugAssign)]
        return worst(
            [*changes, *(self.ending(node, element=element) for node in uses if isinstance(node.ctx, ast.Load))]
        )

    def _of_change(self, target: ast.expr) -> Ending:
        """What an assignment puts into a value: a number, or another value that ends as it does."""
        statement = self._parents[target]
        value = getattr(statement, "value", None)
        return Ending.UNUSED if value is not None and (self._is_number(value) or self._is_made(value)) else Ending.STAYS

    def _of_attribute(self, attribute: ast.Attribute, *, element: bool) -> Ending:
        name = attribute.attr
        if name in _ABOUT:
            return Ending.UNUSED
        if name in _PLACES:
            return self._of_place(attribute)
        call = self._parents.get(attribute)
        if not isinstance(call, ast.Call) or call.func is not attribute:
            return Ending.STAYS
        if name in _TO_HOST:
            return Ending.HOST
        return self.ending(call, element=element) if self._stays_alone(name, call.args, call) else Ending.STAYS

    def _stays_alone(self, name: str, others: Iterable[ast.expr], call: ast.Call) -> bool:
        """Whether a function of a tensor gives another one, and takes no second tensor."""
        if name in _RESHAPING | _DRAWING:
            return True
        numbers = (*others, *(keyword.value for keyword in call.keywords if keyword.arg not in _SETTINGS))
        return name in _COMPUTING and all(self._is_number(one) for one in numbers)

    def _of_place(self, node: ast.expr) -> Ending:
        """What becomes of what is made on the device, or with the dtype, of a value."""
        parent = self._parents.get(node)
        call = self._parents.get(parent) if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call):
            return self.ending(call)
        if isinstance(parent, ast.Assign) and all(isinstance(target, ast.Name) for target in parent.targets):
            names = {target.id for target in parent.targets if isinstance(target, ast.Name)}
            uses = (one for one in self.nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
            return worst(self._of_place(one) for one in uses if one.id in names)
        asked = isinstance(parent, (ast.Compare, ast.FormattedValue, ast.Attribute))
        return Ending.UNUSED if asked else Ending.STAYS

    def _of_argument(self, call: ast.AST, argument: ast.expr, keyword: str | None, *, element: bool) -> Ending:
        if not isinstance(call, ast.Call) or call.func is argument:
            return Ending.STAYS
        if isinstance(call.func, ast.Name):
            if call.func.id in _PAIRS and argument in call.args:
                return self._of_pairs(call, call.args.index(argument) + _PAIRS[call.func.id])
            return self._of_builtin(call, call.func.id, element=element)
        if not isinstance(call.func, ast.Attribute):
            return Ending.STAYS
        if self.is_own(call.func):
            if self._loose and self._is_inherited(call.func.attr):
                return Ending.HOST  # for all that can be read
            place = call.args.index(argument) if keyword is None else keyword
            return worst(self._of_method(one, place) for one in self._methods.get(call.func.attr, (None,)))
        return self._of_library(call, call.func, argument, element=element)

    def _is_inherited(self, name: str) -> bool:
        """Whether nothing at hand defines or stores what is called, so that it is a method of some other base."""
        if name in self._methods:
            return False
        nodes = (node for several in self._methods.values() for function in several for node in ast.walk(function))
        return not any(
            (isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store))
            or (isinstance(node, ast.Constant) and node.value == name)
            for node in nodes
        )

    def _of_builtin(self, call: ast.Call, name: str, *, element: bool) -> Ending:
        if name in _CONVERSIONS:
            return Ending.HOST
        if name in _ASKING:
            return Ending.UNUSED
        return self.ending(call, element=element) if name in _COPIES else Ending.STAYS

    def _of_pairs(self, call: ast.Call, place: int) -> Ending:
        """What becomes of the items at one place of the tuples that a loop gets."""
        parent = self._parents.get(call)
        if not isinstance(parent, (ast.For, ast.comprehension)) or not isinstance(parent.target, ast.Tuple):
            return Ending.STAYS
        places = parent.target.elts
        return self._of_target(places[place], element=True) if place < len(places) else Ending.STAYS

    def _of_library(self, call: ast.Call, function: ast.Attribute, argument: ast.expr, *, element: bool) -> Ending:
        """What becomes of an argument of a function of ``torch`` or ``math``, or of a draw between two bounds."""
        if function.attr in _DRAWS_BETWEEN:
            made = isinstance(function.value, ast.Call) and name_in_torch(function.value.func) in _MAKERS
            return self.ending(call) if made else Ending.STAYS
        if isinstance(function.value, ast.Name) and function.value.id == "math":
            return Ending.HOST
        if function.attr == "format" and isinstance(function.value, ast.Constant):
            return Ending.HOST
        name = name_in_torch(function)
        if name in _ASKING:
            return Ending.UNUSED
        alone = argument in call.args[:1] and self._stays_alone(name, call.args[1:], call)
        return self.ending(call, element=element) if alone else Ending.STAYS

    def _of_method(self, function: FunctionNode | None, place: int | str) -> Ending:
        """What becomes of an argument within a method."""
        if function is None or self._calls >= _MOST_CALLS or receiver_name(function) is None:
            return Ending.STAYS
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        if isinstance(place, str):
            taken = place if place in {*names, *(one.arg for one in function.args.kwonlyargs)} else None
        else:
            taken = names[place + 1] if place + 1 < len(names) else None
        if taken is None:
            return Ending.STAYS
        return HostValues(function, self._methods, loose=self._loose, calls=self._calls + 1).of_name(taken)

    def _of_subscript(self, parent: ast.Subscript, node: ast.expr, *, element: bool) -> Ending:
        if parent.slice is node:
            # An index may lie on the CPU, whatever the device of what it is used on.
            return Ending.HOST if self._loose or element else Ending.STAYS
        if isinstance(parent.ctx, ast.Store):
            return self._of_change(parent)
        return self.ending(parent, element=element) if isinstance(parent.ctx, ast.Load) else Ending.STAYS

    def _of_operand(self, parent: ast.expr, node: ast.expr, *, element: bool) -> Ending:
        if isinstance(parent, ast.Compare) and _asks_for_none(parent):
            return Ending.UNUSED
        if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
            return Ending.HOST
        if isinstance(parent, ast.IfExp):
            if parent.test is node:
                return Ending.HOST
            return Ending.UNUSED if _is_none_there(parent, node) else self.ending(parent, element=element)
        if isinstance(parent, ast.Compare):
            others = [one for one in (parent.left, *parent.comparators) if one is not node]
            return self.ending(parent) if self._loose or all(map(self._is_number, others)) else Ending.STAYS
        if isinstance(parent, ast.BinOp):
            other = parent.left if parent.right is node else parent.right
            return self.ending(parent) if self._is_number(other) else Ending.STAYS
        return self.ending(parent)

    def _of_binding(self, parent: ast.AST | None, node: ast.expr, *, element: bool) -> Ending:
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return worst(self._of_target(target, element=element) for target in targets)
        if isinstance(parent, ast.comprehension) and node in parent.ifs:
            return Ending.HOST
        if isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node:
            return self._of_target(parent.target, element=True)
        return Ending.STAYS

    def _of_target(self, target: ast.expr, *, element: bool) -> Ending:
        if isinstance(target, ast.Tuple):
            return worst(self._of_target(one, element=element) for one in target.elts)
        if isinstance(target, ast.Subscript):
            target = target.value
        return self.of_name(target.id, element=element) if isinstance(target, ast.Name) else Ending.STAYS

    def _is_made(self, value: ast.expr, depth: int = 0) -> bool:
        """Whether a local is made of values that are followed, so that it ends with them."""
        if not isinstance(value, ast.Name) or depth > _MOST_CALLS:
            return False
        followed = {name for name, _ in self._followed}
        assigned = [
            node.value
            for node in self.nodes
            if isinstance(node, ast.Assign) and any(is_name(target, value.id) for target in node.targets)
        ]
        names = [[one for one in ast.walk(source) if isinstance(one, ast.Name)] for source in assigned]
        return bool(names) and all(
            any(one.id in followed or (one.id != value.id and self._is_made(one, depth + 1)) for one in several)
            for several in names
        )

    def _is_number(self, node: ast.expr) -> bool:
        """Whether an expression is certainly a number of Python, or a tuple of such."""
        if isinstance(node, (ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List)):
            return all(self._is_number(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            return name in _TO_HOST if isinstance(node.func, ast.Attribute) else name in _NUMBERS | {"len"}
        if isinstance(node, ast.Name):
            return self._is_named_number(node.id)
        return isinstance(node, ast.Constant)

    def _is_named_number(self, name: str) -> bool:
        """Whether an argument is annotated as a number, or a local is assigned nothing but numbers."""
        arguments = self._function.args
        known = [one for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if one.arg == name]
        if known:
            return any(getattr(one.annotation, "id", "") in _NUMBERS for one in known)
        named = (node for node in self.nodes if isinstance(node, ast.Name) and node.id == name)
        statements = [self._parents[node] for node in named if isinstance(node.ctx, ast.Store)]
        return bool(statements) and all(
            isinstance(one, ast.Assign)
            and isinstance(one.value, (ast.Call, ast.Constant))
            and self._is_number(one.value)
            for one in statements
        )


def worst(endings: Iterable[Ending]) -> Ending:
    """What becomes of several values together."""
    return max(endings, default=Ending.UNUSED)


def _asks_for_none(node: ast.Compare) -> bool:
    return all(map(is_none, node.comparators)) and all(
        isinstance(one, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)) for one in node.ops
    )


def _is_none_there(choice: ast.IfExp, node: ast.expr) -> bool:
    """Whether a value is None where ``x if x is None else ...`` gives it."""
    test = choice.test
    if not isinstance(test, ast.Compare) or not _asks_for_none(test) or ast.dump(test.left) != ast.dump(node):
        return False
    return choice.body is node if isinstance(test.ops[0], (ast.Is, ast.Eq)) else choice.orelse is node
