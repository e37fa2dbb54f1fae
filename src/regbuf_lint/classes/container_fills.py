"""The lists and dicts of an object that a method puts something into."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_name, receiver_name
from regbuf_lint.index.once import once_per_node

if TYPE_CHECKING:
    from regbuf_lint.index.scopes import FunctionNode

FILLING = frozenset({"append", "add", "insert", "appendleft", "extend", "update", "setdefault"})
"""Methods of lists, sets, deques and dicts that put something into them."""


@once_per_node
def filled_in(function: FunctionNode) -> frozenset[str]:
    """Attributes of ``self`` that a method fills: ``self.x[...] = value``, ``self.x.append(value)``."""
    name = receiver_name(function)
    places = (_container(node) for node in ast.walk(function))
    roots = (_root(place) for place in places if place is not None)
    return frozenset(root.attr for root in roots if isinstance(root, ast.Attribute) and is_name(root.value, name))


def _container(node: ast.AST) -> ast.expr | None:
    """What a node puts something into."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILLING:
        return node.func.value
    return None


def _root(place: ast.expr) -> ast.expr:
    """``self.x`` for ``self.x["a"]["b"]``."""
    while isinstance(place, ast.Subscript):
        place = place.value
    return place
