"""Trees of single statements and expressions, and the text of trees."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import libcst as cst

from regbuf_lint.rewrite.errors import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText

_EMPTY = cst.Module([])


def code(node: cst.CSTNode) -> str:
    """Source text of a node."""
    return _EMPTY.code_for_node(node)


@contextmanager
def refusing_what_libcst_refuses() -> Iterator[None]:
    """Turn libcst's own errors into ``CannotRewrite``: a fix is then withheld, and the finding stays."""
    try:
        yield
    except (cst.ParserSyntaxError, cst.CSTValidationError, cst.CSTLogicError, RecursionError):
        msg = "libcst cannot parse the statement"
        raise CannotRewrite(msg) from None


def parse_statement(source: SourceText, span: Span) -> cst.BaseSmallStatement:
    """The tree of one simple statement.

    Raises:
        CannotRewrite: libcst does not know the syntax.
    """
    with refusing_what_libcst_refuses():
        tree = cst.parse_module(source.slice(span))
    line = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        msg = "it is no simple statement"
        raise CannotRewrite(msg)
    return line.body[0]


def parse_expression(source: SourceText, span: Span) -> cst.BaseExpression:
    """The tree of one expression.

    Raises:
        CannotRewrite: libcst does not know the syntax.
    """
    with refusing_what_libcst_refuses():
        return cst.parse_expression(source.slice(span))
