"""Comments and names in which the author says why a tensor is no buffer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText

_MOST_ROWS = 12
_NO_BUFFER = re.compile(
    r"""
    \#.*
    (\b(not|no|never|neither|cannot|avoid\w*|without|instead\ of|rather\ than)|n't)
    (\s+(a\s+)?param\w*(\s+n?or|,))?
    (\s+(?!but\b|train|learn|param|grad)[\w`]+){0,3}
    \s+`?(register_|self\.register_)?buffers?\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A word that denies, and up to three between it and the buffer; "not trainable, a buffer" speaks of something else."""

_NO_BUFFERS = re.compile(_NO_BUFFER.pattern.rstrip().removesuffix(r"buffers?\b") + r"buffers\b", _NO_BUFFER.flags)
"""The same of several, as what a comment says of all that follows in its block."""

_FORBIDS = re.compile(
    r"#.*(\b(not|never)|n't)\s+(\w+\s+){0,2}`?(self\.)?register[\s_]+(a\s+)?buffers?\b", re.IGNORECASE
)
"""What a comment behind a paragraph says of the assignments before it."""

_FOR_TESTS = re.compile(r"(?<![A-Za-z])for_test(s|ing)?\b")
_ON_PURPOSE = "unregistered"
"""What tests call a tensor that they leave plain in order to see what becomes of it."""
_STANDING_IN = ("dummy", "mock", "stub")
"""What a class is called that stands for another one, and is never moved or saved itself."""
_EXAMPLES = "example_input"
"""How the names of tensors begin that whoever calls the model gets from it and moves, as Lightning does."""


def names_say_plain(class_name: str, attribute: str) -> bool:
    """Whether the qualified name of a class, or that of an attribute, says that a plain tensor is meant."""
    if _ON_PURPOSE in f"{class_name}.{attribute}".lower() or attribute.startswith(_EXAMPLES):
        return True
    return any(one in class_name.rpartition(".")[2].lower() for one in _STANDING_IN)


def says_no_buffer(source: SourceText, statement: Span) -> bool:
    """Whether a statement, by a flag in it, or a comment in its paragraph says why it makes no buffer.

    The comment stands on its rows or above; in an earlier paragraph of its block it speaks of buffers, in the plural,
    and in a later one it forbids to register them. The flag says that tests alone see the tensor.
    """
    if _FOR_TESTS.search(source.slice(statement)):
        return True
    first = statement.start.row
    while first > max(1, statement.start.row - _MOST_ROWS) and source.line(first - 1).strip():
        first -= 1
    if any(_NO_BUFFER.search(source.line(row)) for row in range(first, statement.end.row + 1)):
        return True
    indent = statement.start.column - 1
    above = range(first - 1, max(0, first - _MOST_ROWS), -1)
    below = range(statement.end.row + 1, min(source.rows, statement.end.row + _MOST_ROWS) + 1)
    return any(map(_speaks_of_tensors, _rows_of_block(source, above, indent))) or any(
        map(_FORBIDS.search, _rows_of_block(source, below, indent))
    )


def _rows_of_block(source: SourceText, rows: range, indent: int) -> Iterator[str]:
    """Those of some rows that stand in one block, from its first one on, without those of inner blocks."""
    for row in rows:
        text = source.line(row)
        if text.strip() and _indent(text) < indent:
            return
        if _indent(text) == indent:
            yield text


def _speaks_of_tensors(comment: str) -> bool:
    """Whether a comment denies of several things that they are buffers, and does not call them parameters."""
    return _NO_BUFFERS.search(comment) is not None and "param" not in comment.lower()


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
