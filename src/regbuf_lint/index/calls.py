"""Where a file calls what."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from regbuf_lint.index.scopes import is_type_checking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope


def calls_of(file: FileFacts, name: str) -> Iterator[tuple[Scope, ast.Call]]:
    """The calls in a file of what has a name, alone or behind a dot, with the innermost scope around each."""
    rows = _rows_with(file, name)
    pending: list[tuple[ast.AST, Scope]] = [(file.tree, file.scope)] if rows else []
    while pending:
        node, scope = pending.pop()
        if isinstance(node, ast.If) and is_type_checking(node.test):
            continue
        if isinstance(node, ast.Call) and name in (getattr(node.func, "attr", None), getattr(node.func, "id", None)):
            yield scope, node
        for child in reversed(list(ast.iter_child_nodes(node))):
            if isinstance(child, (ast.stmt, ast.expr)) and not _holds(child, rows):
                continue
            opens = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))
            pending.append((child, scope.child(child) if opens else scope))  # type: ignore[arg-type]


def _rows_with(file: FileFacts, name: str) -> list[int]:
    """Rows in which the name stands before a parenthesis."""
    found = re.finditer(rf"\b{re.escape(name)}\(", file.source.text)
    return list(dict.fromkeys(file.source.position(match.start()).row for match in found))


def _holds(node: ast.stmt | ast.expr, rows: list[int]) -> bool:
    last = node.end_lineno or node.lineno
    return any(node.lineno <= row <= last for row in rows)
