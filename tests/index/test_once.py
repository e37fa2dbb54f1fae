from __future__ import annotations

import ast
import gc
import weakref

from regbuf_lint.index.once import once_per_node

SOURCE = "def f(a):\n    b = a\n    return b\n"


def test_a_node_is_looked_at_once_and_another_of_the_same_text_again() -> None:
    seen: list[ast.AST] = []

    @once_per_node
    def names(node: ast.AST) -> int:
        seen.append(node)
        return sum(isinstance(one, ast.Name) for one in ast.walk(node))

    first, second = ast.parse(SOURCE), ast.parse(SOURCE)
    assert [names(first), names(first), names(second), names(first.body[0])] == [3, 3, 3, 3]
    assert seen == [first, second, first.body[0]]


def test_a_tree_is_given_up_with_its_last_user() -> None:
    @once_per_node
    def assigned(node: ast.AST) -> tuple[ast.AST, ...]:
        return tuple(one for one in ast.walk(node) if isinstance(one, ast.Assign))

    tree = ast.parse(SOURCE)
    assert len(assigned(tree)) == 1
    still_there = weakref.ref(tree)
    del tree
    gc.collect()
    assert still_there() is None
