"""Attributes whose tensors are views of one and the same, since a method made both of one local."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_name, name_in_torch, receiver_name
from regbuf_lint.classes.reaching import definition_of
from regbuf_lint.classes.stores import whole_pairs
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.tree import walk
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.index.scopes import FunctionNode


def sharing_memory(function: FunctionNode, attribute: str) -> frozenset[str]:
    """The other attributes of its ``self`` to which a method gives the tensor of one of them, or a view of it."""
    makers = _makers(function)
    several = (names for names in makers.values() if attribute in names)
    return frozenset[str]().union(*several) - {attribute}


@once_per_node
def _makers(function: FunctionNode) -> Mapping[ast.expr, frozenset[str]]:
    """The attributes that a method gives what one expression makes, where these are several, by that expression."""
    receiver = receiver_name(function)
    found: dict[ast.expr, set[str]] = {}
    statements = (one for one in walk(function) if isinstance(one, (ast.Assign, ast.AnnAssign)))
    for target, value in (pair for one in statements for pair in whole_pairs(one)):
        if isinstance(target, ast.Attribute) and is_name(target.value, receiver):
            found.setdefault(_maker(function, value), set()).add(target.attr)
    return {maker: frozenset(names) for maker, names in found.items() if len(names) > 1}


def _maker(function: FunctionNode, value: ast.expr) -> ast.expr:
    """The expression that makes the tensor which a value is, or is a view of."""
    value = definition_of(function, value)
    seen = _seen_through(value)
    return value if seen is None else _maker(function, seen)


def _seen_through(value: ast.expr) -> ast.expr | None:
    """``x`` for ``x[0]``, ``x.view(...)``, ``torch.transpose(x, ...)`` and the like, which may share its memory."""
    if isinstance(value, ast.Subscript):
        return value.value
    if isinstance(value, ast.Attribute):
        return value.value if has("view_properties", value.attr) else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    name = name_in_torch(value.func)
    if name:
        return value.args[0] if value.args and has("view_functions", f"torch.{name}") else None
    return value.func.value if has("view_methods", value.func.attr) else None
