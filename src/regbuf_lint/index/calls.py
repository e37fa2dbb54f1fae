"""Where a file calls what."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.index.scopes import is_type_checking

if TYPE_CHECKING:
    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope


def calls_by_name(file: FileFacts) -> dict[str, list[tuple[Scope, ast.Call]]]:
    """The calls of a file with the innermost scope around each, by the last part of the name that is called."""
    found: dict[str, list[tuple[Scope, ast.Call]]] = {}
    pending: list[tuple[ast.AST, Scope]] = [(file.tree, file.scope)]
    while pending:
        node, scope = pending.pop()
        if isinstance(node, ast.If) and is_type_checking(node.test):
            continue
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if name is not None:
                found.setdefault(name, []).append((scope, node))
        for child in ast.iter_child_nodes(node):
            opens = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))
            pending.append((child, scope.child(child) if opens else scope))  # type: ignore[arg-type]
    return found
