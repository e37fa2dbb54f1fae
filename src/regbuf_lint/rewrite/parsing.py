"""Trees of single statements and expressions, and the text of trees."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import libcst as cst

from regbuf_lint.rewrite.errors import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText

_EMPTY = cst.Module([])

_MARK = re.compile(r"[(\[{,]|[)\]}](?:\s*\.)?|[-+*/@%|&^]")
"""What opens, parts or closes expressions, and operators; a dot behind a call goes with its bracket."""
_DEEPEST = 1000
"""Levels that libcst is given: its time grows with their square (10 s for a sum of 2000 calls)."""


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
        tree = cst.parse_module(_shallow(source.slice(span)))
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
        return cst.parse_expression(_shallow(source.slice(span)))


def _shallow(text: str) -> str:
    """A text that libcst parses soon.

    Raises:
        CannotRewrite: it may nest too deeply for that.
    """
    levels = [0]
    for match in _MARK.finditer(text):
        mark = match.group()
        if mark[0] in ")]}":
            levels = levels[:-1] or [0]
        if mark in {"(", "[", "{"}:
            levels.append(0)
        elif mark == ",":
            levels[-1] = 0
        elif len(mark) > 1 or mark not in ")]}":
            levels[-1] += 1
            if sum(levels) > _DEEPEST:
                msg = "it nests too deeply to be rewritten"
                raise CannotRewrite(msg)
    return text
