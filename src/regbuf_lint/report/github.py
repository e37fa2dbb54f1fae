"""Annotations of GitHub Actions: workflow commands such as ``::warning file=a.py,line=3::message``.

GitHub shows ten annotations of each type for a step. Where there are more, the last notice says so, and the rest
stand in the log.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from regbuf_lint.model.rule import Severity
from regbuf_lint.report.lines import count
from regbuf_lint.report.problems import problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.result import RunResult
    from regbuf_lint.report.context import ReportContext
    from regbuf_lint.report.problems import Problem

MOST_OF_A_TYPE = 10
_NOTICE = "notice"
_TYPES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: _NOTICE}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_ESCAPES = str.maketrans(_DATA)
_PROPERTY_ESCAPES = str.maketrans({**_DATA, ":": "%3A", ",": "%2C"})


def render(result: RunResult, _context: ReportContext) -> str:
    """Return an annotation per error and finding, as far as GitHub shows them, and lines for the log for the rest."""
    found = sorted(problems(result), key=lambda one: one.finding is not None)  # errors of files first
    shown, rest = _shared_out(found)
    rows = [_annotation(one) for one in shown]
    if rest:
        told = ", ".join(count(number, name) for name, number in Counter(map(_type, rest)).items())
        text = f"left out: {told}. GitHub shows {MOST_OF_A_TYPE} annotations of each type; this step's log has all."
        rows.append(f"::{_NOTICE} title=regbuf-lint::{text.translate(_ESCAPES)}")
    return "".join(row + "\n" for row in (*rows, *map(_line, rest)))


def _shared_out(found: list[Problem]) -> tuple[list[Problem], list[Problem]]:
    """What becomes an annotation, and what does not; a place is kept for the notice that something does not."""
    totals = Counter(map(_type, found))
    overflows = any(number > MOST_OF_A_TYPE for number in totals.values())
    left = {name: MOST_OF_A_TYPE - (overflows and name == _NOTICE) for name in _TYPES.values()}
    shown: list[Problem] = []
    rest: list[Problem] = []
    for one in found:
        left[_type(one)] -= 1
        (rest if left[_type(one)] < 0 else shown).append(one)
    return shown, rest


def _type(problem: Problem) -> str:
    return _TYPES[problem.severity]


def _annotation(problem: Problem) -> str:
    told = ",".join(f"{name}={value.translate(_PROPERTY_ESCAPES)}" for name, value in _properties(problem))
    text = "\n".join((problem.message, *problem.notes))
    return f"::{_type(problem)} {told}::{text.translate(_ESCAPES)}"


def _properties(problem: Problem) -> Iterator[tuple[str, str]]:
    yield "title", problem.title
    yield "file", problem.path
    span = problem.span
    if span is None:
        return
    yield "line", str(span.start.row)
    yield "endLine", str(span.end.row)
    if span.start.row == span.end.row:  # columns are for annotations of one line only
        yield "col", str(span.start.column)
        yield "endColumn", str(span.end.column)


def _line(problem: Problem) -> str:
    """A line for the log, which takes no line ends."""
    text = f"{problem.path}:{problem.row}: {problem.title}: {problem.message}"
    return " ".join(text.splitlines())
