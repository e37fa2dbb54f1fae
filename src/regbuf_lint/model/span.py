"""Places in a source file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters of a file.

    Attributes:
        row: line number, counted from 1.
        column: number of characters (not bytes) before the place, plus 1.
    """

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
