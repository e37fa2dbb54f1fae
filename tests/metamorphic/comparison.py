"""The findings of programs before and after rewrites."""

from __future__ import annotations

import gc
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fixture_cases import Case
from regbuf_lint.engine.run import check_source
from regbuf_lint.engine.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from programs import Program
    from rewrites.rewrite import Rewrite, Rewritten

    from regbuf_lint.model.settings import Settings


class Found(NamedTuple):
    """What a rewrite has to leave as it is of a finding; where it stands, and its words, may change."""

    code: str
    class_name: str
    attribute: str

    def __str__(self) -> str:
        """As a report writes it."""
        return f"{self.code} {self.class_name}.{self.attribute}".rstrip(" .")


class Difference(NamedTuple):
    """How the findings of a rewritten program differ from those of the program as it was."""

    lost: tuple[str, ...]
    gained: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """One rewrite of all programs.

    Attributes:
        rewritten: how many programs it changes.
        differences: those in whose findings something changes, by the name of the program.
    """

    rewritten: int
    differences: Mapping[str, Difference]


class Comparison:
    """Checks programs, and what becomes of them, under the same circumstances.

    Args:
        directory: an empty one. Programs of several files are written there; of the others only the names lie there.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._sessions: dict[Settings, Session] = {}
        self._before: dict[str, Counter[Found]] = {}

    def compared(self, rewrite: Rewrite, programs: Iterable[Program]) -> Compared:
        """What a rewrite changes."""
        rewritten = 0
        differences = {}
        with _no_garbage_collection():
            for program in programs:
                changed = rewrite.of(program)
                if changed.texts == program.texts:
                    continue
                rewritten += 1
                before, after = self.before(program), self.after(program, rewrite.name, changed)
                if before != after:
                    differences[program.name] = Difference(_listed(before - after), _listed(after - before))
        return Compared(rewritten, differences)

    def before(self, program: Program) -> Counter[Found]:
        """The findings of a program as it is."""
        if program.name not in self._before:
            self._before[program.name] = Counter(self._found(program, program.texts, "before"))
        return self._before[program.name]

    def after(self, program: Program, label: str, rewritten: Rewritten) -> Counter[Found]:
        """The findings of a rewritten program, by the classes of the original one.

        A class that the rewrite made counts as the one that it was taken from: that one derives from it, so that each
        object has the attribute and runs the same statements, and there is one defect, wherever it is reported.
        """
        found = self._found(program, rewritten.texts, label)
        return Counter(one._replace(class_name=_original(one.class_name, rewritten.class_names)) for one in found)

    def _found(self, program: Program, texts: Mapping[str, str], label: str) -> Iterator[Found]:
        directory = self._directory / label / program.name
        if program.is_project:
            for path, data in program.encoded(texts).items():
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                (directory / path).write_bytes(data)
        for path, text in texts.items():
            case = Case(directory / path) if program.is_project else program.cases[path]
            source = program.files[path].source.with_text(text)
            session = self._session(case.settings)
            result = check_source(source, directory / path, session.settings, session=session)
            assert not result.errors, result.errors
            yield from (Found(one.code, one.class_name or "", one.attribute or "") for one in result.findings)

    def _session(self, settings: Settings) -> Session:
        if settings not in self._sessions:
            self._sessions[settings] = Session(settings)
        return self._sessions[settings]


def _original(class_name: str, class_names: Mapping[str, str]) -> str:
    return ".".join(class_names.get(part, part) for part in class_name.split("."))


def _listed(found: Counter[Found]) -> tuple[str, ...]:
    return tuple(sorted(map(str, found.elements())))


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Trees are many, and looking for cycles in them is slow, now and in whatever this process does afterwards."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
