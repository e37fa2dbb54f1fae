"""Which statements have nothing to do with what is fixed, told from their text."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from regbuf_lint.verify.statements import statements, unrelated

BEFORE = """
    a = 1
    self.scale = ones(a)
    for i in range(3):
        b = i
        self.items.append(b)
    else:
        c = 2
    return a
"""


def told(before: str, after: str) -> str | None:
    original, fixed = (statements(ast.parse(dedent(text)).body) for text in (before, after))
    return unrelated(original, fixed, lambda one: "scale" in one.speaks)


@pytest.mark.parametrize(
    ("written", "instead", "line"),
    [
        ("a = 1\n", "a = 2\n", "line 2"),
        ("return a", "return 0", "line 9"),
        ("        b = i\n", "", "line 5"),
        ("    else:\n        c = 2\n", "    c = 2\n", "line 4"),
        ("        self.items.append(b)\n    else:\n        c = 2\n", "    self.items.append(b)\n    c = 2\n", "line 4"),
        ("    for i in range(3):", "    for i in range(4):", "line 4"),
        ("    return a\n", "", "line 9 of the original"),
        ("        c = 2\n", "        if a:\n            c = 2\n", "line 8"),
    ],
)
def test_it_is_told_where_they_begin(written: str, instead: str, line: str) -> None:
    assert written in BEFORE
    assert told(BEFORE, BEFORE.replace(written, instead)) == line


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("self.scale = ones(a)", 'self.register("scale", ones(a))'),
        ("    self.scale = ones(a)\n", "    n = a\n    self.scale = ones(n)\n"),
        ("    self.scale = ones(a)\n", ""),
        ("    self.scale = ones(a)\n", "    if a:\n        self.scale = ones(a)\n        self.scale += 1\n"),
        ("    a = 1\n    self.scale = ones(a)\n", "    self.scale = ones(a)\n    a = 1\n"),
        ("    a = 1\n", "    pass\n    a = 1\n"),
    ],
)
def test_what_is_about_it_may_be_anything(written: str, instead: str) -> None:
    assert written in BEFORE
    assert told(BEFORE, BEFORE.replace(written, instead)) is None


def test_a_long_chain_of_branches_is_compared() -> None:
    chain = "".join(f"{'el' if number else ''}if x == {number}:\n    y = {number}\n" for number in range(200))
    assert told(chain, chain.replace("y = 150\n", "y = 0\n")) == "line 302"
