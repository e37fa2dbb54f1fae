"""The places in some statements of a method where an attribute of its object stands."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_name
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from regbuf_lint.model.span import Span

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def attributes_of(nodes: Iterable[ast.AST], receiver: str) -> Iterator[ast.Attribute]:
    """Every ``self.x``, whatever ``x`` is, with ``self`` called ``receiver``."""
    for root in nodes:
        for node in walk(root):
            if isinstance(node, ast.Attribute) and is_name(node.value, receiver):
                yield node


def is_in_inner_scope(statements: Iterable[ast.stmt], receiver: str, attribute: str) -> bool:
    """Whether a function or class that is made there names the attribute, and may use it later."""
    scopes = (node for statement in statements for node in walk(statement) if isinstance(node, _SCOPES))
    return any(node.attr == attribute for node in attributes_of(scopes, receiver))


def by_statement(
    statements: Iterable[ast.stmt], nodes: Iterable[ast.Attribute], span: Callable[[ast.expr | ast.stmt], Span]
) -> Mapping[Span, tuple[Span, ...]]:
    """The places of nodes, by the simple statement that each stands in; by itself in the head of an ``if`` or the like.

    Args:
        statements: where they stand.
        nodes: they.
        span: tells the place of a node in the file.
    """
    around: dict[int, ast.stmt] = {}
    for statement in statements:
        for inner in walk(statement):
            if isinstance(inner, _SIMPLE):
                around.update((id(node), inner) for node in walk(inner))
    found: dict[Span, tuple[Span, ...]] = {}
    for node in nodes:
        key = span(around.get(id(node), node))
        found[key] = (*found.get(key, ()), span(node))
    return found


def assigns(statement: ast.stmt, target: ast.Attribute) -> bool:
    """Whether a statement is ``target = value``, with or without an annotation, and no more."""
    if isinstance(statement, ast.Assign):
        return len(statement.targets) == 1 and statement.targets[0] is target
    return isinstance(statement, ast.AnnAssign) and statement.target is target and statement.value is not None
