"""Source text: decoded exactly, addressed by position, encoded back to the same bytes."""

from __future__ import annotations

import re
from bisect import bisect_right
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from regbuf_lint.model.span import Position, Span
from regbuf_lint.source.errors import SourceError, os_error_text

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.fix import Fix

NEWLINE = re.compile(r"\r\n|\r|\n")
"""The line ends that CPython's tokenizer knows; form feed, \\x0b and \\u2028 do not end a line."""
_NEWLINE_BYTES = re.compile(rb"\r\n|\r|\n")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_FUTURE_FSTRINGS = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*future[-_]fstrings\b")
"""The comment that asks the package future-fstrings for f-strings in old Pythons, in a file that is UTF-8."""
_UTF8 = "utf-8"
_DECLARING_LINES = 2
_NOTEBOOK = ".ipynb"


class SourceText:
    r"""Text of one file, with everything that is needed to write it back.

    Attributes:
        path_label: the file as messages name it.
        text: the decoded text without the byte order mark; newlines are those of the file.
        encoding: name of the encoding, as ``bytes.decode`` takes it.
        has_bom: whether the file starts with a UTF-8 byte order mark.
        newline: the file's first line end, ``"\n"`` where it has none; new lines should end with it.
        data: the bytes that the text was decoded from.
    """

    __slots__ = (
        "_ascii",
        "_starts",
        "data",
        "encoding",
        "has_bom",
        "newline",
        "path_label",
        "text",
    )

    def __init__(
        self,
        path_label: str,
        text: str,
        *,
        data: bytes,
        encoding: str = _UTF8,
        has_bom: bool = False,
    ):
        self.path_label = path_label
        self.text = text
        self.data = data
        self.encoding = encoding
        self.has_bom = has_bom
        first = NEWLINE.search(text)
        self.newline = first.group() if first else "\n"
        self._ascii = text.isascii()
        self._starts: list[int] | None = None

    @classmethod
    def from_text(cls, text: str, path_label: str = "<text>") -> SourceText:
        """Return a UTF-8 source made of ``text``, for callers that have no bytes."""
        return cls(path_label, text, data=text.encode(_UTF8, "surrogatepass"))

    def with_text(self, text: str) -> SourceText:
        """Return the source with other text, the same encoding and byte order mark.

        Raises:
            SourceError: the encoding cannot express the text.
        """
        data = self.encode(text)
        return SourceText(
            self.path_label,
            text,
            data=data,
            encoding=self.encoding,
            has_bom=self.has_bom,
        )

    def encode(self, text: str | None = None) -> bytes:
        """Return the bytes of ``text`` (of this source's own text where None) in the file's encoding.

        Unchanged text gives the bytes that were read.

        Raises:
            SourceError: the encoding cannot express the text, or is one that changes bytes which no edit touched.
        """
        if text is None or text == self.text:
            return self.data
        if self._encode_exactly(self.text) != self.data:
            msg = (
                f"encoding {self.encoding!r} does not give back the same bytes; the file can be read but not rewritten"
            )
            raise SourceError(msg)
        return self._encode_exactly(text)

    def _encode_exactly(self, text: str) -> bytes:
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            bad = text[error.start]
            msg = f"the new text holds {bad!a}, which the file's encoding {self.encoding!r} cannot express"
            raise SourceError(msg) from error
        return BOM_UTF8 + data if self.has_bom else data

    @property
    def cells(self) -> dict[int, str]:
        """The texts of the code cells by number; none, since this is no notebook."""
        return {}

    def pieces(self) -> list[tuple[str, bytes]]:
        """Return what a diff compares: parts of the file, each with what its name has behind the file's."""
        return [("", self.data)]

    def can_make(self, fix: Fix) -> bool:  # noqa: ARG002  notebooks are asked too
        """Whether the edits of a fix are possible in this kind of file."""
        return True

    def located(self, finding: Finding) -> Finding:
        """Return a finding with its places as users count them, which only in notebooks differ from those here."""
        return finding

    def located_span(self, span: Span) -> Span:
        """Return a place as users count it, which only in notebooks differs from that in the text."""
        return span

    def row_of(self, cell: int, row: int) -> int | None:
        """Return the row of the text that a row of a cell is, counted from 1; this is no notebook and has no cells."""
        return None if cell or row > self.rows else row

    def merged(self, other: SourceText) -> str:
        """Return the text with what a source that was made from this one changed."""
        return other.text

    @property
    def _line_starts(self) -> list[int]:
        starts = self._starts
        if starts is None:
            starts = self._starts = [
                0,
                *(match.end() for match in NEWLINE.finditer(self.text)),
            ]
        return starts

    @property
    def rows(self) -> int:
        """Number of lines; the empty one after a final line end counts."""
        return len(self._line_starts)

    def line(self, row: int) -> str:
        """Return the text of a row, counted from 1, without its line end.

        Raises:
            ValueError: there is no such row.
        """
        start, end = self._row_bounds(row)
        line = self.text[start:end]
        if line.endswith("\r\n"):
            return line[:-2]
        return line[:-1] if line.endswith(("\n", "\r")) else line

    def indent(self, row: int) -> str:
        """Return the white space at the start of a row, counted from 1.

        Raises:
            ValueError: there is no such row.
        """
        line = self.line(row)
        return line[: len(line) - len(line.lstrip())]

    def _row_bounds(self, row: int) -> tuple[int, int]:
        starts = self._line_starts
        if not 1 <= row <= len(starts):
            msg = f"row {row} is outside of 1..{len(starts)}"
            raise ValueError(msg)
        return starts[row - 1], starts[row] if row < len(starts) else len(self.text)

    def offset(self, position: Position) -> int:
        """Return the index into ``text`` of a position.

        Raises:
            ValueError: the position lies outside of the text.
        """
        start, end = self._row_bounds(position.row)
        offset = start + position.column - 1
        is_last = position.row == len(self._line_starts)
        if position.column < 1 or offset > end or (offset == end and not is_last):
            msg = f"column {position.column} is outside of row {position.row}"
            raise ValueError(msg)
        return offset

    def position(self, offset: int) -> Position:
        """Return the position of an index into ``text``.

        Raises:
            ValueError: the index lies outside of the text.
        """
        if not 0 <= offset <= len(self.text):
            msg = f"offset {offset} is outside of 0..{len(self.text)}"
            raise ValueError(msg)
        row = bisect_right(self._line_starts, offset)
        return Position(row, offset - self._line_starts[row - 1] + 1)

    def slice(self, span: Span) -> str:
        """Return the text of a span.

        Raises:
            ValueError: the span lies outside of the text.
        """
        return self.text[self.offset(span.start) : self.offset(span.end)]

    def utf8_position(self, row: int, utf8_col: int) -> Position:
        """Return the position that ``ast`` gives as a row and a number of UTF-8 bytes.

        Raises:
            ValueError: there is no such row.
        """
        if self._ascii:
            return Position(row, utf8_col + 1)
        line = self.line(row)
        if line.isascii():
            return Position(row, utf8_col + 1)
        return Position(row, len(line.encode(_UTF8)[:utf8_col].decode(_UTF8, "ignore")) + 1)


