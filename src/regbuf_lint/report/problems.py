"""Errors and findings as one list, for formats that programs read and that know no difference between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.model.rule import Severity
from regbuf_lint.report.lines import place
from regbuf_lint.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.result import FileError, RunResult
    from regbuf_lint.model.span import Position, Span

FILE_ERROR_NAME = "file-error"


class Problem(Struct, frozen=True):
    """An error or a finding.

    Attributes:
        path: the file.
        severity: how loud to be about it.
        name: name of the rule, or ``file-error``.
        message: what is wrong; of a notebook it names cell and line.
        span: where, in rows of the file; None for errors, and in notebooks, whose rows are counted in a cell.
        finding: the finding; None for an error.
    """

    path: str
    severity: Severity
    name: str
    message: str
    span: Span | None = None
    finding: Finding | None = None

    @property
    def row(self) -> int:
        """The row to show it at: the first, where it has none."""
        return 1 if self.span is None else self.span.start.row

    @property
    def title(self) -> str:
        """Code and name of the rule, or the name alone."""
        return self.name if self.finding is None else f"{self.finding.code} {self.name}"

    @property
    def notes(self) -> Iterator[str]:
        """Where it hurts, one line each with the place in front."""
        for one in self.finding.evidence if self.finding is not None else ():
            yield f"{place(one.path or self.path, one.span.start, Style())} {one.message}"


def problems(result: RunResult) -> Iterator[Problem]:
    """Yield errors and findings; errors of the run first, then file by file."""
    yield from map(_error, result.errors)
    for file in result.files:
        yield from map(_error, file.errors)
        yield from (_finding(file.path, finding) for finding in file.findings)


def _error(error: FileError) -> Problem:
    return Problem(error.path, Severity.ERROR, FILE_ERROR_NAME, error.message)


def _finding(path: str, finding: Finding) -> Problem:
    start, rule = finding.span.start, finding.rule
    span = None if start.cell else finding.span
    return Problem(path, rule.severity, rule.name, f"{in_cell(start)}{finding.message}", span, finding)


def in_cell(position: Position) -> str:
    """Return what to write in front of a message, where rows are counted in the cell of a notebook."""
    return f"cell {position.cell}, line {position.row}: " if position.cell else ""
