"""The annotation of an assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from regbuf_lint.rewrite.breaks import flattened
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.parsing import parse_statement, refusing_what_libcst_refuses

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText


def annotation_of(source: SourceText, span: Span) -> str:
    """The annotation of the statement ``target: annotation = value``, on one line.

    Raises:
        CannotRewrite: the statement has none, or one that does not fit on one line.
    """
    statement = parse_statement(source, span)
    if isinstance(statement, cst.AnnAssign):
        with refusing_what_libcst_refuses():
            text = flattened(statement.annotation.annotation)
            if text is not None:
                return text
    msg = "its annotation cannot be moved to the class"
    raise CannotRewrite(msg)
