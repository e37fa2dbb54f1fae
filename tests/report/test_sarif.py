"""SARIF: what the specification (OASIS, version 2.1.0) and code scanning of GitHub ask for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from report_examples import DOCS, EMPTY, EVERYTHING, GRAD, PLAIN, span

from regbuf_lint.model.finding import Evidence, Finding
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.report.registry import render

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA_VARIABLE = "REGBUF_LINT_SARIF_SCHEMA"
SCHEMA_PACKAGE = "schemastore", "0.2.2", "package/schemas/json/sarif-2.1.0.json"
"""Name and version of a package on npm, and where it has the schema."""
LINK = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\((\d+)\)")


def log_of(result: RunResult) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(result, "sarif", docs=lambda: DOCS))
    return found


def run_of(*findings: Finding, path: str = "a.py") -> dict[str, Any]:
    (run,) = log_of(RunResult((FileResult(path, findings, text="x\n"),)))["runs"]
    return dict(run)


def objects(value: object, key: str) -> Iterator[Any]:
    """Everything that stands under a key, at any depth."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name == key:
                yield one
            yield from objects(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from objects(one, key)


@pytest.fixture(scope="module")
def official_schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """OASIS's schema: a copy that the variable names, or the one that a package of npm carries."""
    if SCHEMA_VARIABLE in os.environ:
        text = Path(os.environ[SCHEMA_VARIABLE]).read_bytes()
    else:
        text = _packed(tmp_path_factory.mktemp("npm"))
    found: dict[str, Any] = json.loads(text)
    return found


def _packed(directory: Path) -> bytes:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"needs npm, or {SCHEMA_VARIABLE} with the path of OASIS's schema")
    name, version, member = SCHEMA_PACKAGE
    command = [npm, "pack", "--silent", f"{name}@{version}"]
    if subprocess.run(command, cwd=directory, capture_output=True, check=False, timeout=120).returncode:
        pytest.skip("npm cannot reach a registry")
    with tarfile.open(directory / f"{name}-{version}.tgz") as archive:
        file = archive.extractfile(member)
        assert file is not None
        return file.read()


@pytest.mark.slow
def test_the_official_schema_takes_it(official_schema: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    kind = jsonschema.validators.validator_for(official_schema)
    kind.check_schema(official_schema)
    checker = kind(official_schema, format_checker=kind.FORMAT_CHECKER)
    for result in (EVERYTHING, EMPTY):
        assert [error.message for error in checker.iter_errors(log_of(result))] == []
    assert not checker.is_valid({**log_of(EVERYTHING), "runs": [{"tool": {}}]})


def test_required_properties() -> None:
    log = log_of(EVERYTHING)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["RBF001", "RBF101"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        assert len(result["locations"]) == 1


def test_every_region_has_four_fields() -> None:
    regions = [*objects(log_of(EVERYTHING), "region"), *objects(log_of(EVERYTHING), "deletedRegion")]
    assert len(regions) > len(EVERYTHING.findings)
    for region in regions:
        assert list(region) == ["startLine", "startColumn", "endLine", "endColumn"]
        assert all(isinstance(number, int) and number >= 1 for number in region.values())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/of m.py", {"uri": "a/of%20m.py", "uriBaseId": "%SRCROOT%"}),
        ("é#?.py", {"uri": "%C3%A9%23%3F.py", "uriBaseId": "%SRCROOT%"}),
        ("../other.py", {"uri": "../other.py", "uriBaseId": "%SRCROOT%"}),
        ("/abs/of m.py", {"uri": "file:///abs/of%20m.py"}),
    ],
)
def test_uris(path: str, expected: dict[str, str]) -> None:
    assert list(objects(run_of(GRAD, path=path)["results"], "artifactLocation")) == [expected]


def test_evidence_is_linked_from_the_message_since_github_shows_no_other() -> None:
    result = run_of(PLAIN)["results"][0]
    related = {one["id"]: one["message"]["text"] for one in result["relatedLocations"]}
    links = LINK.findall(result["message"]["text"])
    assert [(place, related[int(number)]) for place, number in links] == [
        ("a.py:6", "`f` combines it with `x`"),
        ("base/of m.py:30", "`Base.f` moves it by hand"),
    ]
    assert set(related.values()) - {one.message for one in PLAIN.evidence} == {"assigned again"}


