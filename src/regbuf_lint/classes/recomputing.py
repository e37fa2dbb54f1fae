"""Methods that give an attribute what the constructor gives it, computed once more."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import bound_in, receiver_name
from regbuf_lint.classes.stores import is_own, own_values, values_in
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.index.scopes import FunctionNode


def computes_anew(function: FunctionNode, builders: Iterable[FunctionNode], attribute: str) -> bool:
    """Whether a method begins with an attribute as some method that builds the object does, by the same expression.

    The expression must not depend on arguments or locals of the method. What the method then changes in parts of the
    attribute belongs to the computation.

    Args:
        function: the method.
        builders: the methods that run while the object is built.
        attribute: the attribute.
    """
    receiver = receiver_name(function)
    known = set(map(ast.dump, values_in(builders, attribute)))
    values = own_values(function, receiver, attribute)
    local = bound_in(function) - {receiver}
    return (
        bool(values)
        and all(ast.dump(value) in known and _names(value).isdisjoint(local) for value in values)
        and _is_set_first(function, receiver, attribute)
    )


def _is_set_first(function: FunctionNode, receiver: str | None, attribute: str) -> bool:
    """Whether the first of the method's own statements that names the attribute assigns it."""
    for statement in function.body:
        if any(is_own(node, receiver, attribute) for node in walk(statement) if isinstance(node, ast.expr)):
            return isinstance(statement, (ast.Assign, ast.AnnAssign)) and bool(
                own_values(statement, receiver, attribute)
            )
    return False


def _names(value: ast.expr) -> frozenset[str]:
    return frozenset(node.id for node in walk(value) if isinstance(node, ast.Name))
