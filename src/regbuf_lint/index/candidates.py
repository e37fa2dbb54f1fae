"""Which files may hold an nn.Module class, as far as can be told without parsing them."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from regbuf_lint.index.hierarchy import Hierarchy, base_expressions
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.index.parsing import ParseError
from regbuf_lint.index.reads import Memo
from regbuf_lint.index.symbols import ClassSymbol, own_name
from regbuf_lint.index.tree import last_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.project import Project
    from regbuf_lint.source.overlay import Overlay
    from regbuf_lint.source.text import SourceText


class Candidates:
    """Tells files of which no class is an nn.Module class, or a base class of one, from all others.

    Args:
        project: the files by their outlines, as ``Project.outlined`` gives them.
        module_classes: names that the configuration takes for nn.Module classes.
    """

    def __init__(self, project: Project, module_classes: tuple[str, ...]) -> None:
        self._project = project
        self._module_classes = module_classes
        self._start()

    def may_hold_one(self, path: Path, source: SourceText) -> bool:
        """Whether a file, with the text that counts, may hold an nn.Module class or a base class of one."""
        if self._project.has_other_text(path, source):
            self._start()
        try:
            facts = self._project.add(path, source)
        except ParseError:
            return True
        return any(self._answers.found(ClassSymbol(scope), self._may_be_one) for scope in facts.class_scopes())

    def see(self, overlay: Overlay) -> None:
        """From now on, take files for what an overlay holds, and all others for what the disk does."""
        self._project.see(overlay)
        self._start()

    def forget(self, path: Path) -> None:
        """From now on, take a file that was looked at with a text of its own for what it was before."""
        self._project.forget(path)
        self._start()

    def close(self) -> None:
        """Give up all files."""
        self._project.close()
        self._start()

    def _start(self) -> None:
        self._hierarchy = Hierarchy(self._project, self._module_classes)
        self._answers: Memo[ClassSymbol, bool] = Memo(self._project.reads)
        self._by_base: Memo[FileFacts, dict[str, list[ClassSymbol]]] = Memo(self._project.reads)

    def _may_be_one(self, symbol: ClassSymbol) -> bool:
        """Whether a class, or one that has its name among its bases or theirs, may be an nn.Module class."""
        seen = {symbol}
        pending = [symbol]
        while pending:
            one = pending.pop()
            if self._hierarchy.membership(one).verdict is not Verdict.NO:
                return True
            new = [other for other in self._named_by(one) if other not in seen]
            seen.update(new)
            pending += new
        return False

    def _named_by(self, symbol: ClassSymbol) -> Iterator[ClassSymbol]:
        """The classes of a class's package that have its name among their bases, whatever it means there."""
        name = own_name(symbol)
        for file in self._project.files_deriving(symbol.scope.file, name):
            yield from self._by_base.found(file, _by_base).get(name, ())


def _by_base(file: FileFacts) -> dict[str, list[ClassSymbol]]:
    """The classes of a file by the names of their bases."""
    found: defaultdict[str, list[ClassSymbol]] = defaultdict(list)
    for scope in file.class_scopes():
        for base in base_expressions(scope.node) if isinstance(scope.node, ast.ClassDef) else ():
            found[_name(base)].append(ClassSymbol(scope))
    return dict(found)


def _name(base: ast.expr) -> str:
    """The name of a base without those of what it stands in; empty where there is none."""
    return _name(base.value) if isinstance(base, ast.Subscript) else last_name(base)
