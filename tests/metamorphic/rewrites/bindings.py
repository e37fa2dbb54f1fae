"""What the names of a file are bound to, as far as rewrites need it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OTHERWISE = ""
"""Stands for whatever is bound by something else than an import."""


def imported(tree: ast.Module) -> dict[str, str]:
    """The dotted names that imports bind names to, where nothing else in the file binds these names."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        for name, target in _bound(node):
            found.setdefault(name, set()).add(target)
    return {name: targets.pop() for name, targets in found.items() if len(targets) == 1 and OTHERWISE not in targets}


def _bound(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                top = alias.name.split(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        case ast.ImportFrom(module=module, names=names, level=level):
            for alias in names:
                target = f"{'.' * level}{module or ''}.{alias.name}"
                yield alias.asname or alias.name, target
        case _:
            yield from ((name, OTHERWISE) for name in bound_names(node))


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a node itself binds, without those that it imports."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case _:
            return
