"""What pylint prints as ``parseable``: ``path:row: [code(name), where] message``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.report.problems import problems

if TYPE_CHECKING:
    from regbuf_lint.model.result import RunResult
    from regbuf_lint.report.context import ReportContext
    from regbuf_lint.report.problems import Problem


def render(result: RunResult, _context: ReportContext) -> str:
    """Return a line per error and finding."""
    return "".join(f"{one.path}:{one.row}: [{_about(one)}] {one.message}\n" for one in problems(result))


def _about(problem: Problem) -> str:
    finding = problem.finding
    if finding is None:
        return problem.name
    where = ".".join(filter(None, (finding.class_name, finding.method)))
    return f"{finding.code}({problem.name}), {where}" if where else f"{finding.code}({problem.name})"
