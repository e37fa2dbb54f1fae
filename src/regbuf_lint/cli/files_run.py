"""Checking and fixing files."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.cache.folder import folder_in_use
from regbuf_lint.cli.adoption import KnownFindings, add_noqa_comments, check_baseline_file, write_baseline
from regbuf_lint.cli.outcome import exit_code
from regbuf_lint.cli.progress import Progress
from regbuf_lint.cli.reporting import (
    is_streamed,
    kept_outputs,
    print_errors,
    print_notes,
    print_only_fixed,
    print_part,
    print_report,
)
from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.report.summary import extent
from regbuf_lint.source.discovery import discover
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.shown_paths import path_order
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from regbuf_lint.cli.console import Console
    from regbuf_lint.cli.verified_fixes import Unverified
    from regbuf_lint.engine.fixing import FixMode
    from regbuf_lint.model.result import FixedFile
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.discovery import Discovery
    from regbuf_lint.source.nearest_settings import NearestSettings


def run_files(arguments: Namespace, nearest: NearestSettings, console: Console) -> int:
    """Check the files that the command line names and return the exit code.

    Raises:
        UsageError: the report cannot be written.
    """
    started = time.perf_counter()
    known = KnownFindings.of(arguments)
    if arguments.write_baseline is not None:
        check_baseline_file(Path(arguments.write_baseline))
    discovery = discover([Path(name) for name in arguments.paths], nearest.of)
    if arguments.shard is not None:
        discovery = arguments.shard.part_of(discovery)
    for directory in discovery.empty if not arguments.quiet else ():
        console.note("warning", f"no Python files found under {directory.as_posix()}")
    if is_streamed(arguments):
        print_part(RunResult((), discovery.errors), arguments, console)
    jobs = arguments.jobs or _processors()
    progress = Progress(arguments, console, len(discovery.files), known.left_out_of)
    result = _checked(discovery, arguments, progress, jobs)
    unverified: tuple[Unverified, ...] = ()
    if arguments.verify:
        from regbuf_lint.cli.verified_fixes import verifier_options, write_verified  # noqa: PLC0415  start-up time

        result, unverified = write_verified(result, discovery.settings, verifier_options(arguments), jobs)
    shard = str(arguments.shard or "")
    found = replace(result, errors=(*discovery.errors, *result.errors), shard=shard)
    result = known.left_out_of_run(found)
    if arguments.write_baseline is not None:
        return write_baseline(result, arguments, console)
    if arguments.add_noqa is not None:
        return add_noqa_comments(result, arguments, console)
    seconds = time.perf_counter() - started
    result = _print(_in_order(result), arguments, console, seconds)
    if arguments.diff and kept_outputs(arguments):
        _print_kept(found, discovery, known, arguments, console)
    known.print_notes(found, discovery.settings, arguments, console)
    _print_unverified(unverified, console)
    if arguments.verbose:
        console.note("note", f"checked {extent(result, seconds)}")
    return exit_code(result, arguments)


def _print_unverified(unverified: Iterable[Unverified], console: Console) -> None:
    for one in unverified:
        console.note("warning", f"not verified, so not written: {one.path}::{one.class_name}: {one.reason}")


def _in_order(result: RunResult) -> RunResult:
    """The result with paths that failed among the files, in the order of all paths."""
    failed = (FileResult(error.path, errors=(error,)) for error in result.errors)
    files = tuple(sorted((*failed, *result.files), key=lambda file: path_order(file.path)))
    return replace(result, files=files, errors=())


def _checked(discovery: Discovery, arguments: Namespace, progress: Progress, jobs: int) -> RunResult:
    """Check the files, and write what is fixed unless somebody else is to do that."""
    from regbuf_lint.engine.fixing import FixMode  # noqa: PLC0415  start-up time

    fix = fix_mode(arguments)
    with progress:
        result = _found(discovery, arguments, jobs, fix, progress.tell)
    if fix is FixMode.NONE or arguments.diff or arguments.verify:
        return result
    from regbuf_lint.engine.writing import write_all  # noqa: PLC0415  start-up time

    return write_all(result, discovery.settings, jobs, frozenset(map(Path, arguments.paths)))


def _found(
    discovery: Discovery,
    arguments: Namespace,
    jobs: int,
    fix: FixMode,
    tell: Callable[[FileResult], None] | None = None,
) -> RunResult:
    """Check the files, and fix them in memory."""
    if not discovery.files:
        return RunResult(())
    from regbuf_lint.engine.many_files import check_files  # noqa: PLC0415  start-up time

    def folder(settings: Settings) -> Path | None:
        return None if arguments.no_cache else folder_in_use(settings, arguments.cache_dir)

    named = frozenset(map(Path, arguments.paths))
    files, settings = discovery.files, discovery.settings
    return check_files(files, settings, jobs=jobs, fix=fix, cache_folder=folder, tell=tell, named=named)


def _print_kept(
    result: RunResult, discovery: Discovery, known: KnownFindings, arguments: Namespace, console: Console
) -> None:
    """Write the reports of a run that shows a diff, for which nothing is fixed: what is there before that counts.

    Raises:
        UsageError: a file cannot be written; the other reports are.
    """
    from regbuf_lint.engine.fixing import FixMode  # noqa: PLC0415  start-up time

    now = _found(discovery, arguments, arguments.jobs or _processors(), FixMode.NONE)
    whole = _in_order(known.left_out_of_run(replace(now, errors=result.errors)))
    print_report(whole, arguments, console, outputs=kept_outputs(arguments))


def _print(result: RunResult, arguments: Namespace, console: Console, seconds: float) -> RunResult:
    """Print what was found, or the diff; return the result with what went wrong meanwhile."""
    if arguments.diff:
        result = _print_diffs(result, console)
        print_errors(result, console)
    elif arguments.fix_only:
        print_only_fixed(result, arguments, console)
    else:
        print_report(result, arguments, console, streamed=is_streamed(arguments), seconds=seconds)
    print_notes(result, arguments, console)
    return result


def _print_diffs(result: RunResult, console: Console) -> RunResult:
    errors: list[FileError] = []
    for file in result.files:
        if file.fixed is not None:
            try:
                console.out_bytes(_diff(file.fixed, file.path))
            except SourceError as error:
                errors.append(FileError(file.path, str(error)))
    return replace(result, errors=(*result.errors, *errors))


def _diff(fixed: FixedFile, shown: str) -> bytes:
    from regbuf_lint.cli.diff import unified_diff  # noqa: PLC0415  start-up time

    before = read_source(Path(fixed.path))
    if before.text != fixed.before:
        msg = "changed on disk since it was read; no diff is shown"
        raise SourceError(msg)
    return unified_diff(before, before.with_text(fixed.after), shown)


def fix_mode(arguments: Namespace) -> FixMode:
    """Return which fixes the command line asks for."""
    from regbuf_lint.engine.fixing import FixMode  # noqa: PLC0415  start-up time

    if not (arguments.fix or arguments.fix_only or arguments.diff):
        return FixMode.NONE
    return FixMode.UNSAFE if arguments.unsafe_fixes else FixMode.SAFE


def _processors() -> int:
    """Return the number of processors that this process may use."""
    import os  # noqa: PLC0415

    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
