"""Tensors that only say where new ones belong, and that the class itself keeps in the right place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_where
from regbuf_lint.classes.stores import own_loads, values_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_ABOUT_PLACE = frozenset({"new_zeros", "new_ones", "new_empty", "new_full", "new_tensor", "device", "dtype"})


def is_followed_template(
    definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]
) -> bool:
    """Whether an attribute is read for its device and dtype alone, and a method puts a tensor of elsewhere there.

    Args:
        definitions: the class, its bases and its subclasses, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    functions = list(methods_where(definitions, runs_later))
    reads = [read for one in functions for read in _readings(one, attribute)]
    values = values_in(functions, attribute)
    given = bool(values) and all(isinstance(value, ast.Name) for value in values)
    return given and bool(reads) and all(read in _ABOUT_PLACE for read in reads)


def _readings(function: FunctionNode, attribute: str) -> list[str]:
    """What a method asks the attribute for, by name; an empty name where it takes the tensor itself."""
    parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    return [getattr(parents[node], "attr", "") for node in own_loads(function, attribute)]
