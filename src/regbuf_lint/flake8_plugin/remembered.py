"""Findings of files, from earlier runs where they still hold."""

from __future__ import annotations

from functools import cached_property, partial
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING

from regbuf_lint.cache.cache import Cache
from regbuf_lint.cache.folder import folder_in_use
from regbuf_lint.cache.storage import Storage
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.engine.screen import Screen
    from regbuf_lint.engine.session import Session
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.text import SourceText


class Remembered:
    """Checks the files that flake8 gives to one process, and remembers what it finds when that process ends.

    Args:
        settings: the settings of the files.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._cache = Cache(Storage(folder_in_use(settings)), "flake8", settings)
        self._new: dict[str, tuple[int, object]] = {}
        Finalize(self, self._keep, exitpriority=1)  # flake8 ends its processes without what `atexit` runs

    def findings(self, path: Path, source: SourceText) -> tuple[Finding, ...]:
        """Findings of one file, suppressed ones among them; ``source`` counts, whatever the disk holds."""
        name = str(path.absolute())
        is_as_on_disk = _holds(path, source)
        if is_as_on_disk:
            known: dict[str, tuple[Finding, ...]] = self._cache.results([name])
            if known:
                return known[name]
        numbers, found = self._found(path, source)
        if is_as_on_disk:
            self._new[name] = (numbers, found)
        return found

    def _found(self, path: Path, source: SourceText) -> tuple[int, tuple[Finding, ...]]:
        """The numbers of what was read for a file, and its findings."""
        from regbuf_lint.engine.deep_stack import with_deep_stack  # noqa: PLC0415  not needed where all is known

        with self._screen.project.reads.collecting() as read:
            found = with_deep_stack(partial(self._looked_at, path, source))
        return read.numbers, found

    def _looked_at(self, path: Path, source: SourceText) -> tuple[Finding, ...]:
        return () if self._screen.leaves_out(path, source) else self._session.check(path, source).findings

    @cached_property
    def _screen(self) -> Screen:
        from regbuf_lint.engine.screen import Screen  # noqa: PLC0415  not needed where all is known

        return Screen(self._settings, self._cache.storage.words)

    @cached_property
    def _session(self) -> Session:
        from regbuf_lint.engine.session import Session  # noqa: PLC0415  nor where nothing is to be found

        return Session(self._settings, self._screen)

    def _keep(self) -> None:
        if self._new:
            self._cache.keep(self._screen.project.reads.take_new(), self._new)
            self._cache.storage.add_words(self._screen.project.take_fresh_words())
            self._cache.storage.keep_files()
        self._cache.storage.close()


def _holds(path: Path, source: SourceText) -> bool:
    """Whether a file of the disk has a text."""
    try:
        return read_source(path).text == source.text
    except SourceError:
        return False
