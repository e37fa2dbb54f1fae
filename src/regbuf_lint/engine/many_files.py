"""Checking and fixing the files of a run, in several processes where there is much to read."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

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
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    from regbuf_lint.model.settings import Settings

LEAST_BYTES_FOR_WORKERS = 400_000
CHUNKS_PER_WORKER = 6


def check_files(files: Sequence[Path], settings: Settings, *, jobs: int, fix: FixMode, write: bool) -> RunResult:
    """Check files of the disk, and fix them until a look at all of them leaves nothing to fix.

    Args:
        files: what to check.
        settings: the run's settings.
        jobs: number of processes.
        fix: which fixes are made.
        write: whether fixed texts replace the files.
    """
    with _checking(files, settings, jobs, fix) as check:
        results = check(Overlay()) if fix is FixMode.NONE else until_stable(check)
    if write:
        results = list(map(write_fixed, results))
    return RunResult(tuple(sorted(results, key=lambda result: result.path)))


@contextmanager
def _checking(
    files: Sequence[Path], settings: Settings, jobs: int, fix: FixMode
) -> Iterator[Callable[[Overlay], list[FileResult]]]:
    """What checks and fixes all files, each beside the others as an overlay has them."""
    chunks = _chunks(files, jobs)
    roots = package_roots(files)
    if len(chunks) <= 1:
        yield partial(_check_here, files, Session(settings, roots), fix)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415  start-up time

    workers = min(jobs, len(chunks))
    with ProcessPoolExecutor(workers, initializer=_start_worker, initargs=(settings, roots)) as pool:
        yield partial(_check_in_workers, chunks, pool, fix)


def _check_in_workers(
    chunks: list[list[Path]], pool: ProcessPoolExecutor, fix: FixMode, overlay: Overlay
) -> list[FileResult]:
    pending = [pool.submit(_check_in_worker, chunk, fix, overlay) for chunk in chunks]
    try:
        return [result for future in pending for result in future.result()]
    finally:
        for future in pending:  # leaving the pool's block waits for those that run already
            future.cancel()


_WORKERS_SESSION: list[Session] = []


def _start_worker(settings: Settings, roots: tuple[Path, ...]) -> None:
    """Give a worker the one session that serves all its chunks; trees are many, and looking for cycles in them slow."""
    gc.disable()
    _WORKERS_SESSION[:] = [Session(settings, roots)]


def _check_in_worker(files: list[Path], fix: FixMode, overlay: Overlay) -> list[FileResult]:
    return _check(files, _WORKERS_SESSION[0], fix, overlay)


def _check_here(files: Sequence[Path], session: Session, fix: FixMode, overlay: Overlay) -> list[FileResult]:
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _check(files, session, fix, overlay)
    finally:
        if collecting:
            gc.enable()


def _check(files: Sequence[Path], session: Session, fix: FixMode, overlay: Overlay) -> list[FileResult]:
    """Check files, and then fix them: what is known of other files is lost whenever a text changes."""
    session.see(overlay)
    results: list[FileResult] = []
    wanted: dict[int, SourceCheck] = {}
    for number, path in enumerate(files):
        try:
            one = SourceCheck(overlay.read_source(path), path, session)
        except SourceError as error:
            results.append(FileResult(shown_path(path), errors=(FileError(shown_path(path), str(error)),)))
            continue
        results.append(one.result(FixMode.NONE))
        if one.wants(fix):
            wanted[number] = one
    for number, one in wanted.items():
        results[number] = one.result(fix)
        session.forget(one.path)
    return results


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
