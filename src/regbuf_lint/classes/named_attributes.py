"""Attributes that stand on a line of a class."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.attribute_places import attributes_of
from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.index.tree import of_kind, stands_on, walk

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode


def spans_row(definition: ClassDefinition, row: int) -> bool:
    """Whether a line belongs to the text of a class."""
    node = definition.symbol.scope.node
    return isinstance(node, ast.ClassDef) and stands_on(node, row)


def attributes_on(definition: ClassDefinition, row: int, known: Container[str]) -> tuple[str, ...]:
    """Attributes of the object that methods name on a line, or in the simple statement that the line is part of.

    Args:
        definition: the class.
        row: the line, counted from 1.
        known: names of what construction sets; anything else that is called is taken for a method.

    Returns:
        Names in the order of the text.
    """
    found: dict[str, None] = {}
    for function in _functions(definition):
        receiver = receiver_name(function)
        if receiver is not None and stands_on(function, row):
            called = {id(node.func) for node in of_kind(function, ast.Call)}
            nodes = [
                node for node in attributes_of([function], receiver) if id(node) not in called or node.attr in known
            ]
            here = [node for node in nodes if stands_on(node, row)]
            if not here:
                around = _simple_statements(function, row)
                here = [node for node in nodes if any(stands_on(one, node.lineno) for one in around)]
            found.update((node.attr, None) for node in sorted(here, key=lambda node: (node.lineno, node.col_offset)))
    return tuple(found)


def _functions(definition: ClassDefinition) -> Iterator[FunctionNode]:
    for table in (definition.methods, definition.properties, definition.setters):
        yield from table.values()


def _simple_statements(function: FunctionNode, row: int) -> list[ast.stmt]:
    """Statements on a line that hold no other statements."""
    inner = (node for node in walk(function) if isinstance(node, ast.stmt) and not hasattr(node, "body"))
    return [node for node in inner if stands_on(node, row)]
