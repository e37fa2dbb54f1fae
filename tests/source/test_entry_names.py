"""Tests for names with a ``*`` that are looked for in directories."""

from __future__ import annotations

import pytest

from regbuf_lint.source.entry_names import alike, is_among

NAMES = frozenset({"requirements.txt", "requirements-dev.txt", "requirements.md", "old-requirements.txt", "aba", "a"})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("requirements*.txt", ["requirements-dev.txt", "requirements.txt"]),
        ("*.md", ["requirements.md"]),
        ("requirements.md", ["requirements.md"]),
        ("a*a", ["aba"]),
        ("*.sh", []),
        ("requirements", []),
    ],
)
def test_names_that_are_like_one(name: str, expected: list[str]) -> None:
    assert sorted(alike(name, NAMES)) == expected
    assert is_among(name, NAMES) is bool(expected)
