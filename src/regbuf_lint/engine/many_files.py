"""Checking and fixing the files of a run, in several processes where there is much to read."""

from __future__ import annotations

import gc
import os
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.cache.cache import Cache
from regbuf_lint.cache.key import cache_key
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.project_rounds import until_stable
from regbuf_lint.engine.run import SourceCheck, shown_path
from regbuf_lint.engine.session import Session
from regbuf_lint.engine.writing import write_fixed
from regbuf_lint.index.files import package_roots
from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.overlay import Overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    from regbuf_lint.index.reads import Read
    from regbuf_lint.model.settings import Settings

LEAST_BYTES_FOR_WORKERS = 400_000
CHUNKS_PER_WORKER = 6


@dataclass(frozen=True, slots=True)
class _Checked:
    """What a check of some files gives.

    Attributes:
        results: one for each file.
        numbers: for each file, the numbers of the reads that its result rests on, as bits of one number; None where the
            result is not to be remembered.
        worker: the process that checked them.
        reads: what that process has read since it gave its last results.
        words: words of files, by path, that it has found since.
    """

    results: list[FileResult]
    numbers: list[int | None]
    worker: int = 0
    reads: list[Read] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)


_Check: TypeAlias = "Callable[[Sequence[Path], Overlay], Iterable[_Checked]]"


def check_files(
    files: Sequence[Path], settings: Settings, *, jobs: int, fix: FixMode, write: bool, cache_folder: Path | None = None
) -> RunResult:
    """Check files of the disk, and fix them until a look at all of them leaves nothing to fix.

    Args:
        files: what to check.
        settings: the run's settings.
        jobs: number of processes.
        fix: which fixes are made.
        write: whether fixed texts replace the files.
        cache_folder: where results of earlier runs are and those of this one go; None for neither.
    """
    roots = package_roots(files)
    with closing(Cache(cache_folder, _key(settings, roots, cache_folder), settings)) as cache:
        rounds = _Rounds(files, cache, fix)
        if rounds.is_all_known:
            return RunResult(tuple(sorted(rounds.known.values(), key=lambda result: result.path)))
        with _checking(files, settings, roots, jobs, fix, cache) as check:
            results = rounds.first(check) if fix is FixMode.NONE else until_stable(partial(rounds.check, check))
        rounds.remember()
    if write:
        results = list(map(write_fixed, results))
    return RunResult(tuple(sorted(results, key=lambda result: result.path)))


def _key(settings: Settings, roots: tuple[Path, ...], folder: Path | None) -> str:
    return cache_key("results", settings, roots) if folder is not None else ""


class _Rounds:
    """Rounds over all files; the first asks a cache first, and what it finds out is remembered.

    Args:
        files: what to check.
        cache: results of earlier runs.
        fix: which fixes are made.
    """

    def __init__(self, files: Sequence[Path], cache: Cache, fix: FixMode) -> None:
        self._files = files
        self._cache = cache
        self._reads: dict[int, list[Read]] = {}
        self._results: dict[int, dict[str, tuple[int, object]]] = {}
        self._words: dict[str, str] = {}
        known = cache.results(str(path.absolute()) for path in files)
        self.known: dict[Path, FileResult] = {
            path: one
            for path in files
            if (one := known.get(str(path.absolute()))) is not None
            and not any(fix.allows(finding.fix) for finding in one.findings)
        }

    @property
    def is_all_known(self) -> bool:
        """Whether nothing is left to check or fix."""
        return len(self.known) == len(self._files)

    def check(self, check: _Check, overlay: Overlay) -> list[FileResult]:
        """The results of all files as an overlay has them."""
        if not overlay.contents:
            return self.first(check)
        return [result for checked in check(self._files, overlay) for result in checked.results]

    def first(self, check: _Check) -> list[FileResult]:
        """The results of all files as they are on the disk."""
        unknown = [path for path in self._files if path not in self.known]
        found = dict(self.known)
        paths = iter(unknown)
        for checked in check(unknown, Overlay()):
            self._reads.setdefault(checked.worker, []).extend(checked.reads)
            self._words.update(checked.words)
            kept = self._results.setdefault(checked.worker, {})
            for result, numbers in zip(checked.results, checked.numbers, strict=True):
                path = next(paths)
                found[path] = result
                if numbers is not None:
                    kept[str(path.absolute())] = (numbers, result)
        return [found[path] for path in self._files]

    def remember(self) -> None:
        """Give the cache what the first round has found out."""
        for worker, reads in self._reads.items():
            self._cache.keep(reads, self._results[worker])
        self._cache.keep_files(self._words)


