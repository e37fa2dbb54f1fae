"""SARIF 2.1.0, with what code scanning of GitHub asks for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from regbuf_lint import __version__
from regbuf_lint.model.addresses import DOCUMENTATION
from regbuf_lint.model.fix import Applicability
from regbuf_lint.report.fingerprints import Fingerprints
from regbuf_lint.report.json_format import SHARD_NAME, not_followed_record
from regbuf_lint.report.problems import problems
from regbuf_lint.report.sarif_parts import artifact, linked, location, message, region
from regbuf_lint.report.sarif_rules import LEVELS, rule_descriptor

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Evidence, Finding, Related
    from regbuf_lint.model.fix import Edit, Fix
    from regbuf_lint.model.result import RunResult
    from regbuf_lint.report.context import ReportContext
    from regbuf_lint.report.problems import Problem

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "regbuf-lint/v1"
"""Name of our fingerprint; ``primaryLocationLineHash`` is GitHub's, whose upload action computes it."""


def render(result: RunResult, context: ReportContext) -> str:
    """Return a log of one run: a result per finding, a notification per error."""
    found = list(problems(result))
    findings = [(one, one.finding) for one in found if one.finding is not None]
    rules = {finding.code: finding.rule for _, finding in findings}
    places = {code: number for number, code in enumerate(sorted(rules))}
    docs = context.docs()
    fingerprints = Fingerprints()
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "regbuf-lint",
                "informationUri": DOCUMENTATION,
                "semanticVersion": __version__,
                "rules": [rule_descriptor(rules[code], docs.get(code)) for code in places],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(result, [one for one in found if one.finding is None])],
        "results": [_result(one, finding, places, fingerprints) for one, finding in findings],
    }
    if result.shard:
        run["properties"] = {SHARD_NAME: result.shard}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _invocation(result: RunResult, errors: list[Problem]) -> dict[str, Any]:
    """What went wrong in the run itself; files that failed make it one that did not succeed."""
    notifications = [_notification(one.path, one.message, "error", one.name) for one in errors]
    for file in result.files:
        for name in file.unfollowed:
            record = not_followed_record(file.path, name)
            notifications.append(_notification(file.path, record["message"], "warning", record["name"]))
    return {"executionSuccessful": not errors, "toolExecutionNotifications": notifications}


def _notification(path: str, text: str, level: str, name: str) -> dict[str, Any]:
    return {
        "descriptor": {"id": name},
        "level": level,
        "message": message(text),
        "locations": [{"physicalLocation": {"artifactLocation": artifact(path)}}],
    }


def _result(problem: Problem, finding: Finding, places: dict[str, int], fingerprints: Fingerprints) -> dict[str, Any]:
    more: list[Evidence | Related] = [*finding.evidence, *finding.related]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": places[finding.code],
        "level": LEVELS[problem.severity],
        "message": _message(problem, finding),
        "locations": [{**location(problem.path, finding.span), **_logical(finding)}],
        "partialFingerprints": {FINGERPRINT: fingerprints.within_file(problem.path, finding)},
    }
    if more:
        result["relatedLocations"] = [
            {"id": number, **location(_path_of(one) or problem.path, one.span), "message": message(one.message)}
            for number, one in enumerate(more, 1)
        ]
    fix = finding.fix
    if fix is not None and fix.edits and fix.applicability is not Applicability.DISPLAY and problem.span is not None:
        result["fixes"] = [_fix(problem.path, fix)]
    return result


def _path_of(one: Evidence | Related) -> str | None:
    return getattr(one, "path", None)


def _message(problem: Problem, finding: Finding) -> dict[str, str]:
    """The message, and a line per place of evidence with a link to it: only linked places are shown by GitHub."""
    lines = [message(problem.message)["text"]]
    lines += [linked(one.message, one.path or problem.path, one.span, n) for n, one in enumerate(finding.evidence, 1)]
    return {"text": "\n".join(lines)}


def _logical(finding: Finding) -> dict[str, Any]:
    if finding.class_name is None:
        return {}
    name = finding.class_name if finding.attribute is None else f"{finding.class_name}.{finding.attribute}"
    kind = "type" if finding.attribute is None else "member"
    return {"logicalLocations": [{"fullyQualifiedName": name, "kind": kind}]}


def _fix(path: str, fix: Fix) -> dict[str, Any]:
    note = "" if fix.applicability is Applicability.SAFE else " (unsafe: it needs a look)"
    change = {"artifactLocation": artifact(path), "replacements": [_replacement(edit) for edit in fix.edits]}
    return {"description": message(fix.message + note), "artifactChanges": [change]}


def _replacement(edit: Edit) -> dict[str, Any]:
    return {"deletedRegion": region(edit.span), "insertedContent": {"text": edit.content}}
