"""Places in a source file."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters of a file.

    Attributes:
        row: line number, counted from 1.
        column: number of characters (not bytes) before the place, plus 1.
        cell: place of the notebook's cell that the row is counted in, among all cells and from 1; 0 in other files, and
            where the code of a notebook is one text.
    """

    cell: int = field(default=0, kw_only=True)
    row: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of a file: ``start`` belongs to it, ``end`` does not."""

    start: Position
    end: Position

    def overlaps(self, other: Span) -> bool:
        """Whether the two pieces share a character, or are insertions at one place."""
        if self == other:
            return True
        return self.start < other.end and other.start < self.end
