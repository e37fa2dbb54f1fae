"""Reports of the shards of a run, put together to the one that the whole run would have written."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from regbuf_lint.report.json_format import SHARD_NAME
from regbuf_lint.report.problems import FILE_ERROR_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Record = dict[str, Any]

_SHARD = re.compile(r"(?:\d+/\d+)?")


class UnmergeableError(Exception):
    """Reports that cannot be put together; the message says why."""


def merged(parts: Mapping[str, str]) -> tuple[str, bool, bool]:
    """Return one report for several, whether it has findings, and whether a path failed.

    Args:
        parts: by their names, reports in one of the formats ``json``, ``json-lines`` and ``sarif``, all in one format.

    Raises:
        UnmergeableError: they are not, or they are parts of a run, and not all of them.
    """
    read = {name: _read(name, part) for name, part in parts.items()}
    kinds = {kind for kind, _ in read.values()}
    if len(kinds) != 1:
        msg = "the parts are not all in the same format"
        raise UnmergeableError(msg)
    _check_complete({name: shard for name, (_, shard) in read.items()})
    return kinds.pop().merge(list(parts.values()))


def _check_complete(shards: Mapping[str, str]) -> None:
    """Make sure that parts are all parts of one run, each once; what nobody calls a part is a run of its own.

    Args:
        shards: by the names of the parts, which one each of them is, as in ``2/4``; empty for none.

    Raises:
        UnmergeableError: they are not; the message names what is missing or too many.
    """
    if not any(shards.values()):
        return
    first, *_ = shards
    total = shards[first].partition("/")[2]
    names: dict[int, str] = {}
    for name, shard in shards.items():
        number, _, its_total = shard.partition("/")
        if its_total != total or not total:
            msg = f"{first} is {_told(shards[first])}, and {name} is {_told(shard)}"
            raise UnmergeableError(msg)
        if int(number) in names:
            msg = f"{names[int(number)]} and {name} are both {_told(shard)}"
            raise UnmergeableError(msg)
        names[int(number)] = name
    missing = next((one for one in range(1, int(total) + 1) if one not in names), None)
    if missing is not None:
        msg = f"shard {missing}/{total} is missing"
        raise UnmergeableError(msg)


def _told(shard: str) -> str:
    return f"shard {shard}" if shard else "no shard"


class _Kind(NamedTuple):
    """What can be done with reports of a format.

    Attributes:
        merge: puts reports together; gives one, whether it has findings, and whether a path failed.
        shard: tells which part of a run a report is; empty where it is none.
    """

    merge: Callable[[Sequence[str]], tuple[str, bool, bool]]
    shard: Callable[[str], str]


def _read(name: str, part: str) -> tuple[_Kind, str]:
    """What can be done with a report, and which shard it is; nothing at all is one of the format ``json-lines``.

    Raises:
        UnmergeableError: it is no report.
    """
    kind = _JSON if part.startswith("[") else _SARIF if part.startswith("{\n") else _JSON_LINES
    try:
        kind.merge([part])
        shard = _SHARD.fullmatch(kind.shard(part))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        shard = None
    if shard is None:
        msg = f"{name}: this is no report of the format json, json-lines or sarif"
        raise UnmergeableError(msg)
    return kind, shard[0]


def _json(parts: Sequence[str]) -> tuple[str, bool, bool]:
    records = _findings_of(one for part in parts for one in json.loads(part))
    return json.dumps(records, indent=2) + "\n", *_found(records)


def _json_lines(parts: Sequence[str]) -> tuple[str, bool, bool]:
    records = _findings_of(record for part in parts for record in _lines(part))
    return "".join(json.dumps(record) + "\n" for record in records), *_found(records)


def _lines(part: str) -> list[Record]:
    return [json.loads(line) for line in part.splitlines()]


def _findings_of(records: Iterable[Record]) -> list[Record]:
    return _in_order((one for one in records if one["name"] != SHARD_NAME), _file_of_record)


def _shard_of(records: Iterable[Record]) -> str:
    return next((one["message"] for one in records if one["name"] == SHARD_NAME), "")


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
    run.pop("properties", None)
    run["tool"]["driver"]["rules"] = [rules[code] for code in places]
    run["invocations"][0] = {
        "executionSuccessful": not errors,
        "toolExecutionNotifications": [*_in_order(errors, _file_of_result), *_in_order(notes, _file_of_result)],
    }
    run["results"] = [{**one, "ruleIndex": places[one["ruleId"]]} for one in results]
    return json.dumps(logs[0], indent=2) + "\n", bool(results), bool(errors)


def _shard_of_run(part: str) -> str:
    return str(json.loads(part)["runs"][0].get("properties", {}).get(SHARD_NAME, ""))


def _file_of_result(result: Mapping[str, Any]) -> str:
    return unquote(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], errors="surrogateescape")


def _in_order(records: Iterable[Record], file_of: Callable[[Record], str]) -> list[Record]:
    """Records file by file, as a run has them; those of one file are all in one part, and stay as they are."""
    return sorted(records, key=lambda one: file_of(one).split("/"))


_JSON = _Kind(_json, lambda part: _shard_of(json.loads(part)))
_JSON_LINES = _Kind(_json_lines, lambda part: _shard_of(_lines(part)))
_SARIF = _Kind(_sarif, _shard_of_run)
