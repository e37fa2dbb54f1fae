"""Places of the linter as places of the protocol, and the other way round."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol.types import Position, Range

if TYPE_CHECKING:
    from pygls.workspace import PositionCodec

    from regbuf_lint import Span

_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


class Places:
    """The rows of a text, which end where Python and the protocol say so, and at no form feed.

    Args:
        text: the text.
        codec: counts characters as the editor does.
    """

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.rows = _ROW.findall(text)
        self.codec = codec

    def range_of(self, span: Span) -> Range:
        """Return a span of the text as a range."""
        return Range(*(self.position(one.row, one.column) for one in (span.start, span.end)))

    def position(self, row: int, column: int) -> Position:
        """Return a place of the text, both counted from 1."""
        return self.codec.position_to_client_units(self.rows, Position(row - 1, column - 1))

    def word_at(self, position: Position) -> str:
        """Return the name at a position, empty where there is none."""
        place = self.codec.position_from_client_units(self.rows, position)
        row = self.rows[place.line] if place.line < len(self.rows) else ""
        words = (one for one in re.finditer(r"\w+", row) if one.start() <= place.character <= one.end())
        return next((one[0] for one in words), "")
