"""Small objects of SARIF: messages, places, regions."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from regbuf_lint.report.problems import in_cell

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span

_ROOT = "%SRCROOT%"
_START = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}
_LIKE_A_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
_BRACKETS = str.maketrans({"\\": r"\\", "[": r"\[", "]": r"\]"})
_BRACES = str.maketrans({"{": "{{", "}": "}}"})


def with_braces(text: str) -> str:
    """Return a text in which no brace starts a placeholder."""
    return text.translate(_BRACES)


def message(text: str) -> dict[str, str]:
    """Return a message in which nothing is a placeholder or a link."""
    return {"text": with_braces(_LIKE_A_LINK.sub(r"\\[", text))}


def linked(text: str, path: str, span: Span, number: int) -> str:
    """Return a line about a related place, whose name is a link to it."""
    row = in_cell(span.start).rstrip(": ") or span.start.row
    place = with_braces(f"{path}:{row}".translate(_BRACKETS))
    return f"[{place}]({number}): {message(text)['text']}"


def artifact(path: str) -> dict[str, str]:
    """Return where a file lies: relative to the root of the sources, where its path is relative."""
    pure = PurePath(path)
    if pure.is_absolute():
        return {"uri": pure.as_uri()}
    return {"uri": quote(path, errors="surrogateescape"), "uriBaseId": _ROOT}


def location(path: str, span: Span) -> dict[str, Any]:
    """Return a place; in a notebook the start of its file, since rows are counted in a cell."""
    place = {"artifactLocation": artifact(path), "region": _START if span.start.cell else region(span)}
    return {"physicalLocation": place}


def region(span: Span) -> dict[str, int]:
    """Return a piece of a file with all four fields that GitHub wants."""
    start, end = span.start, span.end
    return {"startLine": start.row, "startColumn": start.column, "endLine": end.row, "endColumn": end.column}
