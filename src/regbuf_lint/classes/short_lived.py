"""Whether what a call makes ends with the function around it, as its text tells."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.container_fills import FILLING
from regbuf_lint.classes.definition import bound_in, last_name
from regbuf_lint.index.tree import children, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from regbuf_lint.index.scopes import FunctionNode

_STORING = FILLING | {"setattr", "add_module", "register_module"}
"""Functions and methods that put what they are given into something else."""


def ends_with(function: FunctionNode, call: ast.Call, keeps: Callable[[ast.expr], bool]) -> bool:
    """Whether a function uses what a call makes and lets nobody else have it for longer.

    It may call it, ask for its attributes, hold it in a local, and give it to what is neither an object at hand nor
    keeps what it is given. What a method of it gives ends there, too, since that may be the object itself.

    Args:
        function: the function.
        call: the call in it.
        keeps: whether what is called keeps what it is given, as the constructor of an nn.Module does.
    """
    around = {child: node for node in walk(function) for child in children(node)}
    local = bound_in(function)
    waiting: list[ast.expr] = [call]
    named: set[str] = set()
    while waiting:
        node = waiting.pop()
        name = _name_for(around, node)
        method = _method_call(around, node)
        if name is not None and name not in named:
            named.add(name)
            waiting += (one for one in walk(function) if _reads(one, name))  # type: ignore[misc]
        elif method is not None:
            waiting.append(method)  # as `to`, it may give the object itself
        elif name is None and not _is_used_up(around, node, local, keeps):
            return False
    return True


def may_keep(function: FunctionNode) -> bool:
    """Whether a function may keep what it is given for longer than it runs: it stores something, or gives it back."""
    return any(map(_stores_or_returns, walk(function)))


def _stores_or_returns(node: ast.AST) -> bool:
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.Call):
        return last_name(node.func) in _STORING
    return isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)) and not isinstance(node.value, ast.Constant | None)


def _method_call(around: Mapping[ast.AST, ast.AST], node: ast.expr) -> ast.Call | None:
    """The call of a method of what an expression gives."""
    attribute = around.get(node)
    call = around.get(attribute) if isinstance(attribute, ast.Attribute) else None
    return call if isinstance(call, ast.Call) and call.func is attribute else None


def _name_for(around: Mapping[ast.AST, ast.AST], node: ast.expr) -> str | None:
    """The local that a statement does no more than give a value."""
    statement = around.get(node)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _is_used_up(
    around: Mapping[ast.AST, ast.AST], node: ast.expr, local: frozenset[str], keeps: Callable[[ast.expr], bool]
) -> bool:
    parent = around.get(node)
    if isinstance(parent, ast.keyword):
        parent = around.get(parent)
    if isinstance(parent, (ast.Attribute, ast.Expr)):
        return True
    if not isinstance(parent, ast.Call):
        return False
    root: ast.expr = parent.func
    while isinstance(root, ast.Attribute):
        root = root.value
    is_at_hand = not isinstance(root, ast.Name) or root.id in local
    return parent.func is node or not (is_at_hand or keeps(parent.func))
