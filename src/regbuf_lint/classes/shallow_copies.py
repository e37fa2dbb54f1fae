"""Methods that copy the object with ``copy.copy``: a plain attribute of the copy is its own, its buffers are shared."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.index.tree import of_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode


def copying_methods(definitions: Iterable[ClassDefinition]) -> dict[str, FunctionNode]:
    """Methods of some classes that make a shallow copy of their object."""
    return {
        name: function
        for one in definitions
        for name, function in one.methods.items()
        if _copies(function, receiver_name(function))
    }


def _copies(function: FunctionNode, receiver: str | None) -> bool:
    calls = (node for node in of_kind(function, ast.Call) if len(node.args) == 1)
    return any(
        getattr(call.args[0], "id", None) == receiver and ast.unparse(call.func) in {"copy", "copy.copy"}
        for call in calls
    )


def assigns(function: FunctionNode, attribute: str) -> bool:
    """Whether a method assigns an attribute of that name, of whatever object."""
    return any(node.attr == attribute and isinstance(node.ctx, ast.Store) for node in of_kind(function, ast.Attribute))
