"""A notebook as one Python text: its code cells below one another, with what is no Python replaced reversibly."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.model.mention import mention, with_mentions
from regbuf_lint.model.span import Position, Span
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.magics import find_magics
from regbuf_lint.source.notebook_json import code_cells, with_sources
from regbuf_lint.source.text import NEWLINE, SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from regbuf_lint.model.finding import Evidence, Finding
    from regbuf_lint.model.fix import Fix
    from regbuf_lint.source.notebook_json import CodeCell

_INDENTED = re.compile(r"(?:[ \t]*[\r\n])*[ \t]+(?=[^\s#])")
_UTF8 = "utf-8"


class _Masked(Struct, frozen=True):
    """One cell of the joined text.

    Attributes:
        cell: the cell as it is in the document.
        text: its text with each magic replaced by a call on as many rows.
        magics: what was replaced: the text that stands there now, and the original.
        header: the row before it, where it is indented as a whole, which IPython allows; else empty.
        border: the row that follows it, a statement, so that neither code nor edit reaches from cell to cell.
    """

    cell: CodeCell
    text: str
    magics: tuple[tuple[str, str], ...]
    header: str
    border: str

    def original(self, text: str) -> str:
        """Return a cell's text with its magics put back.

        Raises:
            SourceError: one of them is no longer there.
        """
        for mask, magic in self.magics:
            if text.count(mask) != 1:
                msg = f"a fix would change the magic `{magic}` in cell {self.cell.number}"
                raise SourceError(msg)
            text = text.replace(mask, magic)
        return text


class _Document(Struct, frozen=True):
    """What stands in the file, and the cells of it that are checked; ``newline`` separates them in the joined text."""

    json: str
    has_bom: bool
    cells: tuple[_Masked, ...]
    newline: str

    def joined(self, texts: Mapping[int, str] | None = None) -> str:
        """Return one text of all cells, some of them with other texts than those of the document."""
        known = texts or {}
        rows: list[str] = []
        for one in self.cells:
            rows += [*([one.header] if one.header else []), known.get(one.cell.number, one.text), one.border]
        return "".join(row + self.newline for row in rows)

    def split(self, text: str) -> list[str]:
        """Return the texts of the cells, magics still replaced, out of a joined text.

        Raises:
            SourceError: a border between cells is no longer there.
        """
        texts = []
        for one in self.cells:
            header = one.header + self.newline if one.header else ""
            inside, border, text = text.partition(one.border + self.newline)
            if not border or not inside.startswith(header):
                msg = f"a fix would cross a border of cell {one.cell.number}"
                raise SourceError(msg)
            texts.append(inside.removeprefix(header).removesuffix(self.newline))
        if text:
            msg = "a fix would write behind the last cell"
            raise SourceError(msg)
        return texts


class _Rows(Struct, frozen=True):
    """Rows of the joined text that a cell takes: from ``first`` to ``last``, then its border."""

    number: int
    first: int
    last: int


class NotebookText(SourceText):
    """The Python code of a notebook, with what is needed to write it back; see ``SourceText``.

    ``text`` holds the code cells, a row that ends the cell behind each, and calls in place of magics. ``data`` are the
    bytes of the whole notebook.
    """

    __slots__ = ("_cell_rows", "_document", "_magic_rows")

    def __init__(self, path_label: str, text: str, *, data: bytes, document: _Document):
        super().__init__(path_label, text, data=data, has_bom=document.has_bom)
        self._document = document
        self._cell_rows: tuple[_Rows, ...] | None = None
        self._magic_rows: frozenset[int] | None = None

    def with_text(self, text: str) -> NotebookText:
        """Return the notebook with other code.

        Raises:
            SourceError: a magic or the border of a cell is gone.
        """
        return NotebookText(self.path_label, text, data=self.encode(text), document=self._document)

    def encode(self, text: str | None = None) -> bytes:
        """Return the bytes of the notebook with the code ``text``; only the sources of changed cells are new.

        Raises:
            SourceError: a magic or the border of a cell is gone.
        """
        if text is None or text == self.text:
            return self.data
        changed = {}
        for one, inside in zip(self._document.cells, self._document.split(text), strict=True):
            if inside != one.text:
                changed[one.cell] = one.original(inside)
        data = with_sources(self._document.json, changed).encode(_UTF8)
        return BOM_UTF8 + data if self.has_bom else data

    @property
    def cells(self) -> dict[int, str]:
        """The text of each code cell by its number, magics as they are."""
        texts = self.masked()
        return {one.cell.number: one.original(texts[one.cell.number]) for one in self._document.cells}

    def masked(self) -> dict[int, str]:
        """Return the text of each code cell by its number, magics replaced."""
        texts = self._document.split(self.text)
        return {one.cell.number: text for one, text in zip(self._document.cells, texts, strict=True)}

    def pieces(self) -> list[tuple[str, bytes]]:
        """Return the text of each code cell, with what its name has behind the file's; each ends with a line end."""
        newline = self._document.newline
        return [
            (f":cell {number}", (text if text.endswith(newline) else text + newline).encode(_UTF8))
            for number, text in self.cells.items()
        ]

    def alone(self) -> Iterator[tuple[int, str]]:
        """Yield the number of each cell and a text that holds its code alone, on the rows that it has in ``text``."""
        newline, texts = self._document.newline, self.masked()
        for one, rows in zip(self._document.cells, self._layout(), strict=True):
            above = newline * (rows.first - 2) + one.header + newline if one.header else newline * (rows.first - 1)
            yield rows.number, above + texts[rows.number]

    def without(self, numbers: Collection[int]) -> NotebookText:
        """Return the notebook as if some of its cells held no code."""
        left = tuple(one for one in self._document.cells if one.cell.number not in numbers)
        document = replace(self._document, cells=left)
        return NotebookText(self.path_label, document.joined(self.masked()), data=self.data, document=document)

    def merged(self, other: SourceText) -> str:
        """Return the text with the cells as they are in a notebook made from this one, which may lack some."""
        texts = self.masked()
        if isinstance(other, NotebookText):
            texts.update(other.masked())
        return self._document.joined(texts)

    def located(self, finding: Finding) -> Finding:
        """Return a finding with its places within cells; a fix that reaches over a cell or into a magic is left out."""
        fix = finding.fix
        note = ""
        if fix is not None and not self.can_make(fix):
            fix, note = None, "no fix: it would reach over a cell or into a magic"
        span = self.located_span(finding.span)
        told = partial(with_mentions, write=partial(self._mention, cell=span.start.cell))
        return replace(
            finding,
            message=told(finding.message),
            span=span,
            statement=self.located_span(finding.statement),
            help="; ".join(part for part in (told(finding.help), note) if part),
            fix=None if fix is None else replace(self._located_fix(fix), message=told(fix.message)),
            related=tuple(replace(one, span=self.located_span(one.span)) for one in finding.related),
            evidence=tuple(self._located_evidence(one, told) for one in finding.evidence),
        )

    def _mention(self, row: int, cell: int) -> str:
        """Return how a message about something in a cell names a row of the joined text."""
        place = self._place(Position(row, 1))
        return mention(place.row, "" if place.cell == cell else f"cell {place.cell}")

    def _located_evidence(self, evidence: Evidence, told: Callable[[str], str]) -> Evidence:
        if evidence.path is not None:
            return evidence
        return replace(evidence, message=told(evidence.message), span=self.located_span(evidence.span))

    def can_make(self, fix: Fix) -> bool:
        """Whether a fix stays within cells and leaves magics alone."""
        return all(self._can_change(edit.span) for edit in fix.edits)

    def _can_change(self, span: Span) -> bool:
        rows = self._rows_at(span.start.row)
        if span.start.row < rows.first or (span.start.row > rows.last and span.start.column > 1):
            return False
        is_inside = span.end.row <= rows.last or span.end == Position(rows.last + 1, 1)
        if span.start == span.end and span.start.column == 1:
            return is_inside and not self._masked_rows().issuperset((span.start.row - 1, span.start.row))
        last = span.end.row if span.end.column > 1 else span.end.row - 1
        return is_inside and self._masked_rows().isdisjoint(range(span.start.row, last + 1))

    def _located_fix(self, fix: Fix) -> Fix:
        edits = (
            replace(edit, span=Span(self._place(edit.span.start), self._place(edit.span.end))) for edit in fix.edits
        )
        return replace(fix, edits=tuple(edits))

    def located_span(self, span: Span) -> Span:
        """Return where something stands within its cell; what the parser finds behind a cell is at the cell's end."""
        rows = self._rows_at(span.start.row)
        first, last = Position(rows.first, 1), Position(rows.last, len(self.line(rows.last)) + 1)
        start, end = (min(max(position, first), last) for position in (span.start, span.end))
        return Span(self._place(start), self._place(end))

    def row_of(self, cell: int, row: int) -> int | None:
        """Return the row of the joined text that a row of a code cell is; None where there is no such row."""
        for rows in self._layout():
            if rows.number == cell and row <= rows.last - rows.first + 1:
                return rows.first + row - 1
        return None

    def _place(self, position: Position) -> Position:
        rows = self._rows_at(position.row)
        return Position(position.row - rows.first + 1, position.column, cell=rows.number)

    def _rows_at(self, row: int) -> _Rows:
        """Return the cell that a row belongs to; the row behind a cell belongs to it too."""
        layout = self._layout()
        return next((rows for rows in layout if row <= rows.last + 1), layout[-1])

    def _layout(self) -> tuple[_Rows, ...]:
        if self._cell_rows is None:
            self._cell_rows = tuple(self._laid_out())
        return self._cell_rows

    def _laid_out(self) -> Iterator[_Rows]:
        first = 1
        for one in self._document.cells:
            border = self.position(self.text.index(one.border)).row
            yield _Rows(one.cell.number, first + 1 if one.header else first, border - 1)
            first = border + 1

    def _masked_rows(self) -> frozenset[int]:
        if self._magic_rows is None:
            masks = [mask for one in self._document.cells for mask, _ in one.magics]
            rows: set[int] = set()
            for mask in masks:
                first = self.position(self.text.index(mask)).row
                rows.update(range(first, first + len(NEWLINE.findall(mask)) + 1))
            self._magic_rows = frozenset(rows)
        return self._magic_rows


