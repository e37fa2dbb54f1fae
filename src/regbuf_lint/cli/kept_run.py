"""Checking files, and keeping what was printed for the next run that would print the same."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from regbuf_lint.cache.folder import is_wanted
from regbuf_lint.cli.files_run import run_files
from regbuf_lint.cli.outcome import CLEAN, FINDINGS
from regbuf_lint.cli.reporting import kept_outputs

if TYPE_CHECKING:
    from argparse import Namespace

    from regbuf_lint.cli.console import Console
    from regbuf_lint.source.nearest_settings import NearestSettings

_OTHER_WORK = ("fix", "fix_only", "diff", "baseline", "write_baseline", "add_noqa", "verbose")
"""Options of runs that write files, or print what is not the same each time."""


def run_and_keep(arguments: Namespace, nearest: NearestSettings, console: Console) -> int:
    """Check the files that the command line names and return the exit code.

    What was printed is kept where no file had to be checked: all was looked at by this process then.

    Raises:
        UsageError: the report cannot be written.
    """
    if not _may_be_kept(arguments):
        return run_files(arguments, nearest, console)
    from regbuf_lint.cache.kept_runs import keep_run  # noqa: PLC0415  start-up time
    from regbuf_lint.source.disk_questions import note_path, noted_questions  # noqa: PLC0415  start-up time

    start = time.time_ns()
    with noted_questions() as asked:
        for word in arguments.given:  # one that names a file is no command
            note_path(word)
        code = run_files(arguments, nearest, console)
    if asked.is_whole and code in {CLEAN, FINDINGS} and not console.failure:
        keep_run(arguments.given, code, console.printed, asked, start)
    return code


def _may_be_kept(arguments: Namespace) -> bool:
    if arguments.no_cache or kept_outputs(arguments) or not is_wanted(arguments.cache_dir):
        return False
    return all(getattr(arguments, one) in {None, False} for one in _OTHER_WORK)
