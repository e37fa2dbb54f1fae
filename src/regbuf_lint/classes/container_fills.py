"""The lists and dicts of an object that a method puts something into."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.reaching import definition_of, own_attribute
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from regbuf_lint.index.scopes import FunctionNode

FILLING = frozenset({"append", "add", "insert", "appendleft", "extend", "update", "setdefault"})
"""Methods of lists, sets, deques and dicts that put something into them."""


@once_per_node
def filled_in(function: FunctionNode) -> frozenset[str]:
    """Attributes of ``self`` that a method fills: ``self.x[...] = value``, ``self.x.append(value)``."""
    places = (_container(node) for node in walk(function))
    roots = (own_attribute(function, _root(function, place)) for place in places if place is not None)
    return frozenset(one for one in roots if one is not None)


def _container(node: ast.AST) -> ast.expr | None:
    """What a node puts something into."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILLING:
        return node.func.value
    return None


def _root(function: FunctionNode, place: ast.expr) -> ast.expr:
    """``self.x`` for ``self.x["a"]["b"]``."""
    place = definition_of(function, place)
    return _root(function, place.value) if isinstance(place, ast.Subscript) else place
