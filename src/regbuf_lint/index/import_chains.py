"""Whether a file imports another one, directly or through others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.project import Project

_MOST_FILES = 2000
"""Files that are looked at; one that imports more may import any."""


def imports(outlines: Project, file: FileFacts, wanted: FileFacts) -> bool:
    """Whether a file is another one, or imports it, or imports a file that does.

    Args:
        outlines: the files of the project by their outlines, which have all import statements.
        file: the file that imports.
        wanted: the file that may be imported. What is not certain within 2,000 files counts as imported.
    """
    seen = {file.path}
    waiting = [file]
    while waiting:
        one = waiting.pop()
        if one.path == wanted.path or len(seen) > _MOST_FILES:
            return True
        found = {other.path: other for other in _imported_by(outlines, one) if other.path not in seen}
        seen.update(found)
        waiting += found.values()
    return False


def _imported_by(outlines: Project, file: FileFacts) -> Iterator[FileFacts]:
    """The files of the project that run when a file imports something."""
    found = (outlines.file(name, file.root) or outlines.beside(file, name) for name in _names_run(file))
    return (one for one in found if one is not None and not outlines.is_installed(one))


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
