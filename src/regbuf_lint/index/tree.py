"""Going through syntax trees, three times as fast as `ast` does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEVER_NODES = frozenset({"attr", "ctx", "id", "kind", "op", "ops", "type_comment"})
"""Fields that hold no part of the text that has a place: names, operators, and whether a name is read or bound."""
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def walk(root: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in the order of ``ast.walk``, without operators and the contexts of names."""
    pending = [root]
    for node in pending:
        yield node
        pending += children(node)


def children(node: ast.AST) -> list[ast.AST]:
    """The parts of a node in their order, without operators and the context of a name."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(name for name in kind._fields if name not in _NEVER_NODES)
    found: list[ast.AST] = []
    for name in fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def stands_on(node: ast.stmt | ast.expr, row: int) -> bool:
    """Whether a row, counted from 1, is one of those of a statement or expression."""
    return node.lineno <= row <= (node.end_lineno or node.lineno)
