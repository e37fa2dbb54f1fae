"""Trees are gone through as `ast` does it, but for what has no place in the text."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from regbuf_lint.index.tree import children, of_kind, walk

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "regbuf_lint"
PLACELESS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
MODERN = """
match point:
    case [Point(x=0), *rest] | {"a": 1, **more} if rest:
        async def f(a, /, b: int = 1, *c, d=2, **e) -> None:
            return [i async for i in await g(*a, **e) if not i]
try:
    x: int = lambda: (yield)
except (A, B) as error:
    del x[1:2], x.y
with open(f"{x!r:>{width}}") as (a, *b), c:
    a += b if a < b <= c else -c
"""
NEWER = pytest.param(
    "type Pair[T: int] = tuple[T, T]\nglobal a, b\n",
    marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="has no `type` statement"),
)


@pytest.mark.parametrize(
    "text",
    [MODERN, NEWER, *(path.read_text(encoding="utf-8") for path in sorted(PACKAGE.glob("infer/*.py")))],
)
def test_every_part_that_has_a_place_is_met_in_the_same_order(text: str) -> None:
    tree = ast.parse(text)
    expected = [one for one in ast.walk(tree) if not isinstance(one, PLACELESS)]
    found = list(walk(tree))
    assert found == expected
    for node in found:
        assert children(node) == [one for one in ast.iter_child_nodes(node) if not isinstance(one, PLACELESS)]


@pytest.mark.parametrize("text", [MODERN, "def f(a):\n    def g(b):\n        return lambda: b\n    return g(a)\n"])
def test_what_is_of_a_kind_is_what_is_met_of_it(text: str) -> None:
    """Also of a function's own kind, and asked again, when what is below the function is remembered."""
    for root in walk(ast.parse(text)):
        for kind in {type(one) for one in walk(root)}:
            met = [one for one in walk(root) if type(one) is kind]
            assert list(of_kind(root, kind)) == met
            assert list(of_kind(root, kind)) == met
