"""Comments that a fix drops, though what they speak of stays."""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUPPRESSING = "noqa"
"""What a comment says that a fix may make needless."""


def lost_comments(before: str, after: str) -> Iterator[str]:
    """Yield the comments of a text that another version of it no longer has, in words.

    A comment may go with the statement in whose row, or above which, it stands.

    Args:
        before: the original, which can be parsed.
        after: the fixed version, which can be parsed.
    """
    kept = list(_comments(after))
    left = Counter(comment for comment, *_ in kept)
    rows = {code for *_, code in kept} | {row.strip() for row in after.splitlines()}
    for comment, line, code in _comments(before):
        left[comment] -= 1
        if left[comment] < 0 and code in rows and _SUPPRESSING not in comment:
            yield f"the comment in line {line}"


def _comments(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield each comment with its line and the code of its row, or of the next row that has some."""
    rows = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            code = rows[line - 1][:column].strip()
            following = (row.strip() for row in rows[line:])
            yield token.string, line, code or next((row for row in following if row and not row.startswith("#")), "")
