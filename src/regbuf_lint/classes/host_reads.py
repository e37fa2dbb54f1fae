"""Tensors that methods only read for Python: its numbers, its decisions, and what identifies or shows an object."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_by_name
from regbuf_lint.classes.host_values import Ending, HostValues, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

IDENTITY = frozenset({"__eq__", "__ne__", "__hash__", "__repr__", "__str__", "__format__", "extra_repr"})
"""A tensor on another device would even give the object another hash, and be equal to none."""


class HostReads:
    """Where a class, and other code of its file, read the attributes of its objects.

    Args:
        definitions: the class, its bases and its subclasses, as far as they are at hand.
        tree: the file of the class.
    """

    def __init__(self, definitions: Sequence[ClassDefinition], tree: ast.Module) -> None:
        self._methods = methods_by_name(definitions)
        self._own = [function for several in self._methods.values() for function in several]
        self._tree = tree

    def are_all(self, attribute: str, runs_later: Callable[[str], bool]) -> bool:
        """Whether a tensor is read after construction, and every such read ends on the host.

        Args:
            attribute: where it is.
            runs_later: whether a method of a name runs after construction.
        """
        endings = [
            Ending.HOST if function.name in IDENTITY else values.ending(node)
            for function, reads in self._own_reads.get(attribute, {}).items()
            for values in (HostValues(function, self._methods, loose=False),)
            for node in reads
            if runs_later(function.name) or values.is_kept(node)
        ]
        if worst(endings) is not Ending.HOST or (self.computes_names and attribute in self._strings):
            return False
        return not self._stays_elsewhere(attribute)

    @cached_property
    def _own_reads(self) -> Mapping[str, Mapping[FunctionNode, list[ast.expr]]]:
        return _reads(self._own)

    @cached_property
    def _other_reads(self) -> Mapping[str, Mapping[FunctionNode, list[ast.expr]]]:
        """Reads in all other functions of the file."""
        inside = {node for function in self._own for node in ast.walk(function)}
        functions = (node for node in ast.walk(self._tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
        return _reads(function for function in functions if function not in inside)

    @cached_property
    def computes_names(self) -> bool:
        """Whether a method takes an attribute by a computed name, which may be any of the file's strings."""
        calls = (node for function in self._own for node in ast.walk(function) if isinstance(node, ast.Call))
        return any(_looked_up(call) is None for call in calls)

    @cached_property
    def _strings(self) -> frozenset[str]:
        constants = (node.value for node in ast.walk(self._tree) if isinstance(node, ast.Constant))
        return frozenset(value for value in constants if isinstance(value, str))

    def _stays_elsewhere(self, attribute: str) -> bool:
        """Whether another function of the file reads such an attribute of some object for more than Python."""
        return any(
            values.ending(node) is Ending.STAYS
            for function, reads in self._other_reads.get(attribute, {}).items()
            for values in (HostValues(function, {}, loose=False),)
            for node in reads
            if not _is_of_self(node)
        )


def _reads(functions: Iterable[FunctionNode]) -> Mapping[str, Mapping[FunctionNode, list[ast.expr]]]:
    """Where functions read attributes of any object, by themselves or through ``getattr``, by the attribute's name."""
    found: dict[str, dict[FunctionNode, list[ast.expr]]] = {}
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.attr, {}).setdefault(function, []).append(node)
            elif isinstance(node, ast.Call) and isinstance(name := _looked_up(node), str) and name:
                found.setdefault(name, {}).setdefault(function, []).append(node)
    return found


def _looked_up(call: ast.Call) -> object:
    """The name that ``getattr`` is called with, None where it is computed; an empty one for other calls."""
    if not isinstance(call.func, ast.Name) or call.func.id != "getattr" or len(call.args) < 2:  # noqa: PLR2004
        return ""
    return call.args[1].value if isinstance(call.args[1], ast.Constant) else None


def _is_of_self(node: ast.expr) -> bool:
    """Whether ``self.x`` is read, in a class that has nothing to do with this one."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
