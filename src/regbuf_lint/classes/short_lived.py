"""Whether what a call makes ends with the function around it, as its text tells."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.classes.definition import bound_in, given_expressions
from regbuf_lint.index.tree import children, last_name, of_kind, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from regbuf_lint.index.scopes import FunctionNode

Keeps: TypeAlias = "Callable[[ast.Call, ast.expr], bool]"
"""Whether what a call runs keeps what the call gives it, as the constructor of an nn.Module does."""


def ends_with(
    function: FunctionNode | ast.Module, call: ast.Call, keeps: Keeps, but: frozenset[str] = frozenset()
) -> bool:
    """Whether a function, or a script, uses what a call makes and lets nobody else have it for longer.

    It may call it, ask for its attributes, hold it in a local, and give it to what is neither an object at hand nor
    keeps what it is given. What a method of it gives ends there, too, since that may be the object itself.

    Args:
        function: the function.
        call: the call in it.
        keeps: see ``Keeps``.
        but: names of methods that it must not call of it; where there are any, it must not set its attributes either.
    """
    return _is_let_go(function, [call], keeps, but)


def lets_go(function: FunctionNode, call: ast.Call, given: ast.expr, keeps: Keeps, but: frozenset[str]) -> bool:
    """Whether a function that is no method uses what a call gives it, and lets nobody else have it for longer.

    Args:
        function: what the call runs.
        call: the call.
        given: one of its arguments.
        keeps: see ``Keeps``.
        but: see ``ends_with``.
    """
    names = [name for name, value in given_expressions(function, call, is_method=False).items() if value is given]
    reads: list[ast.expr] = [one for name in names for one in _reads_of(function, name)]
    return bool(names) and _is_let_go(function, reads, keeps, but)


def _is_let_go(function: FunctionNode | ast.Module, waiting: list[ast.expr], keeps: Keeps, but: frozenset[str]) -> bool:
    around = {child: node for node in walk(function) for child in children(node)}
    local = bound_in(function)
    named: set[str] = set()
    while waiting:
        node = waiting.pop()
        if but and _is_changed(around, node):
            return False
        name = _name_for(around, node)
        method = _method_call(around, node)
        if name is not None and name not in named:
            named.add(name)
            waiting += _reads_of(function, name)
        elif method is not None:
            if last_name(method.func) in but:
                return False
            waiting.append(method)  # as `to`, it may give the object itself
        elif name is None and not _is_used_up(around, node, local, keeps):
            return False
    return True


def _is_changed(around: Mapping[ast.AST, ast.AST], node: ast.expr) -> bool:
    """Whether a statement sets or deletes an attribute of what an expression gives."""
    attribute = around.get(node)
    return isinstance(attribute, ast.Attribute) and not isinstance(attribute.ctx, ast.Load)


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


def _reads_of(function: FunctionNode | ast.Module, name: str) -> Iterator[ast.Name]:
    names = of_kind(function, ast.Name)
    return (node for node in names if node.id == name and isinstance(node.ctx, ast.Load))


def _is_used_up(around: Mapping[ast.AST, ast.AST], node: ast.expr, local: frozenset[str], keeps: Keeps) -> bool:
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
    return parent.func is node or not (is_at_hand or keeps(parent, node))
