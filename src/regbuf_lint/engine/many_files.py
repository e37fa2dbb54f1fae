"""Checking and fixing the files of a run: what earlier runs know is asked first, and what this one finds is kept."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from regbuf_lint.cache.cache import Cache
from regbuf_lint.cache.storage import Storage
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.project_rounds import until_stable
from regbuf_lint.model.result import FileResult, RunResult
from regbuf_lint.source.disk_questions import note_others
from regbuf_lint.source.overlay import Overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from regbuf_lint.engine.workers import Workers
    from regbuf_lint.index.reads import Read
    from regbuf_lint.model.file_settings import FileSettings
    from regbuf_lint.model.settings import Settings


def check_files(
    files: Sequence[Path],
    settings: FileSettings,
    *,
    jobs: int,
    fix: FixMode,
    cache_folder: Callable[[Settings], Path | None] = lambda _: None,
    tell: Callable[[FileResult], None] | None = None,
    named: Collection[Path] = (),
) -> RunResult:
    """Check files of the disk, and fix them in memory until a look at all of them leaves nothing to fix.

    Args:
        files: what to check.
        settings: the settings of each file.
        jobs: number of processes.
        fix: which fixes are made.
        cache_folder: where results of earlier runs with some settings are and those of this one go; None for neither.
        named: files that the user names: where one of them does not parse, that is said in any case.
        tell: is given the result of each file's first check as soon as those of all files before it are known.

    Returns:
        The results in the order of the files.
    """
    with ExitStack() as stack:
        folders = [cache_folder(one) for one in settings.every]
        storages = {folder: stack.enter_context(closing(Storage(folder))) for folder in dict.fromkeys(folders)}
        caches = [Cache(storages[folder], "results", one) for one, folder in zip(settings.every, folders, strict=True)]
        rounds = _Rounds(files, settings, caches, fix, tell, named)
        if rounds.is_all_known:
            return RunResult(tuple(rounds.first(None)))
        note_others()
        from regbuf_lint.engine.workers import Workers  # noqa: PLC0415  not needed where all is known

        starts = [(one, cache.storage.words, named) for one, cache in zip(settings.every, caches, strict=True)]
        with Workers(starts, settings.number, jobs, fix) as workers:
            results = rounds.first(workers) if fix is FixMode.NONE else until_stable(partial(rounds.check, workers))
        rounds.remember()
    return RunResult(tuple(results))


def _absolute(path: Path, here: Path) -> str:
    return os.path.join(here, path)  # noqa: PTH118  ten thousand times, and a Path builds more


class _Kept(Struct):
    """What a checker has found out, for a cache.

    Attributes:
        number: the number of its settings.
        reads: what it has read.
        results: by path, the numbers of the reads that a result rests on, and the result.
        words: words of files, by path.
    """

    number: int
    reads: list[Read] = field(default_factory=list)
    results: dict[str, tuple[int, object]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)


class _Rounds:
    """Rounds over all files; the first asks caches first, and what it finds out is remembered.

    Args:
        files: what to check.
        settings: the settings of each file.
        caches: for each settings, results of earlier runs.
        fix: which fixes are made.
        tell: is given the results of the first round.
        named: files that the user names.
    """

    def __init__(
        self,
        files: Sequence[Path],
        settings: FileSettings,
        caches: Sequence[Cache],
        fix: FixMode,
        tell: Callable[[FileResult], None] | None,
        named: Collection[Path],
    ) -> None:
        self._files = files
        self._settings = settings
        self._caches = caches
        self._tell = tell
        self._kept: dict[tuple[int, int], _Kept] = {}
        self.known: dict[Path, FileResult] = {
            path: one
            for path, one in self._remembered()
            if (one.is_parsed or path not in named) and not any(fix.allows(finding.fix) for finding in one.findings)
        }

    def _remembered(self) -> Iterator[tuple[Path, FileResult]]:
        """What earlier runs have found, as far as it still holds."""
        places: list[dict[str, Path]] = [{} for _ in self._caches]
        here = Path.cwd()
        for path in self._files:
            places[self._settings.number(path)][_absolute(path, here)] = path
        for cache, paths in zip(self._caches, places, strict=True):
            yield from ((paths[name], one) for name, one in cache.results(paths).items())

    @property
    def is_all_known(self) -> bool:
        """Whether nothing is left to check or fix."""
        return len(self.known) == len(self._files)

    def check(self, workers: Workers, overlay: Overlay) -> list[FileResult]:
        """The results of all files as an overlay has them."""
        if not overlay.contents:
            return self.first(workers)
        return [result for checked in workers.check(self._files, overlay) for result in checked.results]

    def first(self, workers: Workers | None) -> list[FileResult]:
        """The results of all files as they are on the disk; without workers where all are known."""
        unknown = [path for path in self._files if path not in self.known]
        checked = self._checked(unknown, workers) if workers is not None else iter(())
        results = []
        for path in self._files:
            known = self.known.get(path)
            results.append(next(checked) if known is None else known)
            if self._tell is not None:
                self._tell(results[-1])
        return results

    def _checked(self, files: Sequence[Path], workers: Workers) -> Iterator[FileResult]:
        """The results of files of which nothing is known, one after the other."""
        paths = iter(files)
        for checked in workers.check(files, Overlay()):
            these = list(islice(paths, len(checked.results)))
            kept = self._kept_of(checked.checker, these[0])
            kept.reads.extend(checked.reads)
            kept.words.update(checked.words)
            for path, result, numbers in zip(these, checked.results, checked.numbers, strict=True):
                if numbers is not None:
                    kept.results[_absolute(path, Path.cwd())] = (numbers, result)
                yield result

    def _kept_of(self, checker: tuple[int, int], path: Path) -> _Kept:
        if checker not in self._kept:
            self._kept[checker] = _Kept(self._settings.number(path))
        return self._kept[checker]

    def remember(self) -> None:
        """Give the caches what the first round has found out."""
        for kept in self._kept.values():
            cache = self._caches[kept.number]
            cache.keep(kept.reads, kept.results)
            cache.storage.add_words(kept.words)
        for storage in dict.fromkeys(cache.storage for cache in self._caches):
            storage.keep_files()
