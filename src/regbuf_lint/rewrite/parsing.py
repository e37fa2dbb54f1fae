"""Trees of single statements and expressions, and the text of trees."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

import libcst as cst

from regbuf_lint.rewrite.errors import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText

_Tree = TypeVar("_Tree", bound=cst.CSTNode)

_EMPTY = cst.Module([])
_LINE_END = re.compile(r"\r\n|\r|\n")

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
    text = _shallow(source.slice(span))
    with refusing_what_libcst_refuses():
        tree = _with_line_ends(cst.parse_module(text), text)
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
    text = _shallow(source.slice(span))
    with refusing_what_libcst_refuses():
        return _with_line_ends(cst.parse_expression(text), text)


def _with_line_ends(tree: _Tree, text: str) -> _Tree:
    """A tree that says of each line end what it is: libcst leaves out the one that comes first in the text."""
    first = _LINE_END.search(text)
    if first is None or first[0] == "\n":
        return tree
    return cast("_Tree", tree.visit(_LineEnds(first[0])))


class _LineEnds(cst.CSTTransformer):
    """Writes down a line end where none is said."""

    def __init__(self, usual: str) -> None:
        super().__init__()
        self._usual = usual

    def leave_Newline(self, original_node: cst.Newline, updated_node: cst.Newline) -> cst.Newline:  # noqa: N802
        del original_node
        return updated_node if updated_node.value else updated_node.with_changes(value=self._usual)


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
