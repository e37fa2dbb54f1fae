"""Whether a file imports another one, directly or through others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.index.symbols import ClassSymbol, FileSymbol, FunctionSymbol, ValueSymbol
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.project import Project
    from regbuf_lint.index.symbols import Symbol

_MOST_FILES = 200
"""Files that are looked at; one that imports more may import any."""


def imports(project: Project, file: FileFacts, wanted: FileFacts) -> bool:
    """Whether a file is another one, or imports it, or imports a file that does.

    Args:
        project: where imports are resolved.
        file: the file that imports.
        wanted: the file that may be imported. What is not certain within 200 files counts as imported.
    """
    seen = {file.path}
    waiting = [file]
    while waiting:
        one = waiting.pop()
        if one.path == wanted.path or len(seen) > _MOST_FILES:
            return True
        found = {other.path: other for other in _imported_by(project, one) if other.path not in seen}
        seen.update(found)
        waiting += found.values()
    return False


def _imported_by(project: Project, file: FileFacts) -> Iterator[FileFacts]:
    """The files of the project that run when a file imports something, or in which that stands."""
    run = (project.file(name, file.root) for name in _names_run(file))
    symbols = (symbol for name in file.scope.bindings for symbol in project.lookup(file.scope, name))
    found = dict.fromkeys(one for one in (*run, *map(_file_of, symbols)) if one is not None and one is not file)
    yield from (one for one in found if not project.is_installed(one))


def _names_run(file: FileFacts) -> Iterator[str]:
    """The dotted names that import statements of a file may run: the packages around each, too."""
    for node in walk(file.tree):
        if isinstance(node, ast.Import):
            yield from (name for alias in node.names for name in _with_packages(alias.name))
        elif isinstance(node, ast.ImportFrom):
            origin = file.absolute(node.module or "", node.level)
            yield from _with_packages(origin)
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def _with_packages(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _file_of(symbol: Symbol) -> FileFacts | None:
    if isinstance(symbol, FileSymbol):
        return symbol.file
    return symbol.scope.file if isinstance(symbol, (ClassSymbol, FunctionSymbol, ValueSymbol)) else None
