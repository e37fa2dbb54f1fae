"""Taking whole statements out of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.span import Position, Span

if TYPE_CHECKING:
    from regbuf_lint.source.text import SourceText


def without_statement(source: SourceText, span: Span) -> Span | None:
    """The rows of a statement that can be taken out; None where it shares them or is all that its block holds."""
    before = source.line(span.start.row)[: span.start.column - 1]
    behind = source.line(span.end.row)[span.end.column - 1 :].strip()
    if before.strip() or (behind and not behind.startswith("#")) or span.end.row >= source.rows:
        return None
    if not _has_neighbour(source, span, len(before)):
        return None
    return Span(Position(span.start.row, 1), Position(span.end.row + 1, 1))


def _has_neighbour(source: SourceText, span: Span, indent: int) -> bool:
    """Whether the row above or below belongs to the same block."""
    above = next((line for row in range(span.start.row - 1, 0, -1) if (line := source.line(row)).strip()), "")
    below = next((line for row in range(span.end.row + 1, source.rows + 1) if (line := source.line(row)).strip()), "")
    return any(len(line) - len(line.lstrip()) == indent for line in (above, below))
