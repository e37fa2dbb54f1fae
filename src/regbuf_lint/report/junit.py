"""JUnit XML: a suite per file with findings, a failed case per finding, a case in error per file error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from regbuf_lint.report.lines import row_and_column
from regbuf_lint.report.problems import problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.result import RunResult
    from regbuf_lint.report.context import ReportContext
    from regbuf_lint.report.problems import Problem

_NAME = "regbuf-lint"
_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INSTEAD = "\ufffd"


def render(result: RunResult, _context: ReportContext) -> str:
    """Return a document with at least one case, since readers take none for a mistake."""
    by_path: dict[str, list[Problem]] = {}
    for one in problems(result):
        by_path.setdefault(one.path, []).append(one)
    rows = ['<?xml version="1.0" encoding="UTF-8"?>']
    everything = [one for found in by_path.values() for one in found]
    rows.append(f"<testsuites {_counted(_NAME, everything)}>")
    for path, found in by_path.items():
        rows += _suite(path, found)
    if not by_path:
        rows.append(f"  <testsuite {_attributes(name=_NAME, tests='1', failures='0', errors='0')}>")
        rows.append(f"    <testcase {_attributes(name='no findings', classname=_NAME)}/>")
        rows.append("  </testsuite>")
    rows.append("</testsuites>")
    return "".join(row + "\n" for row in rows)


def _suite(path: str, found: list[Problem]) -> Iterator[str]:
    yield f"  <testsuite {_counted(path, found)}>"
    for one in found:
        yield from _case(one)
    yield "  </testsuite>"


def _case(problem: Problem) -> Iterator[str]:
    finding = problem.finding
    where = "" if finding is None else f" {row_and_column(finding.span.start)}"
    owner = problem.path if finding is None or finding.class_name is None else finding.class_name
    about = _attributes(name=problem.title + where, classname=owner, file=problem.path, line=str(problem.row))
    element = "error" if finding is None else "failure"
    told = _attributes(message=problem.message, type=problem.severity.value)
    yield f"    <testcase {about}>"
    yield f"      <{element} {told}>{_text(_details(problem))}</{element}>"
    yield "    </testcase>"


def _details(problem: Problem) -> str:
    """The message again, since some readers show the text alone, with what stands beside it."""
    advice = problem.finding.help if problem.finding is not None else ""
    return "\n".join(filter(None, (f"{problem.path}:{problem.row}: {problem.message}", *problem.notes, advice)))


def _counted(name: str, found: list[Problem]) -> str:
    errors = sum(one.finding is None for one in found)
    tests, failures = max(1, len(found)), len(found) - errors
    return _attributes(name=name, tests=str(tests), failures=str(failures), errors=str(errors))


def _attributes(**values: str) -> str:
    escapes = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return " ".join(f"{name}={quoteattr(_allowed(value), escapes)}" for name, value in values.items())


def _text(text: str) -> str:
    return escape(_allowed(text), {"\r": "&#13;"})


def _allowed(text: str) -> str:
    return _NOT_IN_XML.sub(_INSTEAD, text)
