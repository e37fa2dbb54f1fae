"""Tensors that each call fills with new random numbers, by which Python then decides."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_by_name
from regbuf_lint.classes.host_values import Ending, HostValues
from regbuf_lint.classes.stores import is_own

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_DRAWS = frozenset({"uniform_", "normal_", "bernoulli_", "exponential_", "random_"})


def redrawn_for_host(definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]) -> bool:
    """Whether every method that runs after construction and names an attribute draws it anew before Python reads it.

    Args:
        definitions: the class, its bases and its subclasses, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    methods = methods_by_name(definitions)
    functions = [one for name, several in methods.items() if runs_later(name) for one in several]
    naming = [one for one in functions if any(_is_attribute(node, attribute) for node in ast.walk(one))]
    return bool(naming) and all(_draws_first(one, methods, attribute) for one in naming)


def _is_attribute(node: ast.AST, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute


def _draws_first(function: FunctionNode, methods: Mapping[str, Sequence[FunctionNode]], attribute: str) -> bool:
    """Whether a method's first use of the attribute, in no ``if`` or loop, draws, and all others end on the host."""
    values = HostValues(function, methods, loose=True)
    first = next(one for one in function.body if any(_is_attribute(node, attribute) for node in ast.walk(one)))
    if not isinstance(first, ast.Expr) or not _draws(first.value, values.receiver, attribute):
        return False
    drawing = set(ast.walk(first))
    reads = (node for node in values.nodes if isinstance(node, ast.Attribute) and _is_attribute(node, attribute))
    return all(node in drawing or values.ending(node) is not Ending.STAYS for node in reads)


def _draws(call: ast.expr, receiver: str | None, attribute: str) -> bool:
    """``self.x.uniform_()``, or the like of a part of it, with nothing but numbers."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in _DRAWS:
        return False
    drawn = call.func.value.value if isinstance(call.func.value, ast.Subscript) else call.func.value
    return is_own(drawn, receiver, attribute) and all(isinstance(one, (ast.Constant, ast.UnaryOp)) for one in call.args)
