"""Checking and fixing the files of a run: what earlier runs know is asked first, and what this one finds is kept."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from regbuf_lint.cache.cache import Cache
from regbuf_lint.cache.key import cache_key
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.project_rounds import until_stable
from regbuf_lint.index.files import package_roots
from regbuf_lint.model.result import FileResult, RunResult
from regbuf_lint.source.overlay import Overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from regbuf_lint.engine.workers import Workers
    from regbuf_lint.index.reads import Read
    from regbuf_lint.model.settings import Settings


def check_files(
    files: Sequence[Path],
    settings: Settings,
    *,
    jobs: int,
    fix: FixMode,
    cache_folder: Path | None = None,
    tell: Callable[[FileResult], None] | None = None,
    named: Collection[Path] = (),
) -> RunResult:
    """Check files of the disk, and fix them in memory until a look at all of them leaves nothing to fix.

    Args:
        files: what to check.
        settings: the run's settings.
        jobs: number of processes.
        fix: which fixes are made.
        cache_folder: where results of earlier runs are and those of this one go; None for neither.
        named: files that the user names: where one of them does not parse, that is said in any case.
        tell: is given the result of each file's first check as soon as those of all files before it are known.

    Returns:
        The results in the order of the files.
    """
    roots = package_roots(files)
    with closing(Cache(cache_folder, _key(settings, roots, cache_folder), settings)) as cache:
        rounds = _Rounds(files, cache, fix, tell, named)
        if rounds.is_all_known:
            return RunResult(tuple(rounds.first(None)))
        from regbuf_lint.engine.workers import Workers  # noqa: PLC0415  not needed where all is known

        with Workers((settings, roots, cache.words(), named), jobs, fix) as workers:
            results = rounds.first(workers) if fix is FixMode.NONE else until_stable(partial(rounds.check, workers))
        rounds.remember()
    return RunResult(tuple(results))


def _key(settings: Settings, roots: tuple[Path, ...], folder: Path | None) -> str:
    return cache_key("results", settings, roots) if folder is not None else ""


class _Rounds:
    """Rounds over all files; the first asks a cache first, and what it finds out is remembered.

    Args:
        files: what to check.
        cache: results of earlier runs.
        fix: which fixes are made.
        tell: is given the results of the first round.
        named: files that the user names.
    """

    def __init__(
        self,
        files: Sequence[Path],
        cache: Cache,
        fix: FixMode,
        tell: Callable[[FileResult], None] | None,
        named: Collection[Path],
    ) -> None:
        self._files = files
        self._cache = cache
        self._tell = tell
        self._reads: dict[int, list[Read]] = {}
        self._results: dict[int, dict[str, tuple[int, object]]] = {}
        self._words: dict[str, str] = {}
        known = cache.results(str(path.absolute()) for path in files)
        self.known: dict[Path, FileResult] = {
            path: one
            for path in files
            if (one := known.get(str(path.absolute()))) is not None
            and (one.is_parsed or path not in named)
            and not any(fix.allows(finding.fix) for finding in one.findings)
        }

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
            self._reads.setdefault(checked.worker, []).extend(checked.reads)
            self._words.update(checked.words)
            kept = self._results.setdefault(checked.worker, {})
            for result, numbers in zip(checked.results, checked.numbers, strict=True):
                path = next(paths)
                if numbers is not None:
                    kept[str(path.absolute())] = (numbers, result)
                yield result

    def remember(self) -> None:
        """Give the cache what the first round has found out."""
        for worker, reads in self._reads.items():
            self._cache.keep(reads, self._results[worker])
        self._cache.keep_files(self._words)
