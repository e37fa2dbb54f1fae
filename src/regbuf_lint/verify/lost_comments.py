"""Comments and docstrings that a fix drops, though what they speak of stays."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    _Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SUPPRESSING = "noqa"
"""What a comment says that a fix may make needless."""
_FILE = "the file"


def lost_text(before: str, after: str) -> Iterator[str]:
    """Yield the comments and docstrings of a text that another version of it no longer has, in words.

    A comment may go with the statement in whose row, or above which, it stands; a docstring may say something else.

    Args:
        before: the original, which can be parsed.
        after: the fixed version, which can be parsed.
    """
    documented = Counter(_docstrings(ast.parse(before), _FILE)) - Counter(_docstrings(ast.parse(after), _FILE))
    yield from (f"the docstring of {name}" for name in documented)
    left = Counter(comment for comment, *_ in _comments(after))
    rows = {code for _, _, code in _comments(after)} | {row.strip() for row in after.splitlines()}
    for comment, line, code in _comments(before):
        left[comment] -= 1
        if left[comment] < 0 and code in rows and _SUPPRESSING not in comment:
            yield f"the comment in line {line}"


def _docstrings(node: _Documented, name: str) -> Iterator[str]:
    """Yield the names of a file, class or function, and of those in it, that have a docstring."""
    if ast.get_docstring(node, clean=False):
        yield name
    for one in node.body:
        if isinstance(one, _DEFINITIONS):
            yield from _docstrings(one, one.name if name == _FILE else f"{name}.{one.name}")


def _comments(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield each comment with its line and the code of its row, or of the next row that has some."""
    rows = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            code = rows[line - 1][:column].strip()
            following = (row.strip() for row in rows[line:])
            yield token.string, line, code or next((row for row in following if row and not row.startswith("#")), "")
