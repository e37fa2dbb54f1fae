"""Pieces of lines: taking a statement out of a file, and the comment behind one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.model.span import Position, Span
from regbuf_lint.rewrite.errors import CannotRewrite

if TYPE_CHECKING:
    from regbuf_lint.source.text import SourceText

_TYPE_COMMENT = re.compile(r"\s*#\s*type:(?!\s*ignore\b)\s*(?P<type>[^#]*[^#\s])(?:\s*$|(?=\s*#))")


class TypeComment(Struct, frozen=True):
    """``# type: Tensor`` behind a statement.

    Attributes:
        annotation: the type.
        span: the comment with the white space before it; a further comment keeps its own.
    """

    annotation: str
    span: Span


def type_comment(source: SourceText, statement: Span) -> TypeComment | None:
    """The type comment behind a statement, if there is one."""
    row, column = statement.end.row, statement.end.column
    match = _TYPE_COMMENT.match(source.line(row)[column - 1 :])
    if match is None:
        return None
    end = Position(row, column + match.end())
    return TypeComment(match["type"], Span(statement.end, end))


def comment_behind(source: SourceText, span: Span) -> tuple[str, Position]:
    """The comment behind a statement, and where it ends; the end of the statement where there is none."""
    behind = source.line(span.end.row)[span.end.column - 1 :].rstrip()
    if not behind:
        return "", span.end
    return behind.strip(), Position(span.end.row, span.end.column + len(behind))


def without_statement(source: SourceText, span: Span) -> Span:
    """What to delete so that a statement, which is not alone in its block, is gone.

    A comment on its line goes with it; of ``a; b`` the other statement stays.

    Raises:
        CannotRewrite: it stands on the line of an ``if`` or the like, or at the end of the file.
    """
    before = source.line(span.start.row)[: span.start.column - 1]
    behind = source.line(span.end.row)[span.end.column - 1 :]
    separator = re.match(r"\s*;[^\S\r\n]*(?=[^\s#])", behind)
    if separator is not None:
        return replace(span, end=Position(span.end.row, span.end.column + separator.end()))
    ending = re.search(r"\s*;\s*$", before)
    if ending is not None:
        return replace(span, start=Position(span.start.row, ending.start() + 1))
    rest = behind.strip().removeprefix(";").strip()
    if before.strip() or (rest and not rest.startswith("#")) or span.end.row >= source.rows:
        msg = "the statement cannot be taken out of its line"
        raise CannotRewrite(msg)
    return Span(Position(span.start.row, 1), Position(span.end.row + 1, 1))
