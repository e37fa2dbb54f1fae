"""What somebody may have meant who mistyped a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return the end of a message that names the candidate most like a word; empty where none is like it."""
    from difflib import get_close_matches  # noqa: PLC0415  start-up time

    close = get_close_matches(word, sorted(candidates), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""
