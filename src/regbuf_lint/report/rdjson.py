"""reviewdog's ``rdjson``: the message ``DiagnosticResult`` of its ``reviewdog.proto`` as JSON; columns count bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.rule import Severity
from regbuf_lint.report.columns import TextOfFile
from regbuf_lint.report.problems import problems

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Evidence, Finding
    from regbuf_lint.model.result import RunResult
    from regbuf_lint.model.span import Position
    from regbuf_lint.report.context import ReportContext
    from regbuf_lint.report.problems import Problem

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(result: RunResult, _context: ReportContext) -> str:
    """Return an object with a diagnostic per error and finding."""
    texts = {file.path: TextOfFile(file.text) for file in result.files if file.findings}
    diagnostics = [_diagnostic(one, texts) for one in problems(result)]
    return json.dumps({"source": {"name": "regbuf-lint"}, "diagnostics": diagnostics}, indent=2) + "\n"


def _diagnostic(problem: Problem, texts: dict[str, TextOfFile]) -> dict[str, Any]:
    location: dict[str, Any] = {"path": problem.path}
    diagnostic: dict[str, Any] = {
        "message": problem.message,
        "location": location,
        "severity": _SEVERITIES[problem.severity],
    }
    finding = problem.finding
    if finding is None:
        return {**diagnostic, "code": {"value": problem.name}}
    diagnostic["code"] = {"value": finding.code, "url": finding.rule.url}
    if finding.evidence:
        diagnostic["relatedLocations"] = [_related(problem.path, one, texts) for one in finding.evidence]
    if problem.span is not None:
        text = texts[problem.path]
        location["range"] = _range(problem.span.start, problem.span.end, text)
        diagnostic.update(_suggestions(finding, text))
    return diagnostic


def _suggestions(finding: Finding, text: TextOfFile) -> dict[str, Any]:
    """The fix as one suggestion, since each can be accepted alone; none where the fix is advice."""
    fix = finding.fix
    if fix is None or not fix.edits or fix.applicability is Applicability.DISPLAY:
        return {}
    one = text.replacement(fix)
    return {"suggestions": [{"range": _range(one.start, one.end, text), "text": one.text}]}


def _related(path: str, evidence: Evidence, texts: dict[str, TextOfFile]) -> dict[str, Any]:
    location: dict[str, Any] = {"path": evidence.path or path}
    text = texts.get(location["path"])
    if not evidence.span.start.cell:
        start, end = evidence.span.start, evidence.span.end
        rows = {"start": {"line": start.row}, "end": {"line": end.row}}
        location["range"] = rows if text is None else _range(start, end, text)
    return {"message": evidence.message, "location": location}


def _range(start: Position, end: Position, text: TextOfFile) -> dict[str, Any]:
    return {"start": _position(start, text), "end": _position(end, text)}


def _position(position: Position, text: TextOfFile) -> dict[str, int]:
    return {"line": position.row, "column": text.byte_column(position)}
