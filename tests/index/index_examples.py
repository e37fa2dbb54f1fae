"""Small projects of several files, given as text."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from regbuf_lint.index.project import Project
from regbuf_lint.index.symbols import ClassSymbol, External, FileSymbol, Symbol
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.index.files import FileFacts


def project_of(root: Path, main: str, files: dict[str, str]) -> tuple[Project, FileFacts]:
    """Write files, by their paths, and return the project with the file ``main.py``."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    project = Project([root], Settings(root=root))
    return project, project.add(root / "main.py", SourceText.from_text(textwrap.dedent(main), "main.py"))


def class_named(facts: FileFacts, name: str) -> ClassSymbol:
    return next(ClassSymbol(scope) for scope in facts.class_scopes() if scope.qualname.endswith(name))


def described(symbol: Symbol) -> str:
    """Return what a symbol is, and its name."""
    if isinstance(symbol, FileSymbol):
        return f"file {symbol.file.name}"
    kind = "outside" if isinstance(symbol, External) else type(symbol).__name__.removesuffix("Symbol").lower()
    return f"{kind} {symbol.name}"
