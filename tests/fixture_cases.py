"""The files under ``fixtures/``: what they say the linter should find, and how to build what is in them.

A comment ``# expect: CODE WORD`` states a finding; WORD is the applicability of its fix, or ``withheld``. At the end of
a row it speaks of that row, alone on a row of the next one (for rows whose layout a comment would change). Several
findings of a row are separated by commas. ``# todo: CODE`` states a finding that is missed as yet.

``# stays plain: NAME, ...`` and ``# not verified: CHECK: REASON`` are for the verifier (``docs/verification.md``).

``NAME.fixed.py`` beside a file is the file with every fix applied. A ``quiet_NAME.py`` has no findings. A directory
``project_NAME`` is a project of several files, linted each, with ``main.py`` to build.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.engine.session import Session
from regbuf_lint.source.settings import load_settings
from regbuf_lint.source.text import SourceText, read_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from regbuf_lint.model.settings import Settings

FIXTURES = Path(__file__).parent.parent / "fixtures"
FIXED = ".fixed.py"
WORDS = ("safe", "unsafe", "display", "withheld")

_FINDING = rf"RBF\d{{3}} (?:{'|'.join(WORDS)})"
_EXPECT = re.compile(rf"# expect: ({_FINDING}(?:, {_FINDING})*)$")
_TODO = re.compile(r"# todo: (RBF\d{3})$")
_LOOKS_LIKE_MARKER = re.compile(r"#\s*(?:expect|todo)\b", re.IGNORECASE)
_ROW_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, order=True)
class Expected:
    """A finding: where it starts, its code, and the applicability of its fix (or ``withheld``)."""

    row: int
    code: str
    word: str


@dataclass(frozen=True)
class Case:
    """One file that is linted."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(FIXTURES).with_suffix("").as_posix()

    @property
    def code(self) -> str:
        """The rule that the file is about."""
        return self.path.relative_to(FIXTURES).parts[0]

    @property
    def project(self) -> Path | None:
        """The directory of the project that the file belongs to, if it does not stand alone."""
        return next((parent for parent in self.path.parents if parent.name.startswith("project_")), None)

    @property
    def place(self) -> Path:
        """Where the linter is told that the file lies: one that stands alone has no neighbours that use its names."""
        return self.path if self.project else Path(FIXTURES.anchor, self.name, self.path.name)

    @property
    def is_quiet(self) -> bool:
        return self.path.name.startswith("quiet_")

    @property
    def fixed_path(self) -> Path:
        return self.path.with_name(self.path.stem + FIXED)

    @cached_property
    def settings(self) -> Settings:
        """Those of the ``pyproject.toml`` in the file's own directory, else the defaults."""
        config = self.path.with_name("pyproject.toml")
        has_config = config.exists()
        return load_settings(
            start=self.path.parent, config=config if has_config else None, isolated=not has_config, overrides={}
        )

    def source(self) -> SourceText:
        return read_source(self.path)

    def rows(self) -> list[str]:
        return _ROW_END.split(self.source().text)

    def expected(self) -> list[Expected]:
        """The findings that the file states, by row.

        Raises:
            ValueError: a comment looks like a statement and is none.
        """
        found = []
        for row, text in enumerate(self.rows(), start=1):
            match = _EXPECT.search(text)
            if match:
                pairs = [finding.split() for finding in match[1].split(", ")]
                found += [Expected(_row_meant(row, match), code, word) for code, word in pairs]
            elif _LOOKS_LIKE_MARKER.search(text) and not _TODO.search(text):
                msg = f"{self.path}:{row}: no statement of a finding: {text.strip()}"
                raise ValueError(msg)
        return sorted(found)

    def todo(self) -> list[tuple[int, str]]:
        """The rows and codes of the findings that are missed as yet."""
        matches = ((row, _TODO.search(text)) for row, text in enumerate(self.rows(), start=1))
        return [(_row_meant(row, match), match[1]) for row, match in matches if match]

    def expects(self, *words: str) -> Counter[str]:
        """How many findings of each code carry one of the words."""
        return Counter(expected.code for expected in self.expected() if expected.word in words)


def _row_meant(row: int, match: re.Match[str]) -> int:
    stands_alone = not match.string[: match.start()].strip()
    return row + 1 if stands_alone else row


@cache
def all_cases() -> tuple[Case, ...]:
    """Every file that is linted, for all tests the same objects, which know their settings."""
    paths = (path for path in FIXTURES.rglob("*.py") if not path.name.endswith(FIXED))
    return tuple(Case(path) for path in sorted(paths))


@cache
def session_with(settings: Settings) -> Session:
    """What all files with the same settings are checked in, as in one run: their directory is looked through once."""
    return Session(settings)


@contextmanager
def built_file(case: Case, directory: Path, *, fixed: bool) -> Iterator[ModuleType]:
    """Import a copy of the file (and of its project), with the fixed files in place of the original ones or without."""
    if case.project:
        shutil.copytree(case.project, directory)
        path = directory / case.path.relative_to(case.project)
    else:
        directory.mkdir()
        for file in (case.path, case.fixed_path):
            if file.exists():
                shutil.copy(file, directory)
        path = directory / case.path.name
    for file in sorted(directory.rglob(f"*{FIXED}")):
        original = file.with_name(file.name.removesuffix(FIXED) + ".py")
        if fixed:
            file.replace(original)
        else:
            file.unlink()
    with imported_file(path, directory) as module:
        yield module


@contextmanager
def imported_file(path: Path, directory: Path) -> Iterator[ModuleType]:
    """Import a file, which imports others of the directory; afterwards none of them is imported any more."""
    before, writing = dict(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, str(directory))
    sys.dont_write_bytecode = True  # nobody imports the file again
    try:
        yield _imported(path)
    finally:
        sys.dont_write_bytecode = writing
        sys.path.remove(str(directory))
        new = [name for name, value in sys.modules.items() if before.get(name) is not value]
        for name in [name for name in new if _lies_in(sys.modules[name], directory)]:
            sys.modules.pop(name)
            if name in before:
                sys.modules[name] = before[name]


def _imported(path: Path) -> ModuleType:
    name = f"fixture_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    result = module_from_spec(spec)
    sys.modules[name] = result  # dataclasses look their file up by its name
    spec.loader.exec_module(result)
    return result


def _lies_in(value: ModuleType, directory: Path) -> bool:
    file = getattr(value, "__file__", None)
    return isinstance(file, str) and directory in Path(file).parents
