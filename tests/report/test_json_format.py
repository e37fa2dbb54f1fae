"""JSON: the contract of docs/json-output.md and docs/findings.schema.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from report_examples import EMPTY, NOTEBOOK, PLAIN, RESULT, RISKY

from regbuf_lint.model.result import FileResult, RunResult
from regbuf_lint.report.json_format import SCHEMA_VERSION
from regbuf_lint.report.registry import render

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA: dict[str, Any] = json.loads((DOCS / "findings.schema.json").read_text(encoding="utf-8"))
KEYS = [
    "code",
    "name",
    "message",
    "severity",
    "filename",
    "location",
    "end_location",
    "class",
    "attribute",
    "method",
    "fix",
    "noqa_row",
    "url",
    "evidence",
]
TYPES: dict[str, type | tuple[type, ...]] = {
    "null": type(None),
    "string": str,
    "integer": int,
    "object": dict,
    "array": list,
}


def records() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(RESULT, "json"))
    return found


def problems(value: object, schema: dict[str, Any], at: str = "$") -> list[str]:
    """Check a value against the few keywords that our schema uses."""
    if "$ref" in schema:
        return problems(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], at)
    if "anyOf" in schema:
        options = [problems(value, option, at) for option in schema["anyOf"]]
        return [] if [] in options else [f"{at}: no alternative fits: {options}"]
    names = schema.get("type", [])
    expected = tuple(TYPES[name] for name in ([names] if isinstance(names, str) else names))
    if expected and not isinstance(value, expected):
        return [f"{at}: {value!r} is no {names}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r} is not in {schema['enum']}")
    if isinstance(value, int) and value < schema.get("minimum", value):
        found.append(f"{at}: {value} is too small")
    if isinstance(value, list):
        found += [problem for i, item in enumerate(value) for problem in problems(item, schema["items"], f"{at}[{i}]")]
    if isinstance(value, dict):
        properties = schema["properties"]
        found += [f"{at}: {key} is missing" for key in schema["required"] if key not in value]
        found += [f"{at}: {key} is unknown" for key in value if key not in properties]
        found += [p for key in value if key in properties for p in problems(value[key], properties[key], f"{at}.{key}")]
    return found


def test_keys_and_their_order() -> None:
    for record in records():
        assert list(record) == KEYS
    fix = records()[1]["fix"]
    assert list(fix) == ["applicability", "message", "edits", "state_dict"]
    assert list(fix["edits"][0]) == ["content", "location", "end_location"]
    assert list(fix["state_dict"]) == ["adds", "removes"]
    assert list(records()[1]["evidence"][0]) == ["message", "filename", "location"]
    assert list(SCHEMA["$defs"]["record"]["properties"]) == KEYS


def test_a_finding() -> None:
    assert records()[1] == {
        "code": "RBF001",
        "name": "plain-tensor-attribute",
        "message": "`m` stays behind",
        "severity": "warning",
        "filename": "a/m.py",
        "location": {"row": 3, "column": 3},
        "end_location": {"row": 5, "column": 4},
        "class": "M",
        "attribute": "m",
        "method": "__init__",
        "fix": {
            "applicability": "safe",
            "message": "Register `m` as a buffer",
            "edits": [
                {
                    "content": 'self.register_buffer("m", torch.ones(3))',
                    "location": {"row": 3, "column": 3},
                    "end_location": {"row": 5, "column": 4},
                }
            ],
            "state_dict": {"adds": ["m"], "removes": ["old"]},
        },
        "noqa_row": 5,
        "url": "https://regbuf-lint.github.io/regbuf-lint/rules/RBF001/",
        "evidence": [
            {
                "message": "`f` combines it with `x`",
                "filename": "a/m.py",
                "location": {"row": 6, "column": 12},
            },
            {
                "message": "`Base.f` moves it by hand",
                "filename": "base/of m.py",
                "location": {"row": 30, "column": 5},
            },
        ],
    }


def test_places_in_notebooks_tell_their_cell() -> None:
    _, found = json.loads(render(NOTEBOOK, "json"))
    assert found["location"] == {"row": 2, "column": 1, "cell": 4}
    assert found["fix"]["edits"][0]["end_location"] == {"row": 2, "column": 6, "cell": 4}
    assert [(one["filename"], one["location"]) for one in found["evidence"]] == [
        ("nb.ipynb", {"row": 2, "column": 1, "cell": 3}),
        ("base.py", {"row": 30, "column": 5}),
    ]
    assert problems([found], SCHEMA) == []
    found["location"]["cell"] = 0
    assert problems([found], SCHEMA) != []


def test_file_errors_are_records_without_a_code() -> None:
    first, last = records()[0], records()[-1]
    assert (first["code"], first["name"], first["severity"]) == (None, "file-error", "error")
    assert (first["filename"], first["message"]) == ("nope", "no such file or directory")
    assert (last["filename"], last["message"]) == ("b.py", "not valid UTF-8")
    given = {"name", "message", "severity", "filename", "evidence"}
    assert {key for key, value in first.items() if value is None} == set(KEYS) - given
    assert [one["evidence"] for one in (first, records()[2], last)] == [[], [], []]


def test_classes_that_are_too_large_are_records_behind_the_findings_of_their_file() -> None:
    large = FileResult("a/m.py", (PLAIN,), unfollowed=("Outer.M",))
    found = json.loads(render(RunResult((large, FileResult("b.py", (RISKY,)))), "json"))
    assert [one["name"] for one in found] == ["plain-tensor-attribute", "class-not-followed", "plain-tensor-attribute"]
    record = found[1]
    assert (record["filename"], record["class"], record["severity"]) == ("a/m.py", "Outer.M", "warning")
    assert (record["code"], record["location"], record["noqa_row"]) == (None, None, None)
    assert "`Outer.M` is too large" in record["message"]
    assert list(record) == KEYS
    assert problems(found, SCHEMA) == []


def test_nothing_found_is_an_empty_array() -> None:
    assert render(EMPTY, "json") == "[]\n"


def test_output_is_ascii() -> None:
    assert render(RESULT, "json").isascii()


def test_output_fits_the_schema() -> None:
    assert problems(records(), SCHEMA) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("severity",), "loud"),
        (("location",), {"row": 0, "column": 1}),
        (("location",), {"row": 1}),
        (("message",), None),
        (("extra",), 1),
        (("evidence",), None),
        (("evidence", 0, "location"), None),
        (("evidence", 0, "end_location"), {"row": 1, "column": 1}),
        (("fix", "applicability"), "maybe"),
        (("fix", "edits", 0, "content"), None),
    ],
)
def test_the_schema_refuses_what_is_wrong(path: tuple[str | int, ...], value: object) -> None:
    found = records()
    place: Any = found[1]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert problems(found, SCHEMA) != []


def test_version_is_told_everywhere() -> None:
    assert SCHEMA["$id"].endswith(f"/findings.schema.json?v={SCHEMA_VERSION}")
    assert f"schema version {SCHEMA_VERSION}" in (DOCS / "json-output.md").read_text(encoding="utf-8").lower().replace(
        "\n", " "
    )
