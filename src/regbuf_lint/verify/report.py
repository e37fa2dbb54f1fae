"""Results as text: a table for the terminal, Markdown, CSV, JSON."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.model import BUILDS, SHOWS_BUG, Outcome, Verdict, not_run, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.verify.model import CaseReport, Machine

SCHEMA = 1
MOST_IN_FULL = 3
"""So many cases are shown with every check, more of them only with what is not as it should be."""

_MARKS = {Outcome.PASSED: "ok", Outcome.FAILED: "FAILED", Outcome.NOT_RUN: "not run"}
_STYLES = {Outcome.PASSED: "green", Outcome.FAILED: "bold red", Outcome.NOT_RUN: "dim"}
_OWN = {
    BUILDS: "both versions are built and called within the limits, and write nothing to standard output",
    SHOWS_BUG: "the original fails a check that can show its bug, or raises what it has to raise",
}
Row = tuple[str, ...]


def counts(reports: Sequence[CaseReport]) -> Counter[Outcome]:
    """Return how many checks ended how."""
    return Counter(result.verdict.outcome for report in reports for result in report.results)


def is_verified(reports: Sequence[CaseReport], machine: Machine) -> bool:
    """Whether something was verified, nothing failed, and every class and device that was asked for was there."""
    return not machine.absent and bool(reports) and not unverified(reports)


def unverified(reports: Sequence[CaseReport]) -> dict[str, Verdict]:
    """Return what is not verified, with why not: classes that were asked about, or else cases."""
    asked = [report for report in reports if report.case.targets]
    found = target_verdicts(asked) | {one.case.name: one.verdict for one in reports if not one.case.targets}
    found |= {one.case.name: one.verdict for one in asked if one.verdict.outcome is Outcome.FAILED}
    return {name: verdict for name, verdict in found.items() if verdict.outcome is not Outcome.PASSED}


def target_verdicts(reports: Sequence[CaseReport]) -> dict[str, Verdict]:
    """Return for each class that was asked about whether it is verified: a case that builds it passed, none failed."""
    verdicts: dict[str, Verdict] = {}
    for target in dict.fromkeys(target for report in reports for target in report.case.targets):
        asked = [report for report in reports if target in report.case.targets]
        unrun = frozenset.intersection(*(report.unrun for report in asked))
        building = [report for report in asked if target in report.covers]
        found = {report.case.name: report.judged(_concerning(target, unrun)) for report in building}
        wrong = [one for one in found.values() if one.outcome is Outcome.FAILED]
        right = [name for name, one in found.items() if one.outcome is Outcome.PASSED]
        if wrong:
            verdicts[target] = wrong[0]
        elif right:
            verdicts[target] = Verdict(Outcome.PASSED, f"built by {right[0]}")
        elif building:
            verdicts[target] = found[building[0].case.name]
        else:
            verdicts[target] = not_run(_why_unbuilt(asked))
    return verdicts


def _concerning(target: str, functions: frozenset[str]) -> frozenset[str]:
    """Return those functions that stand in the file of a class."""
    return frozenset(one for one in functions if one.partition("::")[0] == target.partition("::")[0])


def _why_unbuilt(reports: Sequence[CaseReport]) -> str:
    reasons = (
        f"{report.case.name}: {one.verdict.reason}"
        for report in reports
        for one in report.results
        if one.check == BUILDS and one.verdict.outcome is not Outcome.PASSED
    )
    return next(reasons, "no factory builds it")


# ---- JSON ------------------------------------------------------------------------------------------------------------


def as_json(reports: Sequence[CaseReport], machine: Machine) -> str:
    """Return everything as one JSON object."""
    number = counts(reports)
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "date": today(),
        "torch": machine.torch,
        "python": machine.python,
        "devices": machine.devices,
        "absent_devices": machine.absent,
        "verified": is_verified(reports, machine),
        "summary": {outcome.value: number[outcome] for outcome in Outcome},
        "targets": [
            {"target": target, "outcome": verdict.outcome.value, "reason": verdict.reason}
            for target, verdict in target_verdicts(reports).items()
        ],
        "cases": [_case(report) for report in reports],
    }
    return json.dumps(data, indent=1) + "\n"


def _case(report: CaseReport) -> dict[str, Any]:
    return {
        "case": report.case.name,
        "outcome": report.verdict.outcome.value,
        "reason": report.verdict.reason,
        "seconds": round(report.seconds, 1),
        "memory": report.memory,
        "builds": list(report.covers),
        "checks": [
            {
                "check": one.check,
                "device": one.device,
                "outcome": one.verdict.outcome.value,
                "reason": one.verdict.reason,
            }
            for one in report.results
        ],
    }


def today() -> str:
    """Return the date, UTC."""
    return datetime.now(timezone.utc).date().isoformat()


# ---- tables ----------------------------------------------------------------------------------------------------------


def heading(machine: Machine) -> list[str]:
    """Return what the run had, one line each."""
    lines = [f"torch {machine.torch}, Python {machine.python}, {today()}"]
    lines += [f"{name}: {said}" for name, said in machine.devices.items()]
    return lines + [f"{name}: absent, {said}" for name, said in machine.absent.items()]


def by_check(reports: Sequence[CaseReport]) -> Iterator[Row]:
    """Yield check, device and numbers of checks passed, failed and not run."""
    number = Counter((one.check, one.device, one.verdict.outcome) for report in reports for one in report.results)
    devices = dict.fromkeys(one.device for report in reports for one in report.results)
    for check in (BUILDS, SHOWS_BUG, *CHECKS):
        for device in devices:
            row = [number[check, device, outcome] for outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.NOT_RUN)]
            if any(row):
                yield (check, device, *map(str, row))


def in_full(reports: Sequence[CaseReport], *, outcomes: Sequence[Outcome] = tuple(Outcome)) -> Iterator[Row]:
    """Yield case, check, device, outcome and reason."""
    for report in reports:
        for one in report.results:
            if one.verdict.outcome in outcomes:
                yield report.case.name, one.check, one.device, _MARKS[one.verdict.outcome], one.verdict.reason


def summary(reports: Sequence[CaseReport], machine: Machine) -> str:
    """Return the last line."""
    number = counts(reports)
    cases = "1 case" if len(reports) == 1 else f"{len(reports)} cases"
    if is_verified(reports, machine):
        said = "Verified"
    else:
        said = "Not verified"
        passed = sum(report.verdict.outcome is Outcome.PASSED for report in reports)
        cases += f", of which {passed} passed" if len(reports) > 1 else ""
    return (
        f"{said}: {cases}; {number[Outcome.PASSED]} checks passed, {number[Outcome.FAILED]} failed, "
        f"{number[Outcome.NOT_RUN]} not run."
    )


def as_table(reports: Sequence[CaseReport], machine: Machine, *, verbose: bool, rich: bool) -> str:
    """Return tables for reading.

    Args:
        reports: what was verified.
        machine: torch and the devices.
        verbose: whether every check of every case is shown.
        rich: whether to use the library rich, with colours.
    """
    draw = _with_rich if rich else _plain
    full = verbose or len(reports) <= MOST_IN_FULL
    parts = ["\n".join(heading(machine)), ""]
    if not full:
        parts.append(draw(("check", "device", "passed", "failed", "not run"), list(by_check(reports))))
    shown = tuple(Outcome) if full else (Outcome.FAILED,)
    rows = list(in_full(reports, outcomes=shown))
    if rows:
        parts.append(draw(("case", "check", "device", "outcome", "reason"), rows))
    if not full:
        parts.append(draw(("not run", "times", "cases"), _reasons(reports)))
        wrong = _wrong(reports)
        parts += [draw(_WRONG_HEADER, wrong)] if wrong else []
    parts += [_lines(one) for report in reports for one in report.tracebacks if verbose]
    targets = [(name, _MARKS[one.outcome], one.reason) for name, one in target_verdicts(reports).items()]
    if targets:
        parts.append(draw(("class", "outcome", "reason"), targets))
    return "\n".join([*parts, summary(reports, machine)]) + "\n"


_WRONG_HEADER = ("not verified", "outcome", "reason")


def _wrong(reports: Sequence[CaseReport]) -> list[Row]:
    return [(name, _MARKS[one.outcome], one.reason) for name, one in unverified(reports).items()]


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.splitlines())) + "\n"


def _reasons(reports: Sequence[CaseReport]) -> list[Row]:
    """Return why checks were not run, with how often and in which cases."""
    cases: dict[str, dict[str, None]] = {}
    for name, check, _, _, reason in in_full(reports, outcomes=(Outcome.NOT_RUN,)):
        cases.setdefault(f"{check}: {reason}", {})[name] = None
    rows = sorted(cases.items(), key=lambda one: (-len(one[1]), one[0]))
    return [(said, str(len(names)), _listed(list(names))) for said, names in rows]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_IN_FULL} more" if len(names) > MOST_IN_FULL else ""
    return ", ".join(names[:MOST_IN_FULL]) + more


def _plain(header: Row, rows: Sequence[Row]) -> str:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (header, *rows)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _with_rich(header: Row, rows: Sequence[Row]) -> str:
    from rich.console import Console  # noqa: PLC0415  only where it is installed
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    styles = {_MARKS[outcome]: style for outcome, style in _STYLES.items()}
    table = Table(*header)
    for row in rows:
        table.add_row(*(Text(cell, style=styles.get(cell, "")) for cell in row))
    console = Console()
    with console.capture() as captured:
        console.print(table)
    return captured.get()


# ---- Markdown --------------------------------------------------------------------------------------------------------


_CASE_HEADER = ("case", "passed", "failed", "not run", "the original", "seconds", "MiB")


def as_markdown(reports: Sequence[CaseReport], machine: Machine, *, each_case: bool = True) -> str:
    """Return the tables as Markdown: what is not verified, by check, by case, and why checks were not run.

    Args:
        reports: what was verified.
        machine: where.
        each_case: whether there is a table of the cases (see ``as_csv``).
    """
    wrong = _wrong(reports)
    parts = [
        "\n".join(f"- {line}" for line in heading(machine)),
        summary(reports, machine),
        _costs(reports),
        *([_markdown(_WRONG_HEADER, wrong)] if wrong else []),
        _markdown(("check", "device", "passed", "failed", "not run"), list(by_check(reports))),
        *([_markdown(_CASE_HEADER, list(_by_case(reports)))] if each_case else []),
        _markdown(("not run", "times", "cases"), _reasons(reports)),
    ]
    return "\n\n".join(parts) + "\n"


def _costs(reports: Sequence[CaseReport]) -> str:
    """Return how long all cases took, and which took most."""
    longest = max(reports, key=lambda one: one.seconds)
    largest = max(reports, key=lambda one: one.memory)
    return (
        f"A case took {sum(one.seconds for one in reports) / len(reports):.1f} s on average, {longest.case.name} most "
        f"with {longest.seconds:.1f} s; {largest.case.name} held most memory with {largest.memory} MiB, torch included."
    )


def as_csv(reports: Sequence[CaseReport]) -> str:
    """Return a row for each case, behind one with the names of the columns."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_CASE_HEADER, *_by_case(reports)])
    return out.getvalue()


def _by_case(reports: Sequence[CaseReport]) -> Iterator[Row]:
    for report in reports:
        number = Counter(one.verdict.outcome for one in report.results)
        failures = ", ".join(
            f"{one.check} ({one.device})" for one in report.results if one.verdict.outcome is Outcome.FAILED
        )
        shown = "; ".join(
            f"{one.device}: {one.verdict.reason}"
            for one in report.results
            if one.check == SHOWS_BUG and one.verdict.outcome is not Outcome.NOT_RUN
        )
        numbers = (str(number[Outcome.PASSED]), failures or "0", str(number[Outcome.NOT_RUN]))
        yield report.case.name, *numbers, shown, f"{report.seconds:.1f}", str(report.memory)


def _markdown(header: Row, rows: Sequence[Row]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in lines)


def check_list() -> str:
    """Return the checks with what they assert."""
    rows = [*_OWN.items(), *((name, check.asserts) for name, check in CHECKS.items())]
    return _plain(("check", "asserts"), rows)
