"""Rows that messages name: written and found here alone, since a notebook counts them anew and fixes move them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_MENTION = re.compile(r"\bline (\d+)\b(?! of )")


def mention(row: int, whose: str = "") -> str:
    """Return how a message names a row.

    Args:
        row: the row, counted from 1.
        whose: what it is a row of (another file, a cell of a notebook); empty for the finding's own file.
    """
    return f"line {row} of {whose}" if whose else f"line {row}"


def with_mentions(text: str, write: Callable[[int], str]) -> str:
    """Return a message with what ``write`` gives for each row of the finding's own file that it names."""
    return _MENTION.sub(lambda match: write(int(match[1])), text)


def without_rows(text: str) -> str:
    """Return a message without the numbers of rows, which is the same before and after a fix further up."""
    return with_mentions(text, lambda _: "line")
