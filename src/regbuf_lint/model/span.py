"""Places in a source file."""

from __future__ import annotations

from msgspec import Struct


class Position(Struct, frozen=True):
    """A place between two characters of a file.

    Attributes:
        row: line number, counted from 1.
        column: number of characters (not bytes) before the place, plus 1.
        cell: place of the notebook's cell that the row is counted in, among all cells and from 1; 0 in other files, and
            where the code of a notebook is one text.
    """

    row: int
    column: int
    cell: int = 0

    @property
    def _order(self) -> tuple[int, int, int]:
        """What places are compared by: cells first, which a Struct, comparing its fields in turn, would do last."""
        return self.cell, self.row, self.column

    def __lt__(self, other: Position) -> bool:
        return self._order < other._order

    def __le__(self, other: Position) -> bool:
        return self._order <= other._order

    def __gt__(self, other: Position) -> bool:
        return self._order > other._order

    def __ge__(self, other: Position) -> bool:
        return self._order >= other._order


class Span(Struct, frozen=True, order=True):
    """A piece of a file: ``start`` belongs to it, ``end`` does not."""

    start: Position
    end: Position

    def overlaps(self, other: Span) -> bool:
        """Whether the two pieces share a character, or are insertions at one place."""
        if self == other:
            return True
        return self.start < other.end and other.start < self.end
