"""Checking files in one process or several."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from regbuf_lint.engine.checker import Checker
from regbuf_lint.engine.fixing import FixMode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future
    from concurrent.futures.process import ProcessPoolExecutor
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from regbuf_lint.engine.checker import CheckedFiles, Start
    from regbuf_lint.source.overlay import Overlay

LEAST_BYTES_FOR_WORKERS = 400_000
CHUNKS_PER_WORKER = 6


class Workers:
    """Checks and fixes files, each beside the others as an overlay has them.

    Processes start when there is enough to read for several. One that dies ends no run: its files, and those that wait,
    are checked in this process.

    Args:
        start: what checking starts with.
        jobs: number of processes.
        fix: which fixes are made.
    """

    def __init__(self, start: Start, jobs: int, fix: FixMode) -> None:
        self._start = start
        self._jobs = jobs
        self._fix = fix
        self._pool: ProcessPoolExecutor | None = None
        self._checker: Checker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the processes; at once where the run is not to go on."""
        if self._pool is None:
            return
        if error is not None:
            from multiprocessing import active_children  # noqa: PLC0415  start-up time

            for process in active_children():  # they write nothing
                process.kill()
        self._pool.shutdown(wait=error is None, cancel_futures=True)

    def check(self, files: Sequence[Path], overlay: Overlay) -> Iterator[CheckedFiles]:
        """Check files; what several calls give is in the order of the files."""
        chunks = _chunks(files, self._jobs)
        if len(chunks) == 1:
            at_once = chunks if self._fix is not FixMode.NONE else [[path] for path in files]
            with _without_collector():
                yield from (self._here(part, overlay) for part in at_once)
            return
        pending = [self._submitted(chunk, overlay) for chunk in chunks]
        for chunk, future in zip(chunks, pending, strict=True):
            found = _result(future)
            yield self._here(chunk, overlay) if found is None else found

    def _submitted(self, files: list[Path], overlay: Overlay) -> Future[CheckedFiles] | None:
        """The future results of a process; None where they have died."""
        from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415  start-up time

        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._jobs, initializer=_start_worker, initargs=(self._start,))
        try:
            return self._pool.submit(_check_in_worker, files, self._fix, overlay)
        except BrokenProcessPool:
            return None

    def _here(self, files: list[Path], overlay: Overlay) -> CheckedFiles:
        if self._checker is None:
            self._checker = Checker(self._start)
        with _without_collector():
            return self._checker.check(files, self._fix, overlay)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Trees are many, and looking for cycles in them is slow."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _result(future: Future[CheckedFiles] | None) -> CheckedFiles | None:
    """The results of a process; None where it has died."""
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415  start-up time

    try:
        return None if future is None else future.result()
    except BrokenProcessPool:
        return None


_CHECKER_OF_WORKER: list[Checker] = []


def _start_worker(start: Start) -> None:
    """Give a worker what serves all its chunks."""
    gc.disable()
    _CHECKER_OF_WORKER[:] = [Checker(start)]


def _check_in_worker(files: list[Path], fix: FixMode, overlay: Overlay) -> CheckedFiles:
    return _CHECKER_OF_WORKER[0].check(files, fix, overlay)


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
