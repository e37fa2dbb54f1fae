"""The registration that stands behind ``super().__init__()`` in place of an assignment before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from msgspec.structs import replace

from regbuf_lint.model.fix import Edit
from regbuf_lint.model.span import Position, Span
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.layout import rejoined
from regbuf_lint.rewrite.lines import without_statement
from regbuf_lint.rewrite.locals import with_local
from regbuf_lint.rewrite.parsing import parse_expression, parse_statement, refusing_what_libcst_refuses
from regbuf_lint.rewrite.places import place_of
from regbuf_lint.rewrite.registration import Registered, registration
from regbuf_lint.rewrite.statements import register

if TYPE_CHECKING:
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText


def moved(
    source: SourceText, statement: Span, target: Span, call: Span, how: Registered, style: TextStyle
) -> tuple[Edit, Edit]:
    """``self.x = value`` as a registration behind ``call``, with the comments above it and on its row.

    Args:
        source: the file.
        statement: the assignment, which is indented like the call.
        target: the place of ``self.x``.
        call: the statement behind which it goes.
        how: how the attribute is registered.
        style: what the new text looks like.

    Raises:
        CannotRewrite: one of the two is not alone on its rows, or the assignment has another form.
    """
    here = without_statement(source, statement)
    start = _above_comments(source, here.start.row)
    comments = source.slice(Span(Position(start, 1), Position(here.start.row, 1)))
    made = register(source, statement, {source.slice(target): how}, style)
    behind = source.line(made.span.end.row)[made.span.end.column - 1 :]
    inserted = f"{comments}{place_of(source, statement, style).indent}{made.content}{behind}"
    gone = Span(Position(start, 1), Position(_below_blank(source, start, here.end.row), 1))
    return Edit(gone, ""), _behind(source, call, inserted, style)


def renamed(source: SourceText, statement: Span, places: tuple[Span, ...], local: str, style: TextStyle) -> list[Edit]:
    """A statement with a local in the place of an attribute, on one line where it was only too long for that.

    Args:
        source: the file.
        statement: the statement.
        places: where the attribute stands in it.
        local: what takes its place.
        style: what the new text looks like.
    """
    edits = [Edit(place, local) for place in places]
    if statement.start.row == statement.end.row:
        return edits
    place = place_of(source, statement, style)
    tree = parse_statement(source, statement)
    with refusing_what_libcst_refuses():
        put = with_local(tree, frozenset(map(source.slice, places)), local)
        joined = rejoined(tree, put, place, place)
    return edits if joined is None else [Edit(statement, joined)]


def from_local(source: SourceText, target: Span, local: str, call: Span, how: Registered, style: TextStyle) -> Edit:
    """The registration of what a local holds as ``target``, behind ``call``.

    Raises:
        CannotRewrite: the call is not alone on its rows.
    """
    attribute = parse_expression(source, target)
    if not isinstance(attribute, cst.Attribute):
        msg = "its target is no attribute"
        raise CannotRewrite(msg)
    place = replace(place_of(source, call, style), behind=0)
    with refusing_what_libcst_refuses():
        text = registration(attribute, cst.Name(local), how, place, style)
    return _behind(source, call, f"{place.indent}{text}", style)


def _above_comments(source: SourceText, row: int) -> int:
    """The first of the comment rows right above a row that are indented as it is."""
    indent = source.indent(row)
    while source.line(row - 1).startswith(f"{indent}#"):
        row -= 1
    return row


def _below_blank(source: SourceText, start: int, end: int) -> int:
    """The row from which on the text stays: empty rows go where they would follow another one, or start a block."""
    above = source.line(start - 1).strip()
    while (not above or above.endswith(":")) and not source.line(end).strip():
        end += 1
    return end


def _behind(source: SourceText, call: Span, text: str, style: TextStyle) -> Edit:
    if not place_of(source, call, style).alone:
        msg = "`super().__init__()` shares its row with another statement"
        raise CannotRewrite(msg)
    end = Position(call.end.row, len(source.line(call.end.row)) + 1)
    return Edit(Span(end, end), f"{source.newline}{text}")
