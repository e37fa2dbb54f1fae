"""One parsed file of the project or of an installed package."""

from __future__ import annotations

import ast
import re
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.index.outline import outline_digest
from regbuf_lint.index.reads import Content, Outline
from regbuf_lint.index.scopes import Scope, ScopeNode, is_type_checking, nested_blocks
from regbuf_lint.model.span import Span
from regbuf_lint.source.python_files import PACKAGE_FILE
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint.index.statements import Room, Statements

_OF_TENSORS = frozenset({"torch", "numpy", "scipy"})
_INDENTED_CLASS = re.compile(r"^[ \t\f]+class\b", re.MULTILINE)


class FileFacts:
    """The tree of a file and what it binds.

    Attributes:
        path: where the file lies.
        name: dotted import name ("pkg.models.vit"); of a package's ``__init__.py``, the package's name.
        root: directory that has to be on the path for that name.
        source: its text, or as much of it as the tree shows.
        statements: the statements at its top.
        scope: its top-level names.

    Args:
        path: where the file lies.
        name: its import name.
        root: the directory for that name.
        source: the whole text.
        look: what is kept of a text, and the statements of that.
        room: where what it takes is counted.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        root: Path,
        source: SourceText,
        look: Callable[[str, Room], tuple[str, Statements]],
        room: Room,
    ) -> None:
        kept, self.statements = look(source.text, room)
        self.path = path
        self.name = name
        self.root = root
        self.source = source if kept is source.text else SourceText.from_text(kept, source.path_label)
        self._is_whole = kept is source.text
        self._hash = hash(source.text)
        self.is_package = path.name == PACKAGE_FILE
        self._scopes: dict[int, Scope] = {}
        self.scope = Scope(self.statements.others, self, None, "")

    @cached_property
    def tree(self) -> ast.Module:
        """The tree of the whole file, or of as much of it as parses."""
        return self.statements.readable()

    @cached_property
    def seen(self) -> Content | Outline:
        """What answers rest on that are found in the file."""
        if self._is_whole:
            return Content(str(self.path))
        return Outline(str(self.path), outline_digest(self.source.text))

    def is_of(self, source: SourceText) -> bool:
        """Whether the file has a text, as far as 64 bits of its hash tell."""
        return self._hash == hash(source.text)

    def close(self) -> None:
        """Give up the tree, so that it leaves memory at once: scopes, file and what they tell hold each other."""
        for scope in (self.scope, *self._scopes.values()):
            scope.__dict__.clear()
        self.__dict__.clear()

    def scope_of(self, node: ScopeNode, parent: Scope) -> Scope:
        """The one scope object of a class or function."""
        known = self._scopes.get(id(node))
        if known is None:
            name = getattr(node, "name", "<lambda>")
            qualname = f"{parent.qualname}.{name}" if parent.qualname else name
            known = self._scopes[id(node)] = Scope(node, self, parent, qualname)
        return known

    @property
    def package_directory(self) -> Path | None:
        """The directory of the top-level package that the file belongs to, None where it belongs to none."""
        depth = len(self.name.split(".")) - (1 if self.is_package else 2)
        return self.path.parents[depth] if depth >= 0 else None

    @cached_property
    def imported_packages(self) -> frozenset[str]:
        """The top-level packages from which the file's own scope imports names."""
        return frozenset(one.origin.partition(".")[0] for _, one in self.scope.imports)

    @property
    def imports_tensors(self) -> bool:
        """Whether the file's own scope imports from a library of tensors or arrays."""
        return not self.imported_packages.isdisjoint(_OF_TENSORS)

    def absolute(self, origin: str, level: int) -> str:
        """The absolute name of what ``from <level dots><origin> import ...`` in this file names."""
        if level == 0:
            return origin
        parts = self.name.split(".")
        drop = level - 1 if self.is_package else level
        base = parts[: len(parts) - drop] if drop <= len(parts) else []
        return ".".join([*base, origin] if origin else base)

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Where a node stands, in characters."""
        end_row = node.end_lineno if node.end_lineno is not None else node.lineno
        end_column = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        return Span(
            self.source.utf8_position(node.lineno, node.col_offset),
            self.source.utf8_position(end_row, end_column),
        )

    def class_scopes(self) -> Iterator[Scope]:
        """The scopes of all classes of the file, nested and function-local ones too, in the order of the file."""
        nested = _INDENTED_CLASS.search(self.source.text) is not None
        return _classes(self.tree.body, self.scope, deep=nested)


def _classes(body: list[ast.stmt], scope: Scope, *, deep: bool) -> Iterator[Scope]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            inner = scope.child(statement)
            yield inner
            if deep:
                yield from _classes(statement.body, inner, deep=deep)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if deep:
                yield from _classes(statement.body, scope.child(statement), deep=deep)
        elif isinstance(statement, (ast.If, ast.Try, ast.With, ast.For, ast.While)) or hasattr(statement, "cases"):
            if isinstance(statement, ast.If) and is_type_checking(statement.test):
                continue
            for block in nested_blocks(statement):
                yield from _classes(block, scope, deep=deep)


def import_name(path: Path, has: Callable[[Path, str], bool]) -> tuple[str, Path]:
    """The dotted name under which a file is imported, and the directory that has to be on the path for it.

    Packages are recognised by ``__init__.py``; a file outside any package has its stem for a name. A directory
    with a dot in its name, as that of many a checkout, is none: no import could tell it from a package in a package.

    Args:
        path: the file.
        has: tells whether a directory has an entry of some name.
    """
    parts = [] if path.name == PACKAGE_FILE else [path.stem]
    directory = path.parent
    while "." not in directory.name and has(directory, PACKAGE_FILE) and directory.parent != directory:
        parts.append(directory.name)
        directory = directory.parent
    return ".".join(reversed(parts)) or path.parent.name, directory


def installed_roots() -> tuple[Path, ...]:
    """Directories of installed packages, in the order in which the interpreter looks."""
    return tuple(Path(entry) for entry in sys.path if entry.endswith(("site-packages", "dist-packages")))
