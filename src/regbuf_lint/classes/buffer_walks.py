"""Methods that do something with each buffer of the object itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name

if TYPE_CHECKING:
    from regbuf_lint.classes.definition import ClassDefinition

_WALKS = frozenset({"buffers", "named_buffers"})


def walks_own_buffers(definition: ClassDefinition) -> str | None:
    """The first method of a class that calls ``self.named_buffers(recurse=False)`` or the like; None without one."""
    for name, function in definition.methods.items():
        receiver = receiver_name(function)
        if any(_is_walk(node, receiver) for node in ast.walk(function)):
            return name
    return None


def _is_walk(node: ast.AST, receiver: str | None) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _WALKS:
        return False
    is_own = isinstance(node.func.value, ast.Name) and node.func.value.id == receiver
    return is_own and any(
        keyword.arg == "recurse" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in node.keywords
    )
