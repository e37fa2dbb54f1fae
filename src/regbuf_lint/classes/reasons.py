"""Comments and names in which the author says why a tensor is no buffer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText

_MOST_ROWS = 24
_NO_BUFFER = re.compile(
    r"""
    \#.*
    (\b(not|no|never|cannot|avoid\w*|without|instead\ of|rather\ than)|n't)
    (\s+(?!but\b|train|learn|param|grad)[\w`]+){0,3}
    \s+`?(register_|self\.register_)?buffers?\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A word that denies, and up to three between it and the buffer; "not trainable, a buffer" speaks of something else."""

_NO_BUFFERS = re.compile(_NO_BUFFER.pattern.rstrip().removesuffix(r"buffers?\b") + r"buffers\b", _NO_BUFFER.flags)
"""The same of several, as what a comment says of all that follows in its block."""

_FOR_TESTS = re.compile(r"(?<![A-Za-z])for_test(s|ing)?\b")
_ON_PURPOSE = "unregistered"
"""What tests call a tensor that they leave plain in order to see what becomes of it."""
_STANDING_IN = "dummy"
"""What a class is called that stands for another one, and is never moved or saved itself."""
_EXAMPLES = "example_input"
"""How the names of tensors begin that whoever calls the model gets from it and moves, as Lightning does."""


def names_say_plain(class_name: str, attribute: str) -> bool:
    """Whether the qualified name of a class, or that of an attribute, says that a plain tensor is meant."""
    if _ON_PURPOSE in f"{class_name}.{attribute}".lower() or attribute.startswith(_EXAMPLES):
        return True
    return _STANDING_IN in class_name.rpartition(".")[2].lower()


def says_no_buffer(source: SourceText, statement: Span) -> bool:
    """Whether a statement, by a flag in it, or a comment in its paragraph says why it makes no buffer.

    The comment stands on its rows or above; in an earlier paragraph of its block it speaks of buffers, in the plural.
    The flag says that tests alone see the tensor.
    """
    if _FOR_TESTS.search(source.slice(statement)):
        return True
    paragraph = True
    for row in range(statement.end.row, max(0, statement.start.row - _MOST_ROWS), -1):
        text = source.line(row)
        if row < statement.start.row:
            paragraph = paragraph and bool(text.strip())
            if not paragraph and text.strip() and _indent(text) + 1 < statement.start.column:
                return False
        if (_NO_BUFFER if paragraph else _NO_BUFFERS).search(text):
            return True
    return False


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
