"""Reports of the shards of a run, put together to the one that the whole run would have written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from regbuf_lint.report.problems import FILE_ERROR_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Record = dict[str, Any]


class UnmergeableError(Exception):
    """Reports that cannot be put together; the message says why."""


def merged(parts: Mapping[str, str]) -> tuple[str, bool, bool]:
    """Return one report for several, whether it has findings, and whether a path failed.

    Args:
        parts: by their names, reports in one of the formats ``json``, ``json-lines`` and ``sarif``, all in one format.

    Raises:
        UnmergeableError: they are not.
    """
    for name, part in parts.items():
        _read(name, part)
    texts = list(parts.values())
    if len(set(map(_kind, texts))) != 1:
        msg = "the parts are not all in the same format"
        raise UnmergeableError(msg)
    return _kind(texts[0])(texts)


def _read(name: str, part: str) -> None:
    """Make sure that a part is a report.

    Raises:
        UnmergeableError: it is none.
    """
    try:
        _kind(part)([part])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        msg = f"{name}: this is no report of the format json, json-lines or sarif"
        raise UnmergeableError(msg) from None


def _kind(part: str) -> Callable[[Sequence[str]], tuple[str, bool, bool]]:
    """How a report is put together with others like it; nothing at all is a report of the format ``json-lines``."""
    if part.startswith("["):
        return _json
    return _sarif if part.startswith("{\n") else _json_lines


def _json(parts: Sequence[str]) -> tuple[str, bool, bool]:
    records = _in_order((one for part in parts for one in json.loads(part)), _file_of_record)
    return json.dumps(records, indent=2) + "\n", *_found(records)


def _json_lines(parts: Sequence[str]) -> tuple[str, bool, bool]:
    records = _in_order((json.loads(line) for part in parts for line in part.splitlines()), _file_of_record)
    return "".join(json.dumps(record) + "\n" for record in records), *_found(records)


def _found(records: Sequence[Record]) -> tuple[bool, bool]:
    has_findings = any(one["code"] is not None for one in records)
    return has_findings, any(one["name"] == FILE_ERROR_NAME for one in records)


def _file_of_record(record: Record) -> str:
    return str(record["filename"])


def _sarif(parts: Sequence[str]) -> tuple[str, bool, bool]:
    logs = [json.loads(part) for part in parts]
    runs = [log["runs"][0] for log in logs]
    rules = {rule["id"]: rule for run in runs for rule in run["tool"]["driver"]["rules"]}
    places = {code: number for number, code in enumerate(sorted(rules))}
    results = _in_order((one for run in runs for one in run["results"]), _file_of_result)
    told = [one for run in runs for one in run["invocations"][0]["toolExecutionNotifications"]]
    errors, notes = ([one for one in told if (one["level"] == "error") is wanted] for wanted in (True, False))
    run = runs[0]
    run["tool"]["driver"]["rules"] = [rules[code] for code in places]
    run["invocations"][0] = {
        "executionSuccessful": not errors,
        "toolExecutionNotifications": [*_in_order(errors, _file_of_result), *_in_order(notes, _file_of_result)],
    }
    run["results"] = [{**one, "ruleIndex": places[one["ruleId"]]} for one in results]
    return json.dumps(logs[0], indent=2) + "\n", bool(results), bool(errors)


def _file_of_result(result: Mapping[str, Any]) -> str:
    return unquote(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], errors="surrogateescape")


def _in_order(records: Iterable[Record], file_of: Callable[[Record], str]) -> list[Record]:
    """Records file by file, as a run has them; those of one file are all in one part, and stay as they are."""
    return sorted(records, key=lambda one: file_of(one).split("/"))
