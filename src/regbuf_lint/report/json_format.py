"""Findings as JSON; docs/json-output.md and docs/findings.schema.json describe it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regbuf_lint.report.problems import FILE_ERROR_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.finding import Evidence, Finding
    from regbuf_lint.model.fix import Fix
    from regbuf_lint.model.result import FileError, RunResult
    from regbuf_lint.model.span import Position
    from regbuf_lint.report.context import ReportContext

SCHEMA_VERSION = 3
NOT_FOLLOWED_NAME = "class-not-followed"
SHARD_NAME = "shard"


def render(result: RunResult, _context: ReportContext) -> str:
    """Return an array of objects, one per error and finding."""
    import json  # noqa: PLC0415  start-up time

    return json.dumps(list(records(result)), indent=2) + "\n"


def records(result: RunResult) -> Iterator[dict[str, Any]]:
    """Yield one object per error, finding and class that is too large; errors of the run first, then file by file.

    A part of a run says first which one it is.
    """
    if result.shard:
        yield _record_without_place(SHARD_NAME, result.shard, "info", "")
    yield from (error_record(error) for error in result.errors)
    for file in result.files:
        yield from (error_record(error) for error in file.errors)
        yield from (finding_record(file.path, finding) for finding in file.findings)
        yield from (not_followed_record(file.path, name) for name in file.unfollowed)


def finding_record(path: str, finding: Finding) -> dict[str, Any]:
    """Return the object of a finding; the order of its keys is part of the contract."""
    return {
        "code": finding.code,
        "name": finding.rule.name,
        "message": finding.message,
        "severity": finding.rule.severity.value,
        "filename": path,
        "location": _location(finding.span.start),
        "end_location": _location(finding.span.end),
        "class": finding.class_name,
        "attribute": finding.attribute,
        "method": finding.method,
        "fix": None if finding.fix is None else _fix(finding.fix),
        "noqa_row": finding.noqa_row,
        "url": finding.rule.url,
        "evidence": [_evidence(path, one) for one in finding.evidence],
    }


def error_record(error: FileError) -> dict[str, Any]:
    """Return the object of a file that could not be read, decoded or written: no place, no rule, no evidence."""
    return _record_without_place(FILE_ERROR_NAME, error.message, "error", error.path)


def not_followed_record(path: str, name: str) -> dict[str, Any]:
    """Return the object of a class that is too large to be followed, so that not all of it was checked."""
    message = f"`{name}` is too large to be followed to the end; what was found in it may not be all"
    return _record_without_place(NOT_FOLLOWED_NAME, message, "warning", path, name)


def _record_without_place(
    name: str, message: str, severity: str, path: str, class_name: str | None = None
) -> dict[str, Any]:
    return {
        "code": None,
        "name": name,
        "message": message,
        "severity": severity,
        "filename": path,
        "location": None,
        "end_location": None,
        "class": class_name,
        "attribute": None,
        "method": None,
        "fix": None,
        "noqa_row": None,
        "url": None,
        "evidence": [],
    }


def _location(position: Position) -> dict[str, int]:
    place = {"row": position.row, "column": position.column}
    return {**place, "cell": position.cell} if position.cell else place


def _evidence(path: str, evidence: Evidence) -> dict[str, Any]:
    return {
        "message": evidence.message,
        "filename": evidence.path or path,
        "location": _location(evidence.span.start),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [
        {"content": edit.content, "location": _location(edit.span.start), "end_location": _location(edit.span.end)}
        for edit in fix.edits
    ]
    return {
        "applicability": fix.applicability.value,
        "message": fix.message,
        "edits": edits,
        "state_dict": {"adds": list(fix.adds), "removes": list(fix.removes)},
    }
