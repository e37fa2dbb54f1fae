"""Living with findings that are there already: baselines, and ``# noqa`` comments for all of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.cli.outcome import CLEAN, FAILURE, FINDINGS
from regbuf_lint.cli.reporting import print_errors, print_report, write_file
from regbuf_lint.report.lines import count, some
from regbuf_lint.source.errors import SettingsError, os_error_text

if TYPE_CHECKING:
    from argparse import Namespace

    from regbuf_lint.cli.console import Console
    from regbuf_lint.engine.baseline import Baseline
    from regbuf_lint.model.file_settings import FileSettings
    from regbuf_lint.model.result import FileResult, RunResult


class KnownFindings:
    """The baseline of a run, or none.

    Args:
        baseline: what is known already.
    """

    def __init__(self, baseline: Baseline | None) -> None:
        self._baseline = baseline

    @classmethod
    def of(cls, arguments: Namespace) -> KnownFindings:
        """Return what the command line names.

        Raises:
            SettingsError: it is no baseline.
        """
        if arguments.baseline is None:
            return cls(None)
        from regbuf_lint.engine.baseline import Baseline  # noqa: PLC0415  start-up time

        return cls(Baseline.read(Path(arguments.baseline)))

    def left_out_of(self, file: FileResult) -> FileResult:
        """Return what is new in a file."""
        return file if self._baseline is None else self._baseline.without_known(file)

    def left_out_of_run(self, result: RunResult) -> RunResult:
        """Return what is new in a run."""
        if self._baseline is None:
            return result
        return replace(result, files=tuple(map(self._baseline.without_known, result.files)))

    def print_notes(self, result: RunResult, settings: FileSettings, arguments: Namespace, console: Console) -> None:
        """Say which entries a run has found no more; ``result`` is the run with what is known already."""
        if self._baseline is None or arguments.quiet:
            return
        from regbuf_lint.rules import RULES  # noqa: PLC0415  start-up time
        from regbuf_lint.source.selection import selected_codes  # noqa: PLC0415

        path = self._baseline.path.as_posix()
        codes = [selected_codes(one, [rule.meta for rule in RULES]) for one in settings.every]
        ran = {file.path: codes[settings.number(Path(file.path))] for file in result.files}
        stale = self._baseline.stale(result.files, ran, frozenset[str]().union(*codes))
        if stale:
            are = "is" if len(stale) == 1 else "are"
            told = f"{_entries(len(stale))} of {path} {are} found no more ({some([str(one) for one in stale])})"
            console.note("note", f"{told}; `--write-baseline {path}` lists what is found now, new findings too")
        if arguments.verbose:
            hidden = len(result.findings) - len(self.left_out_of_run(result).findings)
            console.note("note", f"{count(hidden, 'finding')} left out, as {path} lists")


def check_baseline_file(path: Path) -> None:
    """Refuse to write a baseline over what is none; an empty file holds nothing to lose.

    Raises:
        UsageError: the file holds something else.
    """
    from regbuf_lint.engine.baseline import Baseline  # noqa: PLC0415  start-up time

    try:
        if path.is_file() and path.stat().st_size:
            Baseline.read(path)
    except SettingsError as error:
        msg = f"--write-baseline: {error}, so it is not overwritten"
        raise UsageError(msg) from None
    except OSError as error:
        msg = f"--write-baseline: {path.as_posix()}: {os_error_text(error)}"
        raise UsageError(msg) from error


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number} entries"


def write_baseline(result: RunResult, arguments: Namespace, console: Console) -> int:
    """Write a baseline of all that a run has found, and return the exit code.

    Raises:
        UsageError: the file cannot be written.
    """
    from regbuf_lint.engine.baseline import Baseline  # noqa: PLC0415  start-up time

    path = Path(arguments.write_baseline)
    baseline = Baseline.of(path, result)
    write_file(path, baseline.text(), "--write-baseline")
    print_errors(result, console)
    if not arguments.quiet:
        console.note("note", f"wrote {count(baseline.total, 'finding')} to {path.as_posix()}")
        if baseline.total < len(result.findings):
            missing = count(len(result.findings) - baseline.total, "syntax error")
            console.note("note", f"{missing} left out, since nothing else is found in such files")
    return FAILURE if result.all_errors else CLEAN


def add_noqa_comments(result: RunResult, arguments: Namespace, console: Console) -> int:
    """Write comments for all that a run has found, report what no comment can suppress, and return the exit code.

    Raises:
        UsageError: the report cannot be written.
    """
    from regbuf_lint.engine.noqa_comments import add_noqa  # noqa: PLC0415  start-up time

    files = tuple(add_noqa(file, arguments.add_noqa) for file in result.files)
    done = [len(before.findings) - len(after.findings) for before, after in zip(result.files, files, strict=True)]
    left = replace(result, files=files)
    if left.findings or left.all_errors:
        print_report(left, arguments, console)
    if not arguments.quiet:
        told = f"suppressed {count(sum(done), 'finding')} in {count(sum(map(bool, done)), 'file')}"
        console.note("note", told)
    return FAILURE if left.all_errors else FINDINGS if left.findings else CLEAN
