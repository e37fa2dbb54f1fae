"""Which recorded lines are right as they are: by a comment, by the project's configuration, or by an option."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tokenize
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

RULE = "RBF001"
_NOQA = re.compile(r"#\s*noqa(?::\s*(?P<codes>[A-Z]+\d*(?:[\s,]+[A-Z]+\d*)*))?", re.IGNORECASE)
_FOR_FILE = re.compile(
    r"\s*#\s*(?:flake8|regbuf-lint)[:=]\s*noqa\b(?::\s*(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?"
    r"(?=[,\s]*(?:#|$)|\s+[-\u2013\u2014])",
    re.IGNORECASE,
)
"""What hides findings of a whole file; the linter takes the same."""
_FORM = re.compile(r"[^,]*(?:/|\.py)[^,]*|[\w.*?\[\]!-]+(?::[\d*?]+)?")
"""A path, or names with dots between them; what has a comma is a list, which no pattern is."""
_NO_CODE = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})
_OWN_FILES, _PYPROJECT = (".regbuf-lint.toml", "regbuf-lint.toml"), "pyproject.toml"
_TABLE, _KEY = "regbuf-lint", "ignore-attributes"


def has_form(pattern: str) -> bool:
    """Whether a pattern can name a file, a line, or an attribute."""
    return _FORM.fullmatch(pattern) is not None


class Exemptions:
    """What does not count.

    Args:
        root: the directory that the lines' files are below.
        patterns: ``FILE`` (from the root, or absolute), ``FILE:LINE``, an attribute or ``Class.attribute``; ``*``
            stands for anything.
    """

    def __init__(self, root: Path, patterns: Sequence[str]) -> None:
        self._root = root
        below = f"{root.as_posix()}/"
        self._patterns = tuple(one.removeprefix(below).removeprefix("./") for one in patterns)

    def cover(self, line: dict[str, Any]) -> bool:
        """Whether a recorded line does not count."""
        path = self._root / line["file"]
        owners = {"", *(f"{one}." for name in line["classes"] for one in (name, name.rpartition(".")[2]))}
        names = {f"{owner}{line['attribute']}" for owner in owners}
        if _is_named(names | {line["file"], f"{line['file']}:{line['line']}"}, self._patterns):
            return True
        if _is_named(names, _configured(path.parent)):
            return True
        rows = _rows(path)
        if _is_hidden(rows):
            return True
        hiding = _hiding(rows)  # most files have no such row, and to take one apart takes its time
        return bool(hiding) and not hiding.isdisjoint(_numbers(rows, line["line"], line["attribute"]))


def _is_named(names: Iterable[str], patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _numbers(rows: tuple[str, ...], number: int, attribute: str) -> Iterator[int]:
    """Yield the rows of the statement that stored, and of those of its class that fill what was stored."""
    yield from _statement(rows, number)
    filling = re.compile(rf"\.{re.escape(attribute)}\s*[.\[]")
    for one in _class_around(rows, number):
        if filling.search(rows[one - 1]):
            yield from _statement(rows, one)


def _class_around(rows: tuple[str, ...], number: int) -> range:
    """Return the rows of the innermost class around a row."""
    return min((one for one in _classes(rows) if number in one), key=len, default=range(0))


@lru_cache(maxsize=64)
def _classes(rows: tuple[str, ...]) -> tuple[range, ...]:
    with suppress(SyntaxError, ValueError, RecursionError):
        classes = (one for one in ast.walk(ast.parse("\n".join(rows))) if isinstance(one, ast.ClassDef))
        return tuple(range(one.lineno, (one.end_lineno or 0) + 1) for one in classes)
    return ()


def _hides(comment: re.Match[str] | None) -> bool:
    """Whether a comment is one that hides what the rule finds."""
    codes = comment["codes"] if comment else None
    return comment is not None and (
        codes is None or any(RULE.startswith(one.upper()) for one in re.split(r"[\s,]+", codes))
    )


@lru_cache(maxsize=64)
def _rows(path: Path) -> tuple[str, ...]:
    try:
        return tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return ()


@lru_cache(maxsize=64)
def _is_hidden(rows: tuple[str, ...]) -> bool:
    """Whether a comment hides what the rule finds in the whole file."""
    return any(_hides(_FOR_FILE.match(row)) for row in rows)


@lru_cache(maxsize=64)
def _hiding(rows: tuple[str, ...]) -> frozenset[int]:
    """Return the numbers of the rows with a comment that hides what the rule finds there."""
    return frozenset(number for number, row in enumerate(rows, 1) if _hides(_NOQA.search(row)))


def _statement(rows: tuple[str, ...], number: int) -> range:
    """Return the rows of the logical line that a row belongs to."""
    return next((one for one in _logical_lines(rows) if number in one), range(number, min(number, len(rows)) + 1))


@lru_cache(maxsize=64)
def _logical_lines(rows: tuple[str, ...]) -> tuple[range, ...]:
    lines = (f"{row}\n" for row in rows)
    found, first = [], 0
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.NEWLINE:
                found.append(range(first, token.end[0] + 1))
                first = 0
            elif token.type not in _NO_CODE:
                first = first or token.start[0]
    return tuple(found)


@lru_cache(maxsize=64)
def _configured(directory: Path) -> tuple[str, ...]:
    """Return ``ignore-attributes`` of the configuration that is nearest to the files of a directory, upwards."""
    for one in (directory, *directory.parents):
        for name in (*_OWN_FILES, _PYPROJECT):
            document = _toml(one / name)
            tables = document.get("tool", {}) if document is not None else {}
            if document is not None and (name in _OWN_FILES or _TABLE in tables):
                return tuple(found for found in tables.get(_TABLE, document).get(_KEY, []) if isinstance(found, str))
    return ()


def _toml(file: Path) -> dict[str, Any] | None:
    """Return what a file holds; None where there is none, and nothing where it is broken."""
    name = "tomllib" if sys.version_info >= (3, 11) else "tomli"  # which the linter needs there, too
    try:
        found: dict[str, Any] = importlib.import_module(name).loads(file.read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ImportError, OSError, ValueError):
        return {}
    return found
