"""Work on a piece of source that is done once, as long as its tree is in memory."""

from __future__ import annotations

import ast
from functools import wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

Node = TypeVar("Node", bound=ast.AST)
Result = TypeVar("Result")


def once_per_node(work: Callable[[Node], Result]) -> Callable[[Node], Result]:
    """Remember what a function says of a node.

    Args:
        work: takes a node of a tree that nobody changes. What it returns is never changed either, and must not hold the
            node itself, which would keep the whole tree in memory; nodes below it may be in it.
    """
    known: WeakKeyDictionary[Node, Result] = WeakKeyDictionary()

    @wraps(work)
    def remembered(node: Node) -> Result:
        if node not in known:
            known[node] = work(node)
        return known[node]

    return remembered
