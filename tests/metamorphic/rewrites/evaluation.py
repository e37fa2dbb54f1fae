"""Which attributes of ``self`` a statement reads in any case, before anything runs that could set them anew."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_BUILTIN = frozenset(dir(builtins)) - {"eval", "exec", "super", "setattr", "delattr", "next", "map", "filter"}


class Reads:
    """The reads of one statement.

    Args:
        self_name: what the method calls its object.
        imported: names of modules, whose functions leave the object alone.
        stored: attributes that hold something; calling one, such as a layer, leaves the object's attributes alone.
    """

    def __init__(self, self_name: str, imported: Collection[str], stored: Collection[str]) -> None:
        self._self = self_name
        self._imported = imported
        self._stored = stored
        self._is_over = False
        self.found: list[cst.Attribute] = []

    def of_statement(self, statement: cst.BaseSmallStatement) -> list[cst.Attribute]:
        """The reads ``self.x``, in the order in which they are made."""
        match statement:
            case cst.Assign(targets=targets, value=value):
                self._visit(value, always=True)
                for target in targets:
                    self._target(target.target)
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                self._visit(value, always=True)
                self._target(target)
            case cst.AugAssign(target=target, value=value):
                self._target(target)
                self._visit(value, always=True)
            case cst.Return(value=cst.BaseExpression() as value) | cst.Expr(value=value) | cst.Assert(test=value):
                self._visit(value, always=True)
        return self.found

    def _target(self, node: cst.BaseExpression) -> None:
        """What is assigned to is no read, what it belongs to is one."""
        match node:
            case cst.Attribute(value=value):
                self._visit(value, always=True)
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                for element in elements:
                    self._target(element.value)
            case _:
                self._visit(node, always=True)

    def _visit(self, node: cst.CSTNode, *, always: bool) -> None:
        """Follow a node in the order of evaluation; not ``always``: what is read here may not be read at all."""
        match node:
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attribute)) if name == self._self:
                if always and not self._is_over and not attribute.startswith("__"):
                    self.found.append(node)
                return
            case cst.Call(func=func, args=args):
                self._callee(func, always=always)
                for arg in args:
                    self._visit(arg.value, always=always)
                self._is_over = self._is_over or not self._leaves_attributes_alone(node)
                return
            case cst.Await() | cst.Yield() | cst.NamedExpr():
                self._is_over = True
        for child, in_any_case in _in_order(node):
            self._visit(child, always=always and in_any_case)

    def _callee(self, func: cst.BaseExpression, *, always: bool) -> None:
        """A method that is called at once is no attribute that is read."""
        if not _is_attribute_of(func, self._self):
            self._visit(func, always=always)

    def _leaves_attributes_alone(self, call: cst.Call) -> bool:
        if any(isinstance(arg.value, cst.Name) and arg.value.value == self._self for arg in call.args):
            return False
        func = call.func
        if isinstance(func, cst.Attribute) and _is_attribute_of(func, self._self):
            return func.attr.value in self._stored
        root = _root(func)
        if root is None or root == self._self:
            return root is not None
        return root in _BUILTIN if isinstance(func, cst.Name) and root not in self._imported else True


def _in_order(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, bool]]:
    """What a node evaluates, in this order, and whether it does so in any case."""
    match node:
        case cst.Lambda() | cst.SimpleString():
            return
        case cst.Attribute(value=value):
            yield value, True
        case cst.BooleanOperation(left=left, right=right):
            yield from ((left, True), (right, False))
        case cst.IfExp(test=test, body=body, orelse=orelse):
            yield from ((test, True), (body, False), (orelse, False))
        case cst.Comparison(left=left, comparisons=[first, *others]):
            yield from ((left, True), (first.comparator, True))
            yield from ((other.comparator, False) for other in others)
        case cst.BaseComp(for_in=for_in):
            yield for_in.iter, True
            yield from ((child, False) for child in node.children)
        case _:
            yield from ((child, True) for child in node.children)


def _is_attribute_of(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == name


def _root(func: cst.BaseExpression) -> str | None:
    """The name that a dotted callee starts with; None if something is called or looked up on the way."""
    while isinstance(func, cst.Attribute):
        func = func.value
    return func.value if isinstance(func, cst.Name) else None
