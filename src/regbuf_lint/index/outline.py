"""The classes and imports of a file, found without parsing all of it: who inherits from whom."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from regbuf_lint.index.parsing import ParseError, parse, with_newlines
from regbuf_lint.index.statements import Room, Statements
from regbuf_lint.source.digests import digest_of
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.overlay import Overlay

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNKNOWN = "_of_unknown_value_"
"""The package that names come from of which an outline does not say what they are."""

_MOST = 4000
"""Characters that are looked at for the end of a statement."""
_DEEPEST = 200
"""Spaces before a statement that are looked at."""
# Not anchored to the start of the row, since a pattern that starts with a literal is ten times faster.
_CLASS = re.compile(r"class(?:[ \t]+\w+[ \t]*[\[(:\\]|[ \t]*\\)")
_HEADER = re.compile(
    r"class[ \t]+\w+[ \t]*(?:\[[^\]]{0,500}\])?[ \t]*"
    rf"(?:\((?:[^()]|\((?:[^()]|\([^()]{{0,500}}\)){{0,500}}\)){{0,{_MOST}}}\))?[ \t]*:"
)
_WHAT = rf"\b[ \t]*(?:\([^)]{{0,{_MOST}}}\)|(?:[^\n\\]|\\\n){{1,{_MOST}}})"
_IMPORT = re.compile(rf"import{_WHAT}")
_FROM = re.compile(rf"from[ \t]*[.\w][.\w \t]{{0,300}}\bimport{_WHAT}")
_ASSIGNED = (
    re.compile(r"\n[ \t\f(]*(\w+\b(?:[ \t]*,[ \t]*\w+\b)*)[ \t)]*(?::[^=\n]*)?=(?!=)"),
    re.compile(r"=[ \t]*(\w+)\b[ \t]*=(?!=)"),
)
"""One name or several ones, and those behind the first of ``a = b = value``."""
_NAME = re.compile(r"\w+")


def outline(text: str, room: Room) -> tuple[str, Statements]:
    """The class and import statements of a file, all of them as if they stood at its top.

    A name that is bound by one of them and assigned besides is imported from ``UNKNOWN``, too. Statements in docstrings
    count, so that a name may mean more here than it does, and never less.

    Args:
        text: the file's text.
        room: where what it takes is counted.

    Returns:
        The whole text of the file and all of its statements, where these cannot be told from the rest without it.

    Raises:
        ParseError: the file does not parse, and that had to be tried.
    """
    rows = with_newlines(text)
    try:
        found = "\n".join(_statements(rows))
        tree = parse(found)
    except (ParseError, _UnclearError):
        return text, Statements(text, parse(text), room)
    targets = ",".join(target for pattern in _ASSIGNED for target in pattern.findall(f"\n{rows}"))
    assigned = set(_NAME.findall(targets))
    if doubtful := sorted(assigned & set(_bound(tree))):
        found = f"from {UNKNOWN} import {', '.join(doubtful)}\n{found}"
        tree = parse(found)
    return found, Statements(found, tree, room)


def outline_digest(kept: str) -> str:
    """The digest of what ``outline`` keeps of a text."""
    return digest_of(kept.encode(errors="replace"))


def outline_on_disk(path: Path) -> str:
    """The digest of a file's outline; empty where there is none."""
    try:
        kept, _ = outline(Overlay().read_imported(path).text, Room())
    except (SourceError, ParseError):
        return ""
    return outline_digest(kept)


class _UnclearError(Exception):
    """Where statements begin and end cannot be told."""


def _statements(text: str) -> Iterator[str]:
    """The import and class statements of a file, these without their bodies.

    Raises:
        _UnclearError: one of them does not stand alone in its rows.
    """
    yield from _at_start(_FROM, text)
    yield from _at_start(_IMPORT, text)
    for place in _CLASS.finditer(text):
        if _indent(text, place.start()) is not None:
            header = _HEADER.match(text, place.start())
            if header is None:
                raise _UnclearError
            yield f"{header[0]} pass"


def _at_start(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """The import statements of a file that stand alone in their rows, but for indented ones of everything.

    Raises:
        _UnclearError: one stands behind something else.
    """
    for found in pattern.finditer(text):
        indent = _indent(text, found.start())
        if indent is None:
            if text[max(0, found.start() - _DEEPEST) : found.start()].rstrip(" \t")[-1:] in {";", ":"}:
                raise _UnclearError
        elif not (indent and "*" in found[0]):
            yield found[0]


def _indent(text: str, start: int) -> str | None:
    """What stands before a place in its row; None where that is more than spaces."""
    before = text[max(0, start - _DEEPEST) : start]
    rest = before.rstrip(" \t\f")
    return before[len(rest) :] if rest[-1:] in {"", "\n"} else None


def _bound(tree: ast.Module) -> list[str]:
    names = []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            names.append(statement.name)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            names += [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    return names
