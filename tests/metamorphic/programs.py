"""Programs whose findings are compared before and after a rewrite: a fixture that stands alone, or a whole project."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING

import libcst as cst

from fixture_cases import FIXTURES, Case, all_cases

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rewrites.rewrite import Rewritten

    from regbuf_lint.source.text import SourceText

_WORD = re.compile(r"[A-Za-z_]\w*")
_NEWLINE = re.compile(r"\r\n|\r")


class File:
    """One Python file, parsed once for all rewrites."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = _NEWLINE.sub("\n", source.text)

    @cached_property
    def module(self) -> cst.Module:
        """The tree that rewrites change."""
        return cst.parse_module(self.text)

    @cached_property
    def tree(self) -> ast.Module:
        """The tree that rewrites ask questions of."""
        return ast.parse(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Everything that looks like a name, in strings and comments too."""
        return words(self.text)


@dataclass(frozen=True)
class Program:
    """Files that belong together.

    Attributes:
        name: the fixture's, or that of the project's directory.
        cases: the Python files, all of them linted, by path within the program.
        others: the other files, which stay as they are.
        changed: the texts of those Python files that are others than the fixture's, by path.
        rewritten: what rewrites have made of the program, by their names.
    """

    name: str
    cases: Mapping[str, Case]
    others: Mapping[str, bytes]
    changed: Mapping[str, str] = field(default_factory=dict, repr=False)
    rewritten: dict[str, Rewritten] = field(default_factory=dict, repr=False)

    @cached_property
    def files(self) -> Mapping[str, File]:
        """The Python files, by path within the program."""
        sources = {path: case.source() for path, case in self.cases.items()}
        return {
            path: File(source.with_text(self.changed[path]) if path in self.changed else source)
            for path, source in sources.items()
        }

    @cached_property
    def configured(self) -> frozenset[str]:
        """What looks like a name in files that are no Python: settings speak of classes and attributes."""
        return frozenset().union(*(words(data.decode()) for data in self.others.values()))

    @cached_property
    def words(self) -> frozenset[str]:
        """Everything that looks like a name in any of the files."""
        return self.configured.union(*(file.words for file in self.files.values()))

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The texts of the Python files."""
        return {path: file.text for path, file in self.files.items()}

    def encoded(self, texts: Mapping[str, str]) -> dict[str, bytes]:
        """All files as they lie on a disk, the Python files with these texts."""
        return {**self.others, **{path: self.files[path].source.encode(text) for path, text in texts.items()}}

    @property
    def is_project(self) -> bool:
        """Whether its files have to lie on the disk, since one imports the other."""
        return any(case.project is not None for case in self.cases.values())

    def fresh(self, wanted: str) -> str:
        """The name that is wanted, with a number where a file mentions it."""
        return next(name for name in _numbered(wanted) if name not in self.words)


def words(text: str) -> frozenset[str]:
    """Everything in a text that looks like a name."""
    return frozenset(_WORD.findall(text))


@cache
def all_programs() -> tuple[Program, ...]:
    """Every fixture, those of one project together; for all tests the same objects, each parsed once."""
    return tuple(sorted(_programs(all_cases()), key=lambda program: program.name))


def _programs(cases: Iterable[Case]) -> Iterator[Program]:
    projects: dict[Path, list[Case]] = {}
    for case in cases:
        if case.project is None:
            yield Program(case.name, {case.path.name: case}, {})
        else:
            projects.setdefault(case.project, []).append(case)
    for directory, members in projects.items():
        others = (path for path in directory.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"})
        yield Program(
            directory.relative_to(FIXTURES).as_posix(),
            {case.path.relative_to(directory).as_posix(): case for case in members},
            {path.relative_to(directory).as_posix(): path.read_bytes() for path in others},
        )


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}{number}"
        number += 1
