"""Checking files in one process or several, each with one session for all of its files."""

from __future__ import annotations

import gc
import os
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import active_children
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import SourceCheck, shown_path
from regbuf_lint.engine.session import Session
from regbuf_lint.model.result import FileError, FileResult
from regbuf_lint.source.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from regbuf_lint.index.reads import Read
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.overlay import Overlay

Start: TypeAlias = "tuple[Settings, tuple[Path, ...], Mapping[str, str], Collection[Path]]"
"""What a session starts with: the run's settings, further directories from which the project's packages are imported,
words of files by path as ``Words.written`` has written them, and the files that the user names."""
LEAST_BYTES_FOR_WORKERS = 400_000
CHUNKS_PER_WORKER = 6


@dataclass(frozen=True, slots=True)
class CheckedFiles:
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


class Workers:
    """Checks and fixes files, each beside the others as an overlay has them.

    Processes start when there is enough to read for several. One that dies ends no run: its files, and those that wait,
    are checked in this process.

    Args:
        start: what a session of the run starts with.
        jobs: number of processes.
        fix: which fixes are made.
    """

    def __init__(self, start: Start, jobs: int, fix: FixMode) -> None:
        self._start = start
        self._jobs = jobs
        self._fix = fix
        self._pool: ProcessPoolExecutor | None = None
        self._session: Session | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the processes; at once where the run is not to go on."""
        if self._pool is None:
            return
        if error is not None:
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
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._jobs, initializer=_start_worker, initargs=(self._start,))
        try:
            return self._pool.submit(_check_in_worker, files, self._fix, overlay)
        except BrokenProcessPool:
            return None

    def _here(self, files: list[Path], overlay: Overlay) -> CheckedFiles:
        if self._session is None:
            self._session = Session(*self._start)
        with _without_collector():
            return _check(files, self._session, self._fix, overlay)


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
    try:
        return None if future is None else future.result()
    except BrokenProcessPool:
        return None


_WORKERS_SESSION: list[Session] = []


def _start_worker(start: Start) -> None:
    """Give a worker the one session that serves all its chunks."""
    gc.disable()
    _WORKERS_SESSION[:] = [Session(*start)]


def _check_in_worker(files: list[Path], fix: FixMode, overlay: Overlay) -> CheckedFiles:
    return _check(files, _WORKERS_SESSION[0], fix, overlay)


def _check(files: Sequence[Path], session: Session, fix: FixMode, overlay: Overlay) -> CheckedFiles:
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
    return CheckedFiles(results, numbers, os.getpid(), session.reads.take_new(), session.take_fresh_words())


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
