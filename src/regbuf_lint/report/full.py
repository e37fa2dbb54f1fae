"""Findings with the source line, where they hurt, what to write instead, and related places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.fix import Applicability
from regbuf_lint.report.frames import frame, split_lines
from regbuf_lint.report.lines import error_line, header, place
from regbuf_lint.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.result import FileResult, RunResult
    from regbuf_lint.report.context import ReportContext

_FIX_LABELS = {
    Applicability.SAFE: "fix",
    Applicability.UNSAFE: "fix (needs --unsafe-fixes)",
    Applicability.DISPLAY: "advice",
}


def render(result: RunResult, context: ReportContext) -> str:
    """Return a block of lines per finding, blank lines between them, and a line per error."""
    style = Style(context.color)
    rows = [error_line(error, style) for error in result.errors]
    for file in result.files:
        rows += _file_rows(file, style)
    return "".join(row + "\n" for row in rows)


def _file_rows(file: FileResult, style: Style) -> Iterator[str]:
    yield from (error_line(error, style) for error in file.errors)
    texts = {0: file.text, **file.cells}
    lines = {cell: split_lines(texts.get(cell, "")) for cell in {finding.span.start.cell for finding in file.findings}}
    for finding in file.findings:
        yield header(file.path, finding, style)
        yield from frame(lines[finding.span.start.cell], finding.span, style)
        yield from _notes(file.path, finding, style)
        yield ""


def _notes(path: str, finding: Finding, style: Style) -> Iterator[str]:
    gutter = " " * (len(str(finding.span.start.row)) + 1) + style.blue("=")
    for one in finding.evidence:
        yield f"{gutter} {style.bold('note')}: {place(one.path or path, one.span.start, Style())} {one.message}"
    if finding.help:
        yield f"{gutter} {style.bold('help')}: {finding.help}"
    if finding.fix is not None:
        yield f"{gutter} {style.bold(_FIX_LABELS[finding.fix.applicability])}: {finding.fix.message}"
    for related in finding.related:
        yield f"{gutter} {style.bold('note')}: {place(path, related.span.start, Style())} {related.message}"
