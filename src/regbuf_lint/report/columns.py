"""Places as other programs count them, and edits as one replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.report.frames import split_lines

if TYPE_CHECKING:
    from regbuf_lint.model.fix import Fix
    from regbuf_lint.model.span import Position


class Replacement(Struct, frozen=True):
    """What takes the place of one piece of a file."""

    start: Position
    end: Position
    text: str


class TextOfFile:
    """The text of one file, to find places in.

    Args:
        text: the text; empty where it is not known.
    """

    def __init__(self, text: str) -> None:
        self._lines = split_lines(text)
        self._rows = _rows_with_ends(text, self._lines)

    def byte_column(self, position: Position) -> int:
        """Return the column of a place, counted in bytes of UTF-8 and from 1."""
        line = self._lines[position.row - 1] if position.row <= len(self._lines) else ""
        before = line[: position.column - 1]
        missing = position.column - 1 - len(before)
        return len(before.encode("utf-8", "surrogatepass")) + missing + 1

    def replacement(self, fix: Fix) -> Replacement:
        """Return the edits of a fix as one: what lies between them is written again as it is."""
        first, last = fix.edits[0].span.start, fix.edits[-1].span.end
        parts: list[str] = []
        at = first
        for edit in fix.edits:
            parts += (self._between(at, edit.span.start), edit.content)
            at = edit.span.end
        return Replacement(first, last, "".join(parts))

    def _between(self, start: Position, end: Position) -> str:
        if start.row == end.row:
            return self._rows[start.row - 1][start.column - 1 : end.column - 1]
        rows = self._rows[start.row - 1 : end.row]
        return "".join((rows[0][start.column - 1 :], *rows[1:-1], rows[-1][: end.column - 1]))


def _rows_with_ends(text: str, lines: list[str]) -> list[str]:
    rows: list[str] = []
    at = 0
    for number, line in enumerate(lines):
        behind = at + len(line)
        end = behind + (0 if number == len(lines) - 1 else 2 if text.startswith("\r\n", behind) else 1)
        rows.append(text[at:end])
        at = end
    return rows
