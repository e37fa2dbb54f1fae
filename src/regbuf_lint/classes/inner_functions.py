"""The functions that a method defines for somebody else, who may run them when the method has long ended."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.index.scopes import FunctionNode

_AT_ONCE = frozenset({"all", "any", "filter", "map", "max", "min", "reduce", "sorted", "sum"})
"""What runs the functions that it is given before anything else happens, as good as always."""


def kept_functions(function: FunctionNode, nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Functions and lambdas inside of a function that more becomes of than being called there.

    Args:
        function: the function around them.
        nodes: all nodes in it.
    """
    inner = [one for one in nodes if isinstance(one, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef))]
    inner = [one for one in inner if one is not function]
    if not inner:
        return
    at_once = set(_run_at_once(nodes))
    named = {one.id for one in nodes if isinstance(one, ast.Name) and one not in at_once}
    for one in inner:
        if one not in at_once if isinstance(one, ast.Lambda) else one.name in named:
            yield one


def _run_at_once(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """What calls stand for and functions that run what they are given are given."""
    for node in nodes:
        if isinstance(node, ast.Call):
            yield node.func
            if isinstance(node.func, ast.Name) and node.func.id in _AT_ONCE:
                yield from node.args
                yield from (keyword.value for keyword in node.keywords)
