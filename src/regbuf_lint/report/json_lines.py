"""The objects of the JSON format, one on each line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from regbuf_lint.report.json_format import records

if TYPE_CHECKING:
    from regbuf_lint.model.result import RunResult
    from regbuf_lint.report.context import ReportContext


def render(result: RunResult, _context: ReportContext) -> str:
    """Return a line per error and finding."""
    return "".join(json.dumps(record) + "\n" for record in records(result))
