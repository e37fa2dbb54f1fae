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
    from collections.abc import Iterator, Sequence
    from pathlib import Path

RULE = "RBF001"
_NOQA = re.compile(r"#\s*noqa(?::\s*(?P<codes>[A-Z]+\d*(?:[\s,]+[A-Z]+\d*)*))?", re.IGNORECASE)
_NO_CODE = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})
_TABLE, _KEY = "regbuf-lint", "ignore-attributes"


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
        self._patterns = (*(one.removeprefix(below).removeprefix("./") for one in patterns), *_configured(root))

    def cover(self, line: dict[str, Any]) -> bool:
        """Whether a recorded line does not count."""
        names = {line["file"], f"{line['file']}:{line['line']}", line["attribute"]}
        names |= {f"{name.rpartition('.')[2]}.{line['attribute']}" for name in line["classes"]}
        names |= {f"{name}.{line['attribute']}" for name in line["classes"]}
        if any(fnmatchcase(name, pattern) for name in names for pattern in self._patterns):
            return True
        rows = _rows(self._root / line["file"])
        return any(_is_silenced(rows[number - 1]) for number in _numbers(rows, line["line"], line["attribute"]))


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


def _is_silenced(row: str) -> bool:
    found = _NOQA.search(row)
    codes = found["codes"] if found else None
    return found is not None and (
        codes is None or any(RULE.startswith(one.upper()) for one in re.split(r"[\s,]+", codes))
    )


@lru_cache(maxsize=64)
def _rows(path: Path) -> tuple[str, ...]:
    try:
        return tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return ()


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


def _configured(root: Path) -> Iterator[str]:
    """Yield ``ignore-attributes`` of the ``pyproject.toml`` that is next, upwards."""
    for directory in (root, *root.parents):
        file = directory / "pyproject.toml"
        if file.is_file():
            table = _toml(file).get("tool", {}).get(_TABLE, {})
            yield from (one for one in table.get(_KEY, []) if isinstance(one, str))
            return


def _toml(file: Path) -> dict[str, Any]:
    name = "tomllib" if sys.version_info >= (3, 11) else "tomli"  # which the linter needs there, too
    try:
        found: dict[str, Any] = importlib.import_module(name).loads(file.read_text(encoding="utf-8"))
    except (ImportError, OSError, ValueError):
        return {}
    return found
