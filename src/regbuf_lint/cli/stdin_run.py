"""Checking and fixing text on standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.cli.adoption import KnownFindings
from regbuf_lint.cli.errors import STDIN_IS_CLOSED, UsageError
from regbuf_lint.cli.files_run import fix_mode
from regbuf_lint.cli.outcome import exit_code
from regbuf_lint.cli.reporting import kept_outputs, print_errors, print_notes, print_report
from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.source.discovery import is_excluded
from regbuf_lint.source.errors import SourceError, os_error_text
from regbuf_lint.source.text import SourceText, decode_source

if TYPE_CHECKING:
    from argparse import Namespace

    from regbuf_lint.cli.console import Console
    from regbuf_lint.engine.fixing import FixMode
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.nearest_settings import NearestSettings

DEFAULT_NAME = "<stdin>"
_NAME_BY_DEFAULT = "stdin.py"


def run_stdin(arguments: Namespace, nearest: NearestSettings, console: Console) -> int:
    """Check the text on standard input and return the exit code.

    With ``--fix`` the text as fixed goes to standard output and the report to standard error; text that cannot be
    checked comes out as it went in.

    Raises:
        UsageError: nothing can be read, or the report cannot be written.
    """
    known = KnownFindings.of(arguments)
    settings = nearest.of_file(Path(arguments.stdin_filename or _NAME_BY_DEFAULT))
    data = _read()
    name = arguments.stdin_filename or DEFAULT_NAME
    file, fixed = _check(data, name, settings, fix_mode(arguments))
    result = RunResult((known.left_out_of(file),))
    fixing = (arguments.fix or arguments.fix_only) and not arguments.diff
    if arguments.diff:
        console.out_bytes(_diff(data, fixed, name))
    elif fixing:
        console.out_bytes(data if fixed is None else fixed.data)
    if arguments.diff:
        print_errors(result, console)
        _print_kept(data, name, arguments, settings, known, console)
    elif arguments.fix_only:
        print_errors(result, console)
        print_report(result, arguments, console, outputs=kept_outputs(arguments))
    else:
        print_report(result, arguments, console, to_stderr=fixing)
    print_notes(result, arguments, console)
    return exit_code(result, arguments)


def _print_kept(
    data: bytes, name: str, arguments: Namespace, settings: Settings, known: KnownFindings, console: Console
) -> None:
    """Write the reports that go into files: nothing is fixed where a diff is shown, so what is there before counts.

    Raises:
        UsageError: a file cannot be written; the other reports are.
    """
    kept = kept_outputs(arguments)
    if kept:
        from regbuf_lint.engine.fixing import FixMode  # noqa: PLC0415  start-up time

        file, _ = _check(data, name, settings, FixMode.NONE)
        print_report(RunResult((known.left_out_of(file),)), arguments, console, outputs=kept)


def _read() -> bytes:
    """Return what is on standard input.

    Raises:
        UsageError: nothing can be read there.
    """
    if sys.stdin is None:
        raise UsageError(STDIN_IS_CLOSED)
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        msg = f"standard input: {os_error_text(error)}"
        raise UsageError(msg) from error


def _check(data: bytes, name: str, settings: Settings, fix: FixMode) -> tuple[FileResult, SourceText | None]:
    """Return the outcome, and the text as fixed where something was fixed."""
    if settings.force_exclude and is_excluded(Path(name), settings):
        return FileResult(name), None
    from regbuf_lint.engine.run import check_source  # noqa: PLC0415  start-up time

    try:
        source = decode_source(data, name)
    except SourceError as error:
        return FileResult(name, errors=(FileError(name, str(error)),)), None
    file = check_source(source, Path(name), settings, fix=fix)
    if file.fixed is None:
        return file, None
    try:
        return file, source.with_text(file.fixed.after)
    except SourceError as error:
        found = check_source(source, Path(name), settings)
        return replace(found, errors=(*found.errors, FileError(name, str(error)))), None


def _diff(data: bytes, fixed: SourceText | None, name: str) -> bytes:
    if fixed is None:
        return b""
    from regbuf_lint.cli.diff import unified_diff  # noqa: PLC0415  start-up time

    return unified_diff(decode_source(data, name), fixed, name)
