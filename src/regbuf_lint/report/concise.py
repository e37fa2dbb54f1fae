"""One line per finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.report.lines import error_line, header
from regbuf_lint.report.style import Style

if TYPE_CHECKING:
    from regbuf_lint.model.result import RunResult
    from regbuf_lint.report.context import ReportContext


def render(result: RunResult, context: ReportContext) -> str:
    """Return one line per error and finding."""
    style = Style(context.color)
    rows = [error_line(error, style) for error in result.errors]
    for file in result.files:
        rows += [error_line(error, style) for error in file.errors]
        rows += [header(file.path, finding, style) for finding in file.findings]
    return "".join(row + "\n" for row in rows)