@contextmanager
def _checking(
    files: Sequence[Path], settings: Settings, roots: tuple[Path, ...], jobs: int, fix: FixMode, cache: Cache
) -> Iterator[_Check]:
    """What checks and fixes files, each beside the others as an overlay has them."""
    if len(_chunks(files, jobs)) <= 1:
        yield partial(_check_here, Session(settings, roots, cache.words()), fix)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415  start-up time

    start = (settings, roots, cache.words())
    with ProcessPoolExecutor(jobs, initializer=_start_worker, initargs=start) as pool:
        yield partial(_check_in_workers, pool, jobs, fix)


def _check_in_workers(
    pool: ProcessPoolExecutor, jobs: int, fix: FixMode, files: Sequence[Path], overlay: Overlay
) -> Iterator[_Checked]:
    pending = [pool.submit(_check_in_worker, chunk, fix, overlay) for chunk in _chunks(files, jobs)]
    try:
        for future in pending:
            yield future.result()
    finally:
        for future in pending:  # leaving the pool's block waits for those that run already
            future.cancel()


_WORKERS_SESSION: list[Session] = []


def _start_worker(settings: Settings, roots: tuple[Path, ...], words: dict[str, str]) -> None:
    """Give a worker the one session that serves all its chunks; trees are many, and looking for cycles in them slow."""
    gc.disable()
    _WORKERS_SESSION[:] = [Session(settings, roots, words)]


def _check_in_worker(files: list[Path], fix: FixMode, overlay: Overlay) -> _Checked:
    return _check(files, _WORKERS_SESSION[0], fix, overlay)


def _check_here(session: Session, fix: FixMode, files: Sequence[Path], overlay: Overlay) -> Iterator[_Checked]:
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield _check(files, session, fix, overlay)
    finally:
        if collecting:
            gc.enable()


def _check(files: Sequence[Path], session: Session, fix: FixMode, overlay: Overlay) -> _Checked:
    """Check files, and then fix them: what is known of other files is lost whenever a text changes."""
    session.see(overlay)
    results: list[FileResult] = []
    numbers: list[int | None] = []
    wanted: dict[int, SourceCheck] = {}
    for number, path in enumerate(files):
        numbers.append(None)
        try:
            one = SourceCheck(overlay.read_source(path), path, session)
        except SourceError as error:
            results.append(FileResult(shown_path(path), errors=(FileError(shown_path(path), str(error)),)))
            continue
        with session.reads.collecting() as read:
            results.append(one.result(FixMode.NONE))
        if one.wants(fix):
            wanted[number] = one
        elif not results[number].errors:
            numbers[number] = read.numbers
    for number, one in wanted.items():
        results[number] = one.result(fix)
        session.forget(one.path)
    return _Checked(results, numbers, os.getpid(), session.reads.take_new(), session.take_fresh_words())


def _chunks(files: Sequence[Path], jobs: int) -> list[list[Path]]:
    """Neighbours stay together, since they read the same files; chunks are about equal in bytes."""
    sizes = [_size(path) for path in files]
    if jobs <= 1 or sum(sizes) < LEAST_BYTES_FOR_WORKERS:
        return [list(files)]
    limit = sum(sizes) / (jobs * CHUNKS_PER_WORKER)
    chunks: list[list[Path]] = [[]]
    filled = 0
    for path, size in zip(files, sizes, strict=True):
        if filled > limit:
            chunks.append([])
            filled = 0
        chunks[-1].append(path)
        filled += size
    return chunks


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116  ten thousand times, and a Path builds more
    except OSError:
        return 0
