"""Tensors that methods only read for Python: its numbers, its decisions, and what identifies or shows an object."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_by_name
from regbuf_lint.classes.host_values import Ending, HostValues, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_IDENTITY = frozenset({"__eq__", "__ne__", "__hash__", "__repr__", "__str__", "__format__", "extra_repr"})
"""A tensor on another device would even give the object another hash, and be equal to none."""


def read_on_host(
    definitions: Sequence[ClassDefinition], tree: ast.Module, attribute: str, runs_later: Callable[[str], bool]
) -> bool:
    """Whether a tensor is read after construction, and every such read ends on the host.

    Args:
        definitions: the class, its bases and its heirs, as far as they are at hand.
        tree: the file of the class, which may read the attribute of its objects anywhere.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    methods = methods_by_name(definitions)
    own = [function for several in methods.values() for function in several]
    if _is_read_by_computed_name(own, tree, attribute):
        return False
    endings = [
        Ending.HOST if function.name in _IDENTITY else values.ending(node)
        for function in own
        for values in (HostValues(function, methods, loose=False),)
        for node in _reads(values, attribute)
        if runs_later(function.name) or values.is_kept(node)
    ]
    return worst(endings) is Ending.HOST and not _stays_elsewhere(tree, attribute, own)


def _reads(values: HostValues, attribute: str) -> Iterator[ast.expr]:
    """Where a function reads the attribute of any object, by itself or through ``getattr``."""
    for node in values.nodes:
        if isinstance(node, ast.Attribute):
            if node.attr == attribute and isinstance(node.ctx, ast.Load):
                yield node
        elif isinstance(node, ast.Call) and _looked_up(node) == attribute:
            yield node


def _looked_up(call: ast.Call) -> object:
    """The name that ``getattr`` is called with, None where it is computed; an empty one for other calls."""
    if not isinstance(call.func, ast.Name) or call.func.id != "getattr" or len(call.args) < 2:  # noqa: PLR2004
        return ""
    return call.args[1].value if isinstance(call.args[1], ast.Constant) else None


def _is_read_by_computed_name(own: Sequence[FunctionNode], tree: ast.Module, attribute: str) -> bool:
    """Whether a method may take the attribute's name from one of the file's strings."""
    calls = (node for function in own for node in ast.walk(function) if isinstance(node, ast.Call))
    if all(_looked_up(call) is not None for call in calls):
        return False
    return any(isinstance(node, ast.Constant) and node.value == attribute for node in ast.walk(tree))


def _stays_elsewhere(tree: ast.Module, attribute: str, own: Sequence[FunctionNode]) -> bool:
    """Whether another function of the file reads such an attribute of some object for more than Python."""
    functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    inside = {node for function in own for node in ast.walk(function)}
    others = (HostValues(function, {}, loose=False) for function in functions if function not in inside)
    return any(
        values.ending(node) is Ending.STAYS
        for values in others
        for node in _reads(values, attribute)
        if not _is_of_self(node)
    )


def _is_of_self(node: ast.expr) -> bool:
    """Whether ``self.x`` is read, in a class that has nothing to do with this one."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
