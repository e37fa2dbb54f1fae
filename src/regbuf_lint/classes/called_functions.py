"""Which calls in a class run functions whose source is at hand, in whatever file they are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.index.symbols import FunctionSymbol
from regbuf_lint.index.tree import of_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.project import Project
    from regbuf_lint.index.scopes import FunctionNode


def called_functions(project: Project, definition: ClassDefinition, methods: frozenset[str]) -> frozenset[str]:
    """How the methods of a class call functions at hand, and methods of their object, as it is written.

    Args:
        project: finds what names stand for.
        definition: the class.
        methods: the methods that its objects have.
    """
    functions = definition.methods.values()
    return frozenset(name for one in functions for name in _called_in(project, definition, one, methods))


def _called_in(
    project: Project, definition: ClassDefinition, function: FunctionNode, methods: frozenset[str]
) -> Iterator[str]:
    scope, receiver = definition.symbol.scope.child(function), receiver_name(function)
    for called in (node.func for node in of_kind(function, ast.Call)):
        name = ast.unparse(called)
        owner, _, method = name.rpartition(".")
        if owner and owner == receiver:
            if method in methods:
                yield name
            continue
        found = project.resolve(scope, called)
        if found and all(isinstance(one, FunctionSymbol) for one in found):
            yield name
