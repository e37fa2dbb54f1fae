"""Printing a result: findings, counts, what was fixed, hints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.report.lines import count
from regbuf_lint.report.registry import TEXT_FORMATS, render
from regbuf_lint.report.summary import applied_fixes, hints, state_dict_changes, statistics, summary_line
from regbuf_lint.source.errors import os_error_text

if TYPE_CHECKING:
    from argparse import Namespace

    from regbuf_lint.cli.console import Console
    from regbuf_lint.model.result import RunResult


def is_streamed(arguments: Namespace) -> bool:
    """Whether the findings of a file are printed as soon as they are known."""
    may_change = arguments.fix or arguments.fix_only or arguments.diff
    is_text = arguments.output_format in TEXT_FORMATS and not arguments.statistics
    return is_text and not may_change and arguments.output_file is None


def print_part(result: RunResult, arguments: Namespace, console: Console) -> None:
    """Print errors and findings of a part of a run, of which more is to come."""
    console.out(render(result, arguments.output_format, color=console.wants_color(arguments.color)))


def print_report(
    result: RunResult, arguments: Namespace, console: Console, *, to_stderr: bool = False, streamed: bool = False
) -> None:
    """Print errors and findings to standard output or to the file asked for.

    Args:
        result: what to print.
        arguments: how to print it.
        console: where to print it.
        to_stderr: print to standard error, since standard output holds something else.
        streamed: whether all but the line that counts findings has been printed.

    Raises:
        UsageError: the file cannot be written.
    """
    color = arguments.output_file is None and not to_stderr and console.wants_color(arguments.color)
    text = "" if streamed else _report_text(result, arguments, color=color)
    text += _summary(result, arguments)
    if arguments.output_file is not None:
        _write_file(Path(arguments.output_file), text)
    elif to_stderr:
        console.err(text)
    else:
        console.out(text)


def print_errors(result: RunResult, console: Console) -> None:
    """Print the errors alone to standard error, for runs whose output is no report."""
    console.err(render(_without_findings(result), "concise"))


def _report_text(result: RunResult, arguments: Namespace, *, color: bool) -> str:
    if not (arguments.statistics and arguments.output_format in TEXT_FORMATS):
        return render(result, arguments.output_format, color=color)
    return render(_without_findings(result), "concise", color=color) + statistics(result, color=color)


def _summary(result: RunResult, arguments: Namespace) -> str:
    if arguments.output_format not in TEXT_FORMATS or arguments.quiet or arguments.diff or arguments.fix_only:
        return ""
    return summary_line(result, fixing=arguments.fix, unsafe=arguments.unsafe_fixes) + "\n"


def _without_findings(result: RunResult) -> RunResult:
    from dataclasses import replace  # noqa: PLC0415

    return replace(result, files=(), errors=result.all_errors)


def _write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        msg = f"--output-file: {path.as_posix()}: {os_error_text(error)}"
        raise UsageError(msg) from error


def print_notes(result: RunResult, arguments: Namespace, console: Console) -> None:
    """Print to standard error what stands beside the findings: applied fixes, changed checkpoints, hints."""
    if arguments.statistics and arguments.output_format not in TEXT_FORMATS:
        console.err(statistics(result))
    if arguments.show_fixes:
        console.err(applied_fixes(result))
    if arguments.quiet:
        return
    if arguments.diff or arguments.fix_only:
        console.err(_fix_summary(result, would=arguments.diff))
    console.err(state_dict_changes(result))
    for hint in hints(result):
        console.note("note", hint)
    if arguments.verbose:
        suppressed = sum(file.suppressed for file in result.files)
        console.note("note", f"{count(suppressed, 'finding')} suppressed by comments")


def _fix_summary(result: RunResult, *, would: bool) -> str:
    fixed = [file.fixed for file in result.files if file.fixed is not None and file.fixed.applied]
    number = sum(len(file.applied) for file in fixed)
    if not number:
        return "No fixes to apply.\n"
    verb = "Would fix" if would else "Fixed"
    return f"{verb} {count(number, 'finding')} in {count(len(fixed), 'file')}.\n"