def test_nothing_in_a_message_is_taken_for_a_link_or_a_placeholder() -> None:
    odd = replace(
        GRAD, message="`t[0](1)` and {0}, x[i]", evidence=(Evidence("[a](2) {n}", span(1, 1, 1, 2), "x[1].py"),)
    )
    message = run_of(odd)["results"][0]["message"]["text"]
    first, second = message.split("\n")
    assert first == "`t\\[0](1)` and {{0}}, x[i]"
    assert second == "[x\\[1\\].py:1](1): \\[a](2) {{n}}"
    assert LINK.findall(message) == [("x\\[1\\].py:1", "1")]


def test_help_of_rules() -> None:
    rule = run_of(PLAIN)["tool"]["driver"]["rules"][0]
    assert rule["help"]["text"] == "Reports a tensor.\n\nIt stays behind."
    assert rule["help"]["markdown"].startswith("# plain-tensor-attribute (RBF001)\n")
    assert 'self.m = {{"a": 1}}[0]' in rule["help"]["markdown"], "braces are doubled, brackets stay"
    assert rule["helpUri"] == PLAIN.rule.url


def fingerprints(*findings: Finding, path: str = "a.py") -> list[dict[str, str]]:
    return [one["partialFingerprints"] for one in run_of(*findings, path=path)["results"]]


def test_fingerprints_depend_on_code_class_and_attribute() -> None:
    moved = replace(PLAIN, span=span(90, 1, 90, 2), message="another", method="build")
    assert fingerprints(PLAIN) == fingerprints(moved) == fingerprints(PLAIN, path="moved.py")
    others = [replace(PLAIN, attribute="k"), replace(PLAIN, class_name="N"), replace(PLAIN, rule=GRAD.rule)]
    assert all(fingerprints(one) != fingerprints(PLAIN) for one in others)


def test_fingerprints_of_what_is_alike_differ_in_one_file_alone() -> None:
    first, second = fingerprints(PLAIN, PLAIN)
    assert first != second
    both = log_of(RunResult((FileResult("a.py", (PLAIN,)), FileResult("b.py", (PLAIN,)))))["runs"][0]["results"]
    assert [one["partialFingerprints"] for one in both] == [first, first], "another file changes nothing"


def test_fingerprints_do_not_tell_rows() -> None:
    one = replace(GRAD, message="see line 3")
    assert fingerprints(one) == fingerprints(replace(one, message="see line 8"))
    assert fingerprints(one) != fingerprints(replace(one, message="see there"))


def test_github_computes_its_own_fingerprint() -> None:
    assert [list(one) for one in fingerprints(PLAIN)] == [["regbuf-lint/v1"]]


def test_errors_and_large_classes_are_notifications() -> None:
    file = FileResult("a.py", (GRAD,), errors=(FileError("a.py", "not written"),), unfollowed=("M",))
    (run,) = log_of(RunResult((file,)))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    told = [(one["descriptor"]["id"], one["level"]) for one in invocation["toolExecutionNotifications"]]
    assert told == [("file-error", "error"), ("class-not-followed", "warning")]
    assert len(run["results"]) == 1
    assert log_of(EMPTY)["runs"][0]["invocations"][0]["executionSuccessful"] is True


def test_advice_and_fixes_of_cells_are_no_fixes() -> None:
    assert PLAIN.fix is not None
    advice = replace(PLAIN, fix=replace(PLAIN.fix, applicability=Applicability.DISPLAY))
    assert list(objects(run_of(advice), "fixes")) == []
    assert len(list(objects(run_of(PLAIN), "fixes"))) == 1
    (notebook,) = [file for file in EVERYTHING.files if file.path == "nb.ipynb"]
    assert list(objects(log_of(RunResult((notebook,))), "fixes")) == []
