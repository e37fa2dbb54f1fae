"""GitLab's Code Quality report: an array of issues as Code Climate describes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from regbuf_lint.model.identity import identity
from regbuf_lint.model.rule import Severity
from regbuf_lint.report.fingerprints import Fingerprints
from regbuf_lint.report.problems import problems

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Evidence
    from regbuf_lint.model.result import RunResult
    from regbuf_lint.report.context import ReportContext
    from regbuf_lint.report.problems import Problem

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}
_OF_FILE_ERRORS = "critical"


def render(result: RunResult, _context: ReportContext) -> str:
    """Return an array of objects, one per error and finding."""
    fingerprints = Fingerprints()
    return json.dumps([_issue(one, fingerprints) for one in problems(result)], indent=2) + "\n"


def _issue(problem: Problem, fingerprints: Fingerprints) -> dict[str, Any]:
    finding, span = problem.finding, problem.span
    about = (problem.name, problem.message) if finding is None else identity(finding)
    issue: dict[str, Any] = {
        "type": "issue",
        "check_name": problem.name if finding is None else finding.code,
        "description": problem.message,
        "categories": ["Bug Risk"],
        "severity": _OF_FILE_ERRORS if finding is None else _SEVERITIES[problem.severity],
        "fingerprint": fingerprints.within_run(problem.path, *about),
        "location": _location(problem.path, problem.row, problem.row if span is None else span.end.row),
    }
    if finding is not None and finding.evidence:
        issue["content"] = {"body": "".join(f"- {note}\n" for note in problem.notes)}
        issue["other_locations"] = [_of_evidence(problem.path, one) for one in finding.evidence]
    return issue


def _of_evidence(path: str, evidence: Evidence) -> dict[str, Any]:
    start, end = evidence.span.start, evidence.span.end
    rows = (1, 1) if start.cell else (start.row, end.row)
    return _location(evidence.path or path, *rows)


def _location(path: str, first: int, last: int) -> dict[str, Any]:
    return {"path": path, "lines": {"begin": first, "end": last}}
