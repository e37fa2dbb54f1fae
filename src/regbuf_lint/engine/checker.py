"""Checking files of the same settings in one process, one after the other, and fixing them in memory."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.screen import Screen
from regbuf_lint.model.result import FileError, FileResult
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.shown_paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from regbuf_lint.engine.run import SourceCheck
    from regbuf_lint.engine.session import Session
    from regbuf_lint.index.reads import Read
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.overlay import Overlay

Start: TypeAlias = "tuple[Settings, Mapping[str, str], Collection[Path]]"
"""What checking starts with: the settings of the files, words of files by path as ``written`` in ``index/words.py``
writes them, and the files that the user names."""
_NUMBERS = count()


class CheckedFiles(Struct, frozen=True):
    """What a check of some files gives.

    Attributes:
        results: one for each file.
        numbers: for each file, the numbers of the reads that its result rests on, as bits of one number; None where the
            result is not to be remembered.
        checker: what checked them: the process, and its number there.
        reads: what that has read since it gave its last results.
        words: words of files, by path, that it has found since.
    """

    results: list[FileResult]
    numbers: list[int | None]
    checker: tuple[int, int] = (0, 0)
    reads: list[Read] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)


class Checker:
    """Checks files one after the other; what rules need is loaded with the first file that may have findings.

    Args:
        start: what it starts with.
    """

    def __init__(self, start: Start) -> None:
        self._screen = Screen(*start)
        self._number = next(_NUMBERS)

    @cached_property
    def _session(self) -> Session:
        from regbuf_lint.engine.session import Session  # noqa: PLC0415  a tenth of a second

        return Session(self._screen.settings, self._screen)

    def close(self) -> None:
        """Give up all that is known of files; nothing can be checked any more."""
        self._screen.close()

    def check(self, files: Sequence[Path], fix: FixMode, overlay: Overlay) -> CheckedFiles:
        """Check files, and then fix them: what is known of other files is lost whenever a text changes."""
        self._screen.see(overlay)
        reads = self._screen.project.reads
        results: list[FileResult] = []
        numbers: list[int | None] = []
        wanted: dict[int, SourceCheck] = {}
        for number, path in enumerate(files):
            with reads.collecting() as read:
                result, one = self.first_look(path, overlay)
            results.append(result)
            numbers.append(read.numbers if _is_lasting(result) else None)
            if one is not None and one.wants(fix):
                wanted[number] = one
                numbers[number] = None
        for number, one in wanted.items():
            results[number] = one.result(fix)
            self._screen.forget(one.path)
        words = self._screen.project.take_fresh_words()
        return CheckedFiles(results, numbers, (os.getpid(), self._number), reads.take_new(), words)

    def first_look(self, path: Path, overlay: Overlay) -> tuple[FileResult, SourceCheck | None]:
        """What is found in a file as it is, and what fixes it; None where there is nothing to fix."""
        shown = shown_path(path)
        try:
            source = overlay.read_source(path)
        except SourceError as error:
            return FileResult(shown, errors=(FileError(shown, str(error)),)), None
        if self._screen.leaves_out(path, source):
            return FileResult(shown, is_parsed=self._screen.is_named(path)), None
        from regbuf_lint.engine.run import SourceCheck  # noqa: PLC0415  as above

        one = SourceCheck(source, path, self._session)
        return one.result(FixMode.NONE), one


def _is_lasting(result: FileResult) -> bool:
    """Whether other runs may be given a result: a syntax error may be told because the file was named."""
    if result.errors or not result.findings:
        return not result.errors
    from regbuf_lint.rules.syntax_error import META  # noqa: PLC0415  as above

    return all(finding.rule is not META for finding in result.findings)
