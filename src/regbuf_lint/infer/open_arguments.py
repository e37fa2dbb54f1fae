"""Constructor arguments that might be tensors for all that the class says: by annotation, default and use."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import arguments_with_defaults, is_name, is_none, last_name, receiver_name
from regbuf_lint.classes.stores import stores_in
from regbuf_lint.model.value import NoneValue, Tensor, Value, is_only, may_be
from regbuf_lint.torch_facts.table import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_NUMBERS_ONLY = frozenset({"range", "chr", "open", "getattr", "setattr", "hasattr", "issubclass"})
"""Builtins that fail when they are given a tensor, or that make no sense of one."""


def open_arguments(definition: ClassDefinition, allowed: Callable[[ast.expr], Value]) -> frozenset[str]:
    """Arguments of a class's own ``__init__`` that might be tensors and that the object keeps or computes from.

    Only names that reach an attribute directly count: what is handed on is somebody else's.

    Args:
        definition: the class.
        allowed: gives the values that an annotation allows.
    """
    function = definition.methods.get("__init__")
    if function is None:
        return frozenset()
    kept = _Kept(receiver_name(function))
    kept.visit(function)
    names = frozenset(_undecided(function, allowed)) & kept.used | frozenset(_keywords(function))
    if not names:
        return frozenset()
    same = {attribute: name for attribute, name in kept.direct.items() if name in names}
    refused = set(_refused(function, names, None, {}))
    for method in (*definition.methods.values(), *definition.properties.values()):
        refused.update(_refused(method, frozenset(), receiver_name(method), same))
    return names - refused


def _undecided(function: FunctionNode, allowed: Callable[[ast.expr], Value]) -> Iterator[str]:
    """Arguments of which no annotation says whether they are tensors, and that have no default but None."""
    for argument, default in arguments_with_defaults(function)[1:]:
        has_default = default is not None and not is_none(default)
        if not has_default and (argument.annotation is None or _leaves_open(allowed(argument.annotation))):
            yield argument.arg


def _leaves_open(value: Value) -> bool:
    """Whether tensors are allowed and other things too (``float | Tensor``)."""
    return may_be(value, Tensor) and not is_only(value, Tensor, NoneValue)


def _keywords(function: FunctionNode) -> Iterator[str]:
    """Names under which the function asks ``**kwargs`` for something that it cannot do without."""
    rest = function.args.kwarg
    for target, value in stores_in(function) if rest is not None else ():
        asked = _asked(value, rest.arg) if rest is not None else None
        if asked and asked == last_name(target):
            yield asked


def _asked(value: ast.expr, rest: str) -> str | None:
    """The key of ``rest["key"]`` and ``rest.pop("key")``; None for any other expression."""
    owner: ast.expr
    match value:
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(key))):
            pass
        case ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[ast.Constant(value=str(key))]):
            pass
        case _:
            return None
    return key if is_name(owner, rest) else None


@dataclass
class _Kept(ast.NodeVisitor):
    """Names in what is stored on the object.

    Attributes:
        receiver: name of the first parameter.
        used: names that what is stored, or a local, is computed from.
        direct: for each attribute that is one of these names and nothing else, the name.
    """

    receiver: str | None
    used: set[str] = field(default_factory=set)
    direct: dict[str, str] = field(default_factory=dict)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.used.update(one.id for one in ast.walk(node.value) if isinstance(one, ast.Name))
        for target in node.targets:
            if isinstance(target, ast.Attribute) and isinstance(node.value, ast.Name):
                self._note(target, node.value.id)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit_Assign(ast.Assign([node.target], node.value))

    def _note(self, target: ast.Attribute, name: str) -> None:
        if is_name(target.value, self.receiver):
            self.direct[target.attr] = name


def _refused(
    function: FunctionNode, names: frozenset[str], receiver: str | None, attributes: dict[str, str]
) -> Iterator[str]:
    """Those of some names (or of the names that attributes hold) that a method uses as no tensor is used."""

    def meant(node: ast.AST | None) -> str | None:
        if isinstance(node, ast.Name) and node.id in names:
            return node.id
        if isinstance(node, ast.Attribute) and is_name(node.value, receiver):
            return attributes.get(node.attr)
        return None

    for node in ast.walk(function):
        yield from (name for name in map(meant, _no_tensors(node)) if name is not None)


def _no_tensors(node: ast.AST) -> Iterator[ast.AST | None]:
    """The parts of an expression or statement that, standing where they stand, are hardly tensors."""
    if isinstance(node, ast.Attribute):
        if node.attr not in table().methods and node.attr not in table().properties:
            yield node.value
    elif isinstance(node, ast.Call):
        yield node.func
        if _is_about_numbers(node.func):
            yield from node.args
    elif isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            yield node.value
    elif isinstance(node, ast.Compare):
        yield from _compared(node)
    elif isinstance(node, ast.keyword) and node.arg is None:
        yield node.value
    else:
        yield from _tested(node)


def _tested(node: ast.AST) -> Iterator[ast.AST]:
    """What is taken for true or false, which a tensor of several elements cannot be."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield node.test
    elif isinstance(node, ast.BoolOp):
        yield from node.values
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def _is_about_numbers(callee: ast.expr) -> bool:
    """``range``, or a layer of ``nn`` that takes sizes: losses alone are given weights."""
    if isinstance(callee, ast.Name):
        return callee.id in _NUMBERS_ONLY
    if isinstance(callee, ast.Attribute) and isinstance(callee.value, (ast.Name, ast.Attribute)):
        owner = callee.value.attr if isinstance(callee.value, ast.Attribute) else callee.value.id
        return owner == "nn" and callee.attr[:1].isupper() and not callee.attr.endswith(("Loss", "Parameter", "Buffer"))
    return False


def _compared(node: ast.Compare) -> Iterator[ast.expr]:
    sides = [node.left, *node.comparators]
    if any(isinstance(side, ast.Constant) and isinstance(side.value, (str, bool)) for side in sides):
        yield from sides
    if any(isinstance(operator, (ast.In, ast.NotIn)) for operator in node.ops):
        yield node.left
