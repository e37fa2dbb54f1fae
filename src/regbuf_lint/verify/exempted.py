"""Which recorded lines are right as they are: by a comment, by the project's configuration, or by an option."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

RULE = "RBF001"
_NOQA = re.compile(r"#\s*noqa(?::\s*(?P<codes>[A-Z]+\d*(?:[\s,]+[A-Z]+\d*)*))?", re.IGNORECASE)
_TABLE, _KEY = "regbuf-lint", "ignore-attributes"


class Exemptions:
    """What does not count.

    Args:
        root: the directory that the lines' files are below.
        patterns: ``FILE``, ``FILE:LINE``, an attribute or ``Class.attribute``; ``*`` stands for anything.
    """

    def __init__(self, root: Path, patterns: Sequence[str]) -> None:
        self._root = root
        self._patterns = (*patterns, *_configured(root))

    def cover(self, line: dict[str, Any]) -> bool:
        """Whether a recorded line does not count."""
        names = {line["file"], f"{line['file']}:{line['line']}", line["attribute"]}
        names |= {f"{name.rpartition('.')[2]}.{line['attribute']}" for name in line["classes"]}
        names |= {f"{name}.{line['attribute']}" for name in line["classes"]}
        if any(fnmatchcase(name, pattern) for name in names for pattern in self._patterns):
            return True
        rows = _rows(self._root / line["file"])
        return any(_is_silenced(rows[number - 1]) for number in _statement(rows, line["line"]))


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
    """Return the rows of the innermost statement that a row belongs to."""
    if number > len(rows) or not number:
        return range(0)
    around = [one for one in _simple_statements(rows) if one.lineno <= number <= (one.end_lineno or one.lineno)]
    if not around:
        return range(number, number + 1)
    return range(around[-1].lineno, min(len(rows), around[-1].end_lineno or number) + 1)


@lru_cache(maxsize=64)
def _simple_statements(rows: tuple[str, ...]) -> tuple[ast.stmt, ...]:
    try:
        tree = ast.parse("\n".join(rows))
    except (SyntaxError, ValueError):
        return ()
    return tuple(one for one in ast.walk(tree) if isinstance(one, ast.stmt) and not hasattr(one, "body"))


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
