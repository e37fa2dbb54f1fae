"""Distributions that are only asked for samples which leave the device: numbers for Python, and indices."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.classes.definition import receiver_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_SAMPLERS = frozenset({"sample", "rsample"})
_CONVERSIONS = frozenset({"float", "int", "bool", "round", "str"})
_TO_HOST = frozenset({"item", "tolist", "numpy"})
_SAME_PLACE = frozenset({"squeeze", "flatten", "view", "reshape", "cpu", "detach", "long", "int", "float", "clamp"})
_DEEPEST = 6

_Parents: TypeAlias = "dict[ast.AST, ast.AST]"


def sampled_for_host(definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether the methods of some classes read the attribute for such samples only, and do read it."""
    functions: dict[str, list[FunctionNode]] = {}
    for one in definitions:
        for table in (one.methods, one.properties, one.setters):
            for function in table.values():
                functions.setdefault(function.name, []).append(function)
    readers = [_Reader(function, functions) for several in functions.values() for function in several]
    found = [reader.is_sampled(node) for reader in readers for node in reader.reads(attribute)]
    return bool(found) and all(found)


class _Reader:
    """Follows values through one method."""

    def __init__(self, function: FunctionNode, methods: Mapping[str, Sequence[FunctionNode]], depth: int = 0) -> None:
        self._function = function
        self._methods = methods
        self._depth = depth
        self._receiver = receiver_name(function)
        self._parents: _Parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}

    def reads(self, attribute: str) -> Iterator[ast.Attribute]:
        """The places where the method reads an attribute of ``self``."""
        for node in self._parents:
            if not isinstance(node, ast.Attribute) or node.attr != attribute or not isinstance(node.ctx, ast.Load):
                continue
            if isinstance(node.value, ast.Name) and node.value.id == self._receiver:
                yield node

    def is_sampled(self, node: ast.Attribute) -> bool:
        """Whether ``self.x`` stands in ``self.x.sample(...)``, the result of which leaves the device."""
        call = self._call_of_method(node, _SAMPLERS)
        return call is not None and self._leaves(call, 0)

    def name_leaves(self, name: str, depth: int) -> bool:
        """Whether every use of a local leaves the device."""
        uses = [node for node in self._parents if isinstance(node, ast.Name) and node.id == name]
        return all(self._leaves(node, depth) for node in uses if isinstance(node.ctx, ast.Load))

    def _leaves(self, node: ast.expr, depth: int) -> bool:
        if depth + self._depth > _DEEPEST:
            return False
        parent = self._parents.get(node)
        if self._call_of_method(node, _TO_HOST) is not None:
            return True
        same = self._call_of_method(node, _SAME_PLACE)
        if same is not None:
            return self._leaves(same, depth + 1)
        if isinstance(parent, ast.Call):
            return self._is_taken(parent, node, depth)
        if isinstance(parent, ast.Subscript):
            # An index may lie on the CPU, whatever the device of what it is used on.
            return parent.slice is node or self._leaves(parent, depth + 1)
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return all(self._target_leaves(target, depth + 1) for target in targets)
        if isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node:
            return self._target_leaves(parent.target, depth + 1)
        if isinstance(parent, ast.Compare):
            return self._decides(parent)
        return False

    def _target_leaves(self, target: ast.expr, depth: int) -> bool:
        return isinstance(target, ast.Name) and self.name_leaves(target.id, depth)

    def _is_taken(self, call: ast.Call, argument: ast.expr, depth: int) -> bool:
        """Whether a call turns its argument into a number, or is one of a method that does no more with it."""
        function = call.func
        if isinstance(function, ast.Name):
            return function.id in _CONVERSIONS and argument in call.args
        if not isinstance(function, ast.Attribute) or argument not in call.args:
            return False
        if not isinstance(function.value, ast.Name) or function.value.id != self._receiver:
            return False
        called = self._methods.get(function.attr, ())
        place = call.args.index(argument) + 1
        return bool(called) and all(self._method_takes(one, place, depth) for one in called)

    def _method_takes(self, function: FunctionNode, place: int, depth: int) -> bool:
        positional = (*function.args.posonlyargs, *function.args.args)
        if receiver_name(function) is None or place >= len(positional):
            return False
        inner = _Reader(function, self._methods, self._depth + depth + 1)
        return inner.name_leaves(positional[place].arg, 0)

    def _decides(self, node: ast.AST) -> bool:
        """Whether a comparison is a condition of a statement or an expression."""
        parent = self._parents.get(node)
        if isinstance(parent, (ast.BoolOp, ast.UnaryOp)):
            return self._decides(parent)
        return isinstance(parent, (ast.If, ast.While, ast.IfExp)) and parent.test is node

    def _call_of_method(self, node: ast.expr, names: frozenset[str]) -> ast.Call | None:
        """The call ``node.name(...)`` around an expression, where the name is one of some."""
        attribute = self._parents.get(node)
        if not isinstance(attribute, ast.Attribute) or attribute.attr not in names:
            return None
        call = self._parents.get(attribute)
        return call if isinstance(call, ast.Call) and call.func is attribute else None
