"""Methods that do something with each buffer of the object itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from regbuf_lint.classes.definition import last_name, receiver_name
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from regbuf_lint.classes.definition import ClassDefinition

_WALKS = frozenset({"buffers", "named_buffers"})
_SETTING = frozenset({"register_buffer", "setattr"})


def walks_own_buffers(definition: ClassDefinition) -> str | None:
    """The first method of a class that does something with each buffer of the object itself; None without one.

    That is one that calls ``self.named_buffers(recurse=False)`` or the like, or changes what a loop over all gives.
    """
    for name, function in definition.methods.items():
        receiver = receiver_name(function)
        if any(_is_own_walk(node, receiver) or _changes_each(node, receiver) for node in walk(function)):
            return name
    return None


def _is_own_walk(node: ast.AST, receiver: str | None) -> bool:
    """``self.buffers(recurse=False)``, which leaves the parts of the object aside."""
    return _is_walk(node, receiver) and any(
        keyword.arg == "recurse" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in node.keywords
    )


def _changes_each(node: ast.AST, receiver: str | None) -> bool:
    """``for buffer in self.buffers(): buffer.zero_()``, or a loop that registers or sets something for each."""
    if not isinstance(node, ast.For) or not any(_is_walk(one, receiver) for one in walk(node.iter)):
        return False
    calls = (one for statement in node.body for one in walk(statement) if isinstance(one, ast.Call))
    return any(_is_change(last_name(call.func)) for call in calls)


def _is_change(name: str) -> bool:
    return name in _SETTING or (name.endswith("_") and not name.startswith("_"))


def _is_walk(node: ast.AST, receiver: str | None) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _WALKS:
        return False
    return isinstance(node.func.value, ast.Name) and node.func.value.id == receiver
