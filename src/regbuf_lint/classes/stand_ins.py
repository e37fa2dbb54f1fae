"""Tensors without elements that stand for None, until a method puts another one in their place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import last_name, names_string, receiver_name
from regbuf_lint.classes.first_values import starts_empty
from regbuf_lint.classes.moves import moves_own
from regbuf_lint.classes.stores import is_own, own_loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_JOINING = frozenset({"cat", "concat", "concatenate", "hstack", "vstack", "dstack", "stack"})
_REGISTERING = frozenset({"register_buffer", "register_parameter"})
_LISTING = frozenset({"append", "extend", "insert"})


def stands_for_none(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether an attribute starts as a tensor without elements, which is of no use until another one replaces it.

    Either some method asks whether it has elements by now, or methods add something to it, which fails while it has
    none. What a method joins with other tensors is of use while it has no elements, too.
    """
    if not starts_empty(definitions, attribute, building):
        return False
    functions = [function for one in definitions for function in one.methods.values()]
    if any(_joins(function, attribute) for function in functions):
        return False
    is_asked_for = any(_asks_for_elements(function, attribute) for function in functions)
    return is_asked_for or _accumulates(functions, attribute)


def registers(definitions: Sequence[ClassDefinition], attribute: str) -> bool:
    """Whether a method registers a buffer or Parameter under the name of an attribute."""
    return any(
        isinstance(node, ast.Call) and last_name(node.func) in _REGISTERING and names_string(node.args[:1], attribute)
        for definition in definitions
        for function in definition.methods.values()
        for node in ast.walk(function)
    )


def _asks_for_elements(function: FunctionNode, attribute: str) -> bool:
    """Whether a method compares the number of elements, or of rows, with 0.

    It may compare it with any number where it moves what is there otherwise: ``self.x = self.x.to(...)``.
    """
    receiver = receiver_name(function)
    nodes = list(ast.walk(function))
    compared = [node for node in nodes if isinstance(node, ast.Compare)]
    if any(isinstance(node, ast.Assign) and moves_own(node, receiver, attribute) for node in nodes):
        return any(_counts(one, receiver, attribute) for node in compared for one in (node.left, *node.comparators))
    return any(
        _counts(node.left, receiver, attribute)
        for node in compared
        if any(isinstance(one, ast.Constant) and one.value == 0 for one in node.comparators)
    )


def _accumulates(functions: Sequence[FunctionNode], attribute: str) -> bool:
    """Whether methods replace the attribute and add to it, and do nothing else with it but to compute."""
    nodes = [(node, receiver_name(function)) for function in functions for node in ast.walk(function)]
    added_to = any(isinstance(node, ast.AugAssign) and is_own(node.target, name, attribute) for node, name in nodes)
    return added_to and all(own_loads(function, attribute) <= _operands(function) for function in functions)


def _operands(function: FunctionNode) -> set[ast.AST]:
    """What a method calculates with, and what it returns."""
    nodes = (node for node in ast.walk(function) if isinstance(node, (ast.BinOp, ast.Return)))
    return {child for node in nodes for child in ast.iter_child_nodes(node)}


def _counts(node: ast.expr, receiver: str | None, attribute: str) -> bool:
    """``self.x.numel()``, ``len(self.x)`` or ``self.x.shape[0]``."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        return is_own(node.value.value, receiver, attribute)
    if not isinstance(node, ast.Call) or last_name(node.func) not in {"numel", "nelement", "len", "size"}:
        return False
    counted = [node.func.value] if isinstance(node.func, ast.Attribute) else node.args
    return any(is_own(one, receiver, attribute) for one in counted)


def _joins(function: FunctionNode, attribute: str) -> bool:
    """Whether a method makes a tensor of the attribute and of others, or puts it into a list."""
    receiver = receiver_name(function)
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    joined = (argument for call in calls if last_name(call.func) in _JOINING for argument in call.args)
    listed = (argument for call in calls if last_name(call.func) in _LISTING for argument in call.args)
    inside = (node for argument in joined for node in ast.walk(argument))
    return any(is_own(node, receiver, attribute) for node in (*inside, *listed))
