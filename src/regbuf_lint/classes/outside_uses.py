"""What the rest of a file does with the attributes and methods of an object that is not its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import last_name, receiver_name
from regbuf_lint.classes.stores import stores_in
from regbuf_lint.model.use import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.classes.definition import ClassDefinition

_HOOKING = frozenset({"register_forward_hook", "register_forward_pre_hook"})


def hooked(tree: ast.Module) -> frozenset[str]:
    """Names of the methods that a file registers as hooks, which run with the ``forward`` of some part."""
    arguments = (
        argument
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and last_name(node.func) in _HOOKING
        for argument in (*node.args, *(one.value for one in node.keywords))
    )
    return frozenset(one.attr for one in arguments if isinstance(one, ast.Attribute))


def always_called_in_forward(tree: ast.Module) -> frozenset[str]:
    """Names of the methods that some ``forward`` of a file calls whenever it runs, on whatever object."""
    return frozenset(name for forward in _forwards(tree) for name in _called(forward.body))


def _forwards(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "forward")


def _called(block: list[ast.stmt]) -> Iterator[str]:
    """Names of the methods that a block calls as statements of their own, in whatever loop but behind no condition."""
    for statement in block:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            yield call.func.attr
        elif isinstance(statement, (ast.For, ast.With)):
            yield from _called(statement.body)


def set_from_outside(tree: ast.Module) -> frozenset[str]:
    """Names of the attributes that some ``forward`` of a file sets, of an object that it does not belong to."""
    return frozenset(
        target.attr
        for forward in _forwards(tree)
        for target, _ in stores_in(forward)
        if isinstance(target, ast.Attribute)
        and not (isinstance(target.value, ast.Name) and target.value.id == _first_argument(forward))
    )


def _first_argument(function: ast.FunctionDef) -> str:
    """The object's name, or that of the context which ``torch.autograd.Function`` gives its static methods."""
    names = [*function.args.posonlyargs, *function.args.args]
    return names[0].arg if names else ""


def read_outside(tree: ast.Module, definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether a file reads an attribute of that name from an object other than its ``self``.

    One that passes it on, under the same name, leaves the question to whoever reads it there.
    """
    receivers = {receiver_name(one) for definition in definitions for one in definition.methods.values()}
    passed_on = {id(value) for target, value in stores_in(tree) if getattr(target, "attr", None) == attribute}
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and isinstance(node.ctx, ast.Load)
        and id(node) not in passed_on
        and not (isinstance(node.value, ast.Name) and node.value.id in receivers)
        for node in _running(tree)
    )


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a file without those of methods that compare or show objects."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.FunctionDef) and node.name in IDENTITY):
            yield node
            yield from _running(node)
