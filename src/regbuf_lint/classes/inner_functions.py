"""The functions that a method defines for somebody else, who may run them when the method has long ended."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.index.tree import of_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.scopes import FunctionNode

_AT_ONCE = frozenset({"all", "any", "filter", "map", "max", "min", "reduce", "sorted", "sum"})
"""What runs the functions that it is given before anything else happens, as good as always."""


def kept_functions(function: FunctionNode) -> Iterator[ast.AST]:
    """Functions and lambdas inside of a function that more becomes of than being called there."""
    lambdas = of_kind(function, ast.Lambda)
    every: list[FunctionNode] = [*of_kind(function, ast.FunctionDef), *of_kind(function, ast.AsyncFunctionDef)]
    defined = [one for one in every if one is not function]
    if not lambdas and not defined:
        return
    at_once = set(_run_at_once(function))
    named = {one.id for one in of_kind(function, ast.Name) if one not in at_once}
    yield from (one for one in lambdas if one not in at_once)
    yield from (one for one in defined if one.name in named)


def _run_at_once(function: FunctionNode) -> Iterator[ast.AST]:
    """What calls stand for and functions that run what they are given are given."""
    for call in of_kind(function, ast.Call):
        yield call.func
        if isinstance(call.func, ast.Name) and call.func.id in _AT_ONCE:
            yield from call.args
            yield from (keyword.value for keyword in call.keywords)
