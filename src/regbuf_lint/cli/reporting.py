"""Printing a result: findings, counts, what was fixed, hints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.cli.outputs import Output
from regbuf_lint.report.lines import count, has_unsafe_fix
from regbuf_lint.report.registry import DEFAULT_FORMAT, render
from regbuf_lint.report.summary import applied_fixes, hints, state_dict_changes, statistics, summary_line
from regbuf_lint.source.errors import os_error_text

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from regbuf_lint.cli.console import Console
    from regbuf_lint.model.result import RunResult
    from regbuf_lint.model.rule import RuleDocs


def is_streamed(arguments: Namespace) -> bool:
    """Whether the findings of a file are printed as soon as they are known."""
    may_change = arguments.fix or arguments.fix_only or arguments.diff or arguments.add_noqa is not None
    is_listed = not arguments.statistics and arguments.write_baseline is None
    return is_listed and not may_change and any(_is_seen(one) for one in arguments.output_format)


def _is_seen(output: Output) -> bool:
    """Whether a report is for people, and printed."""
    return output.is_text and output.file is None


def print_part(result: RunResult, arguments: Namespace, console: Console) -> None:
    """Print errors and findings of a part of a run, of which more is to come."""
    for output in filter(_is_seen, arguments.output_format):
        console.out(render(result, output.output_format, color=console.wants_color(arguments.color)))


def print_report(
    result: RunResult,
    arguments: Namespace,
    console: Console,
    *,
    to_stderr: bool = False,
    streamed: bool = False,
    seconds: float | None = None,
    outputs: Sequence[Output] | None = None,
) -> None:
    """Print errors and findings in each of the formats asked for, to standard output or a file.

    Args:
        result: what to print.
        arguments: how to print it.
        console: where to print it.
        to_stderr: print to standard error, since standard output holds something else.
        streamed: whether what people see has been printed, all but the line that counts findings.
        seconds: how long the run took; only somebody at a terminal is told that, once, in the line that counts
            findings: a report that is kept is the same each time.
        outputs: the reports to write; all that are asked for where None.

    Raises:
        UsageError: a file cannot be written; the other reports are.
    """
    failure: UsageError | None = None
    for output in arguments.output_format if outputs is None else outputs:
        color = output.file is None and not to_stderr and console.wants_color(arguments.color)
        text = "" if streamed and _is_seen(output) else _report_text(result, output, arguments, color=color)
        is_shown = output.file is None and not to_stderr and console.is_terminal()
        untimed = text + _summary(result, output, arguments, None)
        if output.file is None:
            timed = text + _summary(result, output, arguments, seconds) if is_shown else untimed
            (console.err if to_stderr else console.out)(timed, again=untimed)
            continue
        try:
            write_file(Path(output.file), untimed, output.option)
        except UsageError as error:
            failure = failure or error
    if seconds is not None and console.is_watched() and not any(_is_seen(one) for one in arguments.output_format):
        timed, untimed = (_summary(result, Output(DEFAULT_FORMAT), arguments, one) for one in (seconds, None))
        console.err(timed, again=untimed)
    if failure is not None:
        raise failure


def kept_outputs(arguments: Namespace) -> list[Output]:
    """Return the reports that go into files."""
    return [one for one in arguments.output_format if one.file is not None]


def print_only_fixed(result: RunResult, arguments: Namespace, console: Console) -> None:
    """Print what a run reports that only fixes: errors; what is left stands in the reports that go into files.

    Raises:
        UsageError: a file cannot be written; the other reports are.
    """
    kept = kept_outputs(arguments)
    shown = [one for one in arguments.output_format if one not in kept]
    print_report(_without_findings(result), arguments, console, outputs=shown)
    print_report(result, arguments, console, outputs=kept)


def print_errors(result: RunResult, console: Console) -> None:
    """Print the errors alone to standard error, for runs whose output is no report."""
    console.err(render(_without_findings(result), "concise"))


def _report_text(result: RunResult, output: Output, arguments: Namespace, *, color: bool) -> str:
    if not (arguments.statistics and output.is_text):
        return render(result, output.output_format, color=color, docs=_rule_docs)
    return render(_without_findings(result), "concise", color=color) + statistics(result, color=color)


def _summary(result: RunResult, output: Output, arguments: Namespace, seconds: float | None) -> str:
    is_told_otherwise = output.file is None and (arguments.diff or arguments.fix_only)
    if not output.is_text or arguments.quiet or is_told_otherwise:
        return ""
    fixing = (arguments.fix or arguments.fix_only) and not arguments.diff
    return summary_line(result, fixing=fixing, unsafe=arguments.unsafe_fixes, seconds=seconds) + "\n"


def _rule_docs() -> dict[str, RuleDocs]:
    from regbuf_lint.rules import RULES  # noqa: PLC0415  start-up time

    return {rule.meta.code: rule.docs for rule in RULES}


def _without_findings(result: RunResult) -> RunResult:
    from msgspec.structs import replace  # noqa: PLC0415

    return replace(result, files=(), errors=result.all_errors)


def write_file(path: Path, text: str, option: str) -> None:
    """Write a file that an option names.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        msg = f"{option}: {path.as_posix()}: {os_error_text(error)}"
        raise UsageError(msg) from error


def print_notes(result: RunResult, arguments: Namespace, console: Console) -> None:
    """Print to standard error what stands beside the findings: applied fixes, changed checkpoints, hints."""
    if arguments.statistics and not any(output.is_text for output in arguments.output_format):
        console.err(statistics(result))
    if arguments.show_fixes:
        console.err(applied_fixes(result, would=arguments.diff))
    if arguments.quiet:
        return
    if arguments.diff or arguments.fix_only:
        console.err(_fix_summary(result, arguments))
    console.err(state_dict_changes(result))
    for hint in hints(result):
        console.note("note", hint)
    if arguments.verbose:
        suppressed = sum(file.suppressed for file in result.files)
        console.note("note", f"{count(suppressed, 'finding')} suppressed by comments")


def _fix_summary(result: RunResult, arguments: Namespace) -> str:
    fixed = [file.fixed for file in result.files if file.fixed is not None and file.fixed.applied]
    number = sum(len(file.applied) for file in fixed)
    risky = 0 if arguments.unsafe_fixes else sum(map(has_unsafe_fix, result.findings))
    if not number:
        return f"No fixes to apply{f' ({risky} available with --unsafe-fixes)' if risky else ''}.\n"
    verb = "Would fix" if arguments.diff else "Fixed"
    more = f" ({risky} more with --unsafe-fixes)" if risky else ""
    return f"{verb} {count(number, 'finding')} in {count(len(fixed), 'file')}{more}.\n"
