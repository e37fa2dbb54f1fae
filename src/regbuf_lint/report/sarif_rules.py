"""The rules of a SARIF log, with the pages that GitHub shows beside an alert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regbuf_lint.model.rule import Severity
from regbuf_lint.report.rule_page import rule_page
from regbuf_lint.report.sarif_parts import message, with_braces

if TYPE_CHECKING:
    from regbuf_lint.model.rule import RuleDocs, RuleMeta

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEM_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def rule_descriptor(rule: RuleMeta, docs: RuleDocs | None) -> dict[str, Any]:
    """Return the object that describes a rule.

    Args:
        rule: the rule.
        docs: its page; None where nobody gives it, and its summary stands in.
    """
    what = rule.summary if docs is None else docs.what
    help_text = rule.summary if docs is None else f"{docs.what}\n\n{docs.why}"
    page = rule.summary if docs is None else rule_page(rule, docs)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": message(rule.summary),
        "fullDescription": message(what),
        "helpUri": rule.url,
        "help": {**message(help_text), "markdown": with_braces(page)},
        "defaultConfiguration": {"level": LEVELS[rule.severity], "enabled": rule.on_by_default},
        "properties": {
            "tags": ["pytorch", "correctness"],
            "precision": "high",
            "problem.severity": _PROBLEM_SEVERITIES[rule.severity],
        },
    }
