"""Checking and fixing: one text, or many files in several processes."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.engine.deep_stack import with_deep_stack
from regbuf_lint.engine.fixing import Fixed, FixMode, fix_text
from regbuf_lint.engine.session import Session
from regbuf_lint.index.files import ParseError, package_roots, parse
from regbuf_lint.model.result import FileError, FileResult, FixedFile, RunResult
from regbuf_lint.source.atomic_write import write_atomically
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.notebook import NotebookText
from regbuf_lint.source.suppression import Suppressions
from regbuf_lint.source.text import SourceText, read_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.settings import Settings

LEAST_BYTES_FOR_WORKERS = 400_000
CHUNKS_PER_WORKER = 6


def check_source(
    source: SourceText,
    path: Path,
    settings: Settings,
    *,
    fix: FixMode = FixMode.NONE,
    noqa: bool = True,
    session: Session | None = None,
) -> FileResult:
    """Check one text, and fix it in memory where asked to.

    Args:
        source: the text.
        path: where it lies or would lie; imports are resolved from there.
        settings: the run's settings.
        fix: which fixes are made; the new text is in the result's ``fixed``.
        noqa: whether ``noqa`` comments on lines count (those for whole files always do).
        session: what checks of other files with the same settings left behind.
    """
    shown = _shown(path)
    session = session or Session(settings)
    try:
        return with_deep_stack(partial(_check, source, path, shown, session, fix, noqa=noqa))
    except SourceError as error:
        return FileResult(shown, errors=(FileError(shown, str(error)),))
    except RecursionError:
        return FileResult(shown, errors=(FileError(shown, "nests too deeply to be checked"),))
    except Exception as error:  # noqa: BLE001  one file's failure must not end the run
        message = f"internal error, please report it: {type(error).__name__}: {error}".splitlines()[0]
        return FileResult(shown, errors=(FileError(shown, message),))


def _check(source: SourceText, path: Path, shown: str, session: Session, mode: FixMode, *, noqa: bool) -> FileResult:
    hidden = 0
    unresolved: tuple[str, ...] = ()

    def visible(text: SourceText) -> tuple[Finding, ...]:
        nonlocal hidden, unresolved
        checked = session.check(path, text)
        unresolved = checked.unresolved_bases
        if not checked.findings and not (noqa and session.wants_unused_suppressions):
            return ()
        suppressions = Suppressions.parse(text)
        kept = tuple(_with_shown_paths(one) for one in checked.findings if not suppressions.hides(one, lines=noqa))
        hidden = len(checked.findings) - len(kept)
        unused = session.unused_suppressions(path, text, suppressions, checked) if noqa else ()
        return tuple(sorted((*kept, *unused), key=lambda one: (one.span, one.code))) if unused else kept

    sound, broken = _without_broken_cells(source, path, session, noqa=noqa)
    outcome = fix_text(sound, visible, mode)
    findings = tuple(sorted((*broken, *outcome.findings), key=lambda one: (one.span, one.code)))
    return FileResult(
        shown,
        findings=findings,
        suppressed=hidden,
        unresolved_bases=unresolved,
        fixed=_fixed_file(source, path, outcome),
        text=outcome.source.text if findings else "",
        cells={**source.cells, **outcome.source.cells} if findings else {},
    )


def _with_shown_paths(finding: Finding) -> Finding:
    """A finding whose evidence names other files as reports name files."""
    if all(one.path is None for one in finding.evidence):
        return finding
    shown = (one if one.path is None else replace(one, path=_shown(Path(one.path))) for one in finding.evidence)
    return replace(finding, evidence=tuple(shown))


def _without_broken_cells(
    source: SourceText, path: Path, session: Session, *, noqa: bool
) -> tuple[SourceText, tuple[Finding, ...]]:
    """The source without the cells of a notebook that do not parse, and findings about those."""
    if not isinstance(source, NotebookText):
        return source, ()
    broken = {number: failure for number, text in source.alone() if (failure := _failure(text)) is not None}
    if not broken:
        return source, ()
    found = [one for failure in broken.values() for one in session.syntax_errors(path, failure)]
    suppressions = Suppressions.parse(source)
    kept = (source.located(one) for one in found if not suppressions.hides(one, lines=noqa))
    return source.without(broken), tuple(kept)


def _failure(text: str) -> ParseError | None:
    try:
        parse(text)
    except ParseError as failure:
        return failure
    return None


def _fixed_file(source: SourceText, path: Path, outcome: Fixed) -> FixedFile | None:
    if not outcome.applied and not outcome.dropped:
        return None
    after = source.merged(outcome.source)
    return FixedFile(str(path), source.text, after, outcome.applied, outcome.dropped, rounds=outcome.rounds)


def _shown(path: Path) -> str:
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def check_file(path: Path, session: Session, *, fix: FixMode, write: bool) -> FileResult:
    """Check one file of the disk; with ``write``, put the fixed text in its place."""
    try:
        source = read_source(path)
    except SourceError as error:
        return FileResult(_shown(path), errors=(FileError(_shown(path), str(error)),))
    result = check_source(source, path, session.settings, fix=fix, session=session)
    return _written(result, source, path) if write else result


def _written(result: FileResult, source: SourceText, path: Path) -> FileResult:
    fixed = result.fixed
    if fixed is None or fixed.after == fixed.before:
        return result
    try:
        write_atomically(path, source.encode(fixed.after), source.data)
    except SourceError as error:
        return _failed(result, str(error))
    return replace(result, fixed=replace(fixed, written=True))


def _failed(result: FileResult, message: str) -> FileResult:
    return replace(result, fixed=None, errors=(*result.errors, FileError(result.path, message)))


def write_fixed(result: FileResult) -> FileResult:
    """Put the text of a fix run that wrote nothing in place of the file, unless the file has changed meanwhile."""
    fixed = result.fixed
    if fixed is None:
        return result
    try:
        source = read_source(Path(fixed.path))
    except SourceError as error:
        return _failed(result, str(error))
    if source.text != fixed.before:
        return _failed(result, "changed on disk since it was read; not written")
    return _written(result, source, Path(fixed.path))


def check_files(files: Sequence[Path], settings: Settings, *, jobs: int, fix: FixMode, write: bool) -> RunResult:
    """Check files of the disk.

    Args:
        files: what to check.
        settings: the run's settings.
        jobs: number of processes.
        fix: which fixes are made.
        write: whether fixed texts replace the files.
    """
    chunks = _chunks(files, jobs)
    roots = package_roots(files)
    if len(chunks) <= 1:
        results = _check_here(files, Session(settings, roots), fix, write=write)
    else:
        workers = min(jobs, len(chunks))
        results = _in_workers(chunks, workers, (settings, roots), fix, write=write)
    return RunResult(tuple(sorted(results, key=lambda result: result.path)))


def _in_workers(
    chunks: list[list[Path]],
    workers: int,
    session_arguments: tuple[Settings, tuple[Path, ...]],
    fix: FixMode,
    *,
    write: bool,
) -> list[FileResult]:
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415  start-up time

    with ProcessPoolExecutor(workers, initializer=_start_worker, initargs=session_arguments) as pool:
        pending = [pool.submit(_check_in_worker, chunk, fix, write=write) for chunk in chunks]
        try:
            return [result for future in pending for result in future.result()]
        finally:
            for future in pending:  # leaving the block waits for those that run already
                future.cancel()


_WORKERS_SESSION: list[Session] = []


def _start_worker(settings: Settings, roots: tuple[Path, ...]) -> None:
    """Give a worker the one session that serves all its chunks; trees are many, and looking for cycles in them slow."""
    gc.disable()
    _WORKERS_SESSION[:] = [Session(settings, roots)]


def _check_in_worker(files: list[Path], fix: FixMode, *, write: bool) -> list[FileResult]:
    return [check_file(path, _WORKERS_SESSION[0], fix=fix, write=write) for path in files]


def _check_here(files: Sequence[Path], session: Session, fix: FixMode, *, write: bool) -> list[FileResult]:
    collecting = gc.isenabled()
    gc.disable()
    try:
        return [check_file(path, session, fix=fix, write=write) for path in files]
    finally:
        if collecting:
            gc.enable()


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
