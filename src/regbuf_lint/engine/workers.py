"""Checking files in one process or several."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager
from itertools import groupby
from threading import Thread
from typing import TYPE_CHECKING

from regbuf_lint.engine.checker import Checker
from regbuf_lint.engine.fixing import FixMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future
    from concurrent.futures.process import ProcessPoolExecutor
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from regbuf_lint.engine.checker import CheckedFiles, Start
    from regbuf_lint.source.overlay import Overlay

LEAST_BYTES_FOR_WORKERS = 400_000
CHUNKS_PER_WORKER = 6
MOST_CHECKERS = 4
"""Settings of which a process keeps what it has found out about files."""


class _Checkers:
    """Makes and keeps the checkers of a process: one for each settings, of which those asked last stay.

    Args:
        starts: what checking starts with, for each settings.
    """

    def __init__(self, starts: Sequence[Start]) -> None:
        self._starts = starts
        self._kept: dict[int, Checker] = {}

    def of(self, number: int) -> Checker:
        """The checker of some settings."""
        checker = self._kept.pop(number, None) or Checker(self._starts[number])
        self._kept[number] = checker
        if len(self._kept) > MOST_CHECKERS:
            self._kept.pop(next(iter(self._kept))).close()
            gc.collect()
        return checker


class Workers:
    """Checks and fixes files, each beside the others as an overlay has them.

    Processes start when there is enough to read for several. One that dies ends no run: its files, and those that wait,
    are checked in this process.

    Args:
        starts: what checking starts with, for each settings.
        number_of: the number of a file's settings.
        jobs: number of processes.
        fix: which fixes are made.
    """

    def __init__(self, starts: Sequence[Start], number_of: Callable[[Path], int], jobs: int, fix: FixMode) -> None:
        self._starts = starts
        self._number_of = number_of
        self._jobs = jobs
        self._fix = fix
        self._pool: ProcessPoolExecutor | None = None
        self._checkers = _Checkers(starts)

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
        parts = [(number, part) for chunk in chunks for number, part in self._alike(chunk)]
        if len(chunks) == 1:
            if self._fix is FixMode.NONE:
                parts = [(number, [path]) for number, part in parts for path in part]
            with _without_collector():
                yield from (self._here(number, part, overlay) for number, part in parts)
            return
        pending = [self._submitted(number, part, overlay) for number, part in parts]
        for (number, part), future in zip(parts, pending, strict=True):
            found = _result(future)
            yield self._here(number, part, overlay) if found is None else found

    def _alike(self, files: list[Path]) -> Iterator[tuple[int, list[Path]]]:
        """Neighbours that have the same settings, with the number of these."""
        return ((number, list(part)) for number, part in groupby(files, self._number_of))

    def _submitted(self, number: int, files: list[Path], overlay: Overlay) -> Future[CheckedFiles] | None:
        """The future results of a process; None where they have died, or none starts."""
        from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415  start-up time

        try:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(self._jobs, initializer=_start_worker, initargs=(self._starts,))
            return self._pool.submit(_check_in_worker, number, files, self._fix, overlay)
        except (BrokenProcessPool, OSError):  # some systems let no process start
            return None

    def _here(self, number: int, files: list[Path], overlay: Overlay) -> CheckedFiles:
        with _without_collector():
            return self._checkers.of(number).check(files, self._fix, overlay)


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


_OF_WORKER: list[_Checkers] = []


def _start_worker(starts: Sequence[Start]) -> None:
    """Give a worker what serves all its chunks."""
    gc.disable()
    _OF_WORKER[:] = [_Checkers(starts)]
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: killed, it tells its workers nothing, and they wait."""
    from multiprocessing import parent_process  # noqa: PLC0415  start-up time

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _check_in_worker(number: int, files: list[Path], fix: FixMode, overlay: Overlay) -> CheckedFiles:
    return _OF_WORKER[0].of(number).check(files, fix, overlay)


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