def read_source(path: Path, path_label: str | None = None) -> SourceText:
    """Read and decode a file.

    Args:
        path: the file.
        path_label: how messages name it; the path itself by default.

    Raises:
        SourceError: it cannot be read or decoded.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(os_error_text(error)) from error
    return decode_source(data, str(path) if path_label is None else path_label)


def decode_source(data: bytes, path_label: str) -> SourceText:
    """Decode the bytes of a Python file as Python itself would, or read the code of a notebook.

    Raises:
        SourceError: the bytes are no valid text of the declared (or default) encoding, or no notebook.
    """
    if path_label.endswith(_NOTEBOOK):
        from regbuf_lint.source.notebook import decode_notebook  # noqa: PLC0415  it builds on this file

        return decode_notebook(data, path_label)
    has_bom = data.startswith(BOM_UTF8)
    body = data[len(BOM_UTF8) :] if has_bom else data
    if b"\0" in body:
        msg = f"source contains null bytes (first at offset {data.index(0)})"
        raise SourceError(msg)
    encoding = _declared_encoding(data)
    text = _decode(body, encoding, skipped=len(data) - len(body))
    return SourceText(path_label, text, data=data, encoding=encoding, has_bom=has_bom)


def _declared_encoding(data: bytes) -> str:
    """Return the encoding that the byte order mark or the first two lines declare."""
    lines = _first_lines(data)
    if not any(b"coding" in line for line in lines) or any(map(_FUTURE_FSTRINGS.search, lines)):
        return _UTF8
    from tokenize import detect_encoding  # noqa: PLC0415  only few files declare an encoding

    # Bytes beyond ASCII are masked: whether they are valid shows when the whole text is decoded.
    bom, rest = (BOM_UTF8, lines[0][len(BOM_UTF8) :]) if lines[0].startswith(BOM_UTF8) else (b"", lines[0])
    masked = iter(
        [
            bom + _NOT_ASCII.sub(b"?", rest),
            *(_NOT_ASCII.sub(b"?", line) for line in lines[1:]),
        ]
    )
    try:
        encoding, _ = detect_encoding(lambda: next(masked, b""))
    except SyntaxError as error:
        message = error.msg
        if message.startswith("encoding problem"):
            message = "the file has a UTF-8 byte order mark but declares another encoding"
        elif message.startswith("unknown encoding"):
            message = f"{message.replace(':', '', 1)} declared in the first two lines"
        raise SourceError(message) from error
    return _UTF8 if encoding == "utf-8-sig" else encoding


def _first_lines(data: bytes) -> list[bytes]:
    """Return the first two lines with their ends."""
    lines: list[bytes] = []
    start = 0
    for match in _NEWLINE_BYTES.finditer(data):
        lines.append(data[start : match.start()] + b"\n")
        start = match.end()
        if len(lines) == _DECLARING_LINES:
            return lines
    return [*lines, data[start:]]


def _decode(body: bytes, encoding: str, *, skipped: int) -> str:
    try:
        text = body.decode(encoding)
        if encoding != _UTF8:
            text.encode(_UTF8)  # refuses lone surrogates, which no Python source can hold
    except UnicodeDecodeError as error:
        raise SourceError(_decode_message(error, encoding, skipped)) from error
    except (UnicodeError, LookupError, ValueError) as error:
        msg = f"cannot be decoded with its declared encoding {encoding!r}"
        raise SourceError(msg) from error
    return text


def _decode_message(error: UnicodeDecodeError, encoding: str, skipped: int) -> str:
    where = f"byte 0x{error.object[error.start]:02x} at offset {error.start + skipped}"
    if encoding == _UTF8:
        return f"not valid UTF-8 ({where}); declare the encoding in the first two lines"
    return f"not valid {encoding} as declared in the first two lines ({where})"
