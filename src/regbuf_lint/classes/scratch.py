"""Scratch tensors of classes that keep track of their device by themselves: made there, and refreshed as they work."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_where, receiver_name
from regbuf_lint.classes.stores import is_own, own_values, values_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_FILLS = frozenset({"zeros", "ones", "full", "empty"})
_LIKE = frozenset({"zeros_like", "ones_like", "full_like", "empty_like"})
_STATE = frozenset({"parameters", "buffers", "named_parameters", "named_buffers", "state_dict"})


def starts_on_own_device(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether all that the methods that build the object put into an attribute is a constant on ``self.device``.

    That has to be a device which the classes themselves keep, and not the one of their parameters.
    """
    return _manages_device(definitions) and _Start(definitions, building).is_constant(attribute, frozenset())


def refreshes(definitions: Sequence[ClassDefinition], attribute: str, methods: set[str]) -> bool:
    """Whether each of some methods replaces the attribute whenever it runs, not only inside an ``if``."""
    functions = [one.methods[name] for one in definitions for name in methods & one.methods.keys()]
    return methods <= {function.name for function in functions} and all(
        any(own_values(statement, receiver_name(function), attribute) for statement in _straight(function.body))
        for function in functions
    )


def _manages_device(definitions: Sequence[ClassDefinition]) -> bool:
    getters = [one.properties["device"] for one in definitions if "device" in one.properties]
    if getters:
        return not any(_asks_parameters(getter) for getter in getters)
    return bool(values_in((function for one in definitions for function in one.methods.values()), "device"))


class _Start:
    """What the methods that build an object put into its attributes."""

    def __init__(self, definitions: Sequence[ClassDefinition], building: frozenset[str]) -> None:
        self._functions = list(methods_where(definitions, building.__contains__))

    def is_constant(self, attribute: str, asked: frozenset[str]) -> bool:
        """Whether an attribute starts as a constant on ``self.device``; ``asked`` are those that wait for it."""
        if attribute in asked:
            return False
        values = [
            (value, receiver)
            for function in self._functions
            for receiver in [receiver_name(function)]
            for value in own_values(function, receiver, attribute)
        ]
        return bool(values) and all(self._is_fill(value, receiver, asked | {attribute}) for value, receiver in values)

    def _is_fill(self, value: ast.expr, receiver: str | None, asked: frozenset[str]) -> bool:
        if not isinstance(value, ast.Call):
            return False
        name = getattr(value.func, "attr", getattr(value.func, "id", ""))
        device = next((one.value for one in value.keywords if one.arg == "device"), None)
        if name in _FILLS | _LIKE and device is not None:
            return is_own(device, receiver, "device")
        if name == "clone" and isinstance(value.func, ast.Attribute):
            return self._is_other(value.func.value, receiver, asked)
        return name in _LIKE and bool(value.args) and self._is_other(value.args[0], receiver, asked)

    def _is_other(self, node: ast.expr, receiver: str | None, asked: frozenset[str]) -> bool:
        """Whether a node is another attribute that starts so."""
        return (
            isinstance(node, ast.Attribute) and is_own(node, receiver, node.attr) and self.is_constant(node.attr, asked)
        )


def _straight(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The assignments that run whenever a block does."""
    for statement in body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            yield statement
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _straight(statement.body)


def _asks_parameters(getter: FunctionNode) -> bool:
    """Whether a getter reads the object's parameters, or hands the object to something that may."""
    receiver = receiver_name(getter)
    for node in ast.walk(getter):
        if isinstance(node, ast.Attribute) and node.attr in _STATE:
            return True
        if isinstance(node, ast.Call) and any(isinstance(one, ast.Name) and one.id == receiver for one in node.args):
            return True
    return False