def decode_notebook(data: bytes, path_label: str) -> NotebookText:
    """Read the Python code of a notebook.

    Args:
        data: the bytes of its file.
        path_label: the file as messages name it.

    Raises:
        SourceError: it is no notebook of format 4.
    """
    has_bom = data.startswith(BOM_UTF8)
    try:
        json = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"not a notebook: not valid UTF-8 (byte 0x{data[error.start]:02x} at offset {error.start})"
        raise SourceError(msg) from error
    cells = code_cells(json)
    code = " ".join(cell.source for cell in cells)
    name, newline = _free_name(code), NEWLINE.search(code)
    masked = [_masked(cell, name) for cell in cells]
    document = _Document(
        json, has_bom, tuple(one for one in masked if one is not None), newline.group() if newline else "\n"
    )
    return NotebookText(path_label, document.joined(), data=data, document=document)


def _free_name(text: str) -> str:
    """Return a word that a text does not hold."""
    name = "notebook"
    while name in text:
        name += "_"
    return name


def _masked(cell: CodeCell, name: str) -> _Masked | None:
    """Return a cell with its magics replaced, None where it holds another language."""
    magics = find_magics(cell.source)
    if magics is None:
        return None
    pieces, masks = [], []
    done = 0
    for number, magic in enumerate(magics, start=1):
        original = cell.source[magic.start : magic.end]
        comment = f"# {name} {cell.number} magic {number}."
        mask = "".join(["get_ipython()  ", comment, *(end + comment for end in NEWLINE.findall(original))])
        pieces += [cell.source[done : magic.start], mask]
        masks.append((mask, original))
        done = magic.end
    text = "".join([*pieces, cell.source[done:]])
    header = f"if ...:  # {name} {cell.number} starts." if _INDENTED.match(text) else ""
    return _Masked(cell, text, tuple(masks), header, f"...  # {name} {cell.number} ends.")
