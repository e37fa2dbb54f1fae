"""Which files derive from a class, and which methods they call, as far as can be told without parsing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_HEADER = re.compile(rb"^[ \t]*class[ \t]+[\w\x80-\xff]+[ \t]*(?:\[[^\]]*\])?\(([^)]*)\)", re.MULTILINE)
_CALL = re.compile(rb"\b(?:self|super\([^)]*\))\.([\w\x80-\xff]+)\(")
_WORD = re.compile(rb"[\w\x80-\xff]+")


def files_by_base(directory: Path) -> dict[str, tuple[Path, ...]]:
    """For each word in the bases of a class statement, the files below a directory that hold it, sorted."""
    found: dict[bytes, dict[Path, None]] = {}
    for path in sorted(directory.rglob("*.py")):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        for bases in _HEADER.findall(text):
            for word in _WORD.findall(bases):
                found.setdefault(word, {})[path] = None
    return {word.decode(errors="replace"): tuple(paths) for word, paths in found.items()}


def calls_on_self(path: Path) -> frozenset[str]:
    """Names of the methods that a file calls on ``self`` or ``super()``."""
    try:
        text = path.read_bytes()
    except OSError:
        return frozenset()
    return frozenset(name.decode(errors="replace") for name in _CALL.findall(text))
