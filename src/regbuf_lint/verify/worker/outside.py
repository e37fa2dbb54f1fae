"""What a step of the work has written to standard output and error, and done beyond its own process."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from regbuf_lint.verify.isolation.effects import NOTED
from regbuf_lint.verify.isolation.server import STDERR, STDOUT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from regbuf_lint.verify.model import Facts

_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?")
"""What may be another each time: addresses and numbers."""
_MOST_ROWS, _LONGEST = 2000, 160


class Outside:
    """Tells what is new since it was asked before.

    Args:
        scratch: the directory with the files of standard output and error.
    """

    def __init__(self, scratch: Path) -> None:
        self._files = {"standard output": scratch / STDOUT, "standard error": scratch / STDERR}
        self._read = dict.fromkeys(self._files, 0)
        self._effects = 0

    def new(self) -> Facts:
        """Return rows by what they were written to, each without its numbers, with how often and how it read."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # the code may have closed or replaced it
                stream.flush()
        found: Facts = {name: _counted(self._rows(name)) for name in self._files}
        found["effects"], self._effects = _counted(NOTED[self._effects :]), len(NOTED)
        return {name: rows for name, rows in found.items() if rows}

    def _rows(self, name: str) -> Iterable[str]:
        file, begin = self._files[name], self._read[name]
        if not file.exists() or os.path.getsize(file) <= begin:  # noqa: PTH202  asked after each check
            return ()
        with file.open("rb") as stream:
            stream.seek(begin)
            written = stream.read()
        self._read[name] = begin + len(written)
        return written.decode("utf-8", "replace").splitlines()


def _counted(rows: Iterable[str]) -> dict[str, list[int | str]]:
    found: dict[str, list[int | str]] = {}
    for row in rows:
        key = _VARYING.sub("", row).strip()[:_LONGEST]
        if key in found:
            found[key][0] = int(found[key][0]) + 1
        elif key and len(found) < _MOST_ROWS:
            found[key] = [1, row.strip()[:_LONGEST]]
    return found
