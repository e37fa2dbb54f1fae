"""What walks through buffers: methods of a class through those of the object, other code through those of a model."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.tree import last_name, of_kind, walk

if TYPE_CHECKING:
    from regbuf_lint.classes.definition import ClassDefinition

_WALKS = frozenset({"buffers", "named_buffers"})
_AVERAGING = frozenset({"mul_", "lerp_", "sub_", "div_", "addcmul_"})
"""Arithmetic in place that a loop over buffers does with numbers of Python, which fails for integers (torch 2.13)."""
_ABOUT_DTYPE = frozenset({"dtype", "is_floating_point"})
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


def takes_first_buffer(definition: ClassDefinition) -> str | None:
    """The first method of a class that takes the first buffer of the object for more than its device; None without one.

    ``next(self.buffers()).dtype`` is the dtype of another tensor once the class registers one more.
    """
    for name, function in definition.methods.items():
        receiver = receiver_name(function)
        asked = {node.value for node in of_kind(function, ast.Attribute) if node.attr == "device"}
        if any(_is_next(node) and _is_walk(node.args[0], receiver) and node not in asked for node in walk(function)):
            return name
    return None


@once_per_node
def computes_with_each_buffer(tree: ast.Module) -> ast.For | None:
    """A loop of a file that computes in place with each buffer of some model, whatever its dtype; None without one.

    Averages of a model do that. A loop that asks for a dtype leaves alone what it cannot average.
    """
    for node in walk(tree):
        if isinstance(node, ast.For) and any(map(_walks_any, walk(node.iter))):
            inside = [one for statement in node.body for one in walk(statement)]
            called = {last_name(one.func) for one in inside if isinstance(one, ast.Call)}
            asks = any(isinstance(one, ast.Attribute) and one.attr in _ABOUT_DTYPE for one in inside)
            if called & _AVERAGING and not asks:
                return node
    return None


def _walks_any(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WALKS


def _is_next(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "next" and bool(node.args)


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
    calls = (one for statement in node.body for one in of_kind(statement, ast.Call))
    return any(_is_change(last_name(call.func)) for call in calls)


def _is_change(name: str) -> bool:
    return name in _SETTING or (name.endswith("_") and not name.startswith("_"))


def _is_walk(node: ast.AST, receiver: str | None) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _WALKS:
        return False
    return isinstance(node.func.value, ast.Name) and node.func.value.id == receiver
