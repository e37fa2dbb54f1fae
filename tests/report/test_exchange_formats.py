"""GitLab, JUnit and reviewdog: what their descriptions ask for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace
from report_examples import EMPTY, EVERYTHING, GRAD, PLAIN, RESULT, RISKY, TEXT, span

from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.report.registry import render

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Finding


def result_of(*findings: Finding, text: str = TEXT) -> RunResult:
    return RunResult((FileResult("a.py", findings, text=text),))


def issues(result: RunResult) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(result, "gitlab"))
    return found


def test_gitlab_issues_have_what_gitlab_asks_for() -> None:
    for issue in issues(EVERYTHING):
        assert issue["description"]
        assert issue["check_name"]
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["lines"]["begin"] >= 1
        assert not issue["location"]["path"].startswith("./")
    assert issues(EMPTY) == []


def test_gitlab_fingerprints_are_unique_and_tell_no_rows() -> None:
    prints = [one["fingerprint"] for one in issues(RunResult((*EVERYTHING.files, FileResult("c.py", (PLAIN, PLAIN)))))]
    assert len(set(prints)) == len(prints)
    moved = replace(PLAIN, span=span(50, 1, 50, 2))
    assert issues(result_of(PLAIN))[0]["fingerprint"] == issues(result_of(moved))[0]["fingerprint"]


def document(result: RunResult) -> ET.Element:
    return ET.fromstring(render(result, "junit"))  # noqa: S314  our own text


@pytest.mark.parametrize("result", [EVERYTHING, EMPTY])
def test_junit_counts_what_it_holds(result: RunResult) -> None:
    root = document(result)
    assert root.tag == "testsuites"
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        counted = [str(len(cases))] + [str(len(list(element.iter(kind)))) for kind in ("failure", "error")]
        assert [element.get(name) for name in ("tests", "failures", "errors")] == counted
    assert all(case.get("name") and case.get("classname") for case in root.iter("testcase"))


def test_junit_names_of_cases_are_unique_in_a_suite() -> None:
    for suite in document(EVERYTHING):
        names = [case.get("name") for case in suite]
        assert len(set(names)) == len(names)


def test_junit_has_a_case_where_nothing_was_found() -> None:
    (suite,) = document(EMPTY)
    assert [case.get("name") for case in suite] == ["no findings"]
    assert suite.get("failures") == "0"


def test_junit_is_well_formed_whatever_a_message_holds() -> None:
    odd = replace(GRAD, message='<a & "b"> \x00\x1b\ud800\n]]>')
    (failure,) = document(result_of(odd)).iter("failure")
    assert failure.get("message") == '<a & "b"> \ufffd\ufffd\ufffd\n]]>'
    assert failure.text == 'a.py:6: <a & "b"> \ufffd\ufffd\ufffd\n]]>'


def diagnostics(result: RunResult) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(result, "rdjson"))["diagnostics"]
    return found


def test_reviewdog_counts_columns_in_bytes() -> None:
    at_b = replace(GRAD, span=span(1, 3, 1, 4))
    (found,) = diagnostics(result_of(at_b, text="a\U00010400b"))
    assert found["location"]["range"] == {"start": {"line": 1, "column": 6}, "end": {"line": 1, "column": 7}}


def test_reviewdog_columns_behind_the_end_of_a_line() -> None:
    (found,) = diagnostics(result_of(replace(GRAD, span=span(1, 2, 2, 1)), text="é"))
    assert found["location"]["range"] == {"start": {"line": 1, "column": 3}, "end": {"line": 2, "column": 1}}


def test_reviewdog_gets_the_edits_of_a_fix_as_one_suggestion() -> None:
    text = "import torch\r\nx = 1\r\ny = 2\n"
    edits = (Edit(span(1, 1, 1, 1), "import os\r\n"), Edit(span(3, 1, 3, 2), "z"))
    fixed = replace(GRAD, fix=Fix(Applicability.UNSAFE, "Do both", edits))
    (suggestion,) = diagnostics(result_of(fixed, text=text))[0]["suggestions"]
    assert suggestion["range"] == {"start": {"line": 1, "column": 1}, "end": {"line": 3, "column": 2}}
    assert suggestion["text"] == "import os\r\nimport torch\r\nx = 1\r\nz"


@pytest.mark.parametrize("applicability", list(Applicability))
def test_reviewdog_gets_no_advice(applicability: Applicability) -> None:
    assert RISKY.fix is not None
    one = replace(RISKY, fix=replace(RISKY.fix, applicability=applicability))
    assert ("suggestions" in diagnostics(result_of(one))[0]) is (applicability is not Applicability.DISPLAY)


def test_reviewdog_severities_and_errors() -> None:
    found = diagnostics(RESULT)
    assert {one["severity"] for one in found} == {"ERROR", "WARNING"}
    assert found[0]["location"] == {"path": "nope"}
    assert found[0]["code"] == {"value": "file-error"}


def test_pylint_rows() -> None:
    failed = RunResult((), (FileError("b.py", "no such file"),))
    assert render(failed, "pylint") == "b.py:1: [file-error] no such file\n"
    assert render(result_of(PLAIN), "pylint") == (
        "a.py:3: [RBF001(plain-tensor-attribute), M.__init__] `m` stays behind\n"
    )
