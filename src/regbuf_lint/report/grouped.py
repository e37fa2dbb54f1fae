"""Findings below the name of their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.report.lines import error_line, has_safe_fix, row_and_column
from regbuf_lint.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.result import FileResult, RunResult
    from regbuf_lint.report.context import ReportContext


def render(result: RunResult, context: ReportContext) -> str:
    """Return a line per error, and a block of lines per file with findings, with a blank line behind it."""
    style = Style(context.color)
    rows = [error_line(error, style) for error in result.errors]
    for file in result.files:
        rows += _file_rows(file, style)
    return "".join(row + "\n" for row in rows)


def _file_rows(file: FileResult, style: Style) -> Iterator[str]:
    yield from (error_line(error, style) for error in file.errors)
    if not file.findings:
        return
    yield f"{style.bold(file.path)}:"
    places = [row_and_column(finding.span.start) for finding in file.findings]
    width = max(map(len, places))
    for finding, place in zip(file.findings, places, strict=True):
        mark = f"[{style.cyan('*')}] " if has_safe_fix(finding) else ""
        yield f"  {place:<{width}}  {style.red(finding.code)} {mark}{finding.message}"
    yield ""
