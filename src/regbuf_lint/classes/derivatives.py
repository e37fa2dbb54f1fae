"""Tensors whose gradient the code itself wants, or that it hands out to be trained."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import last_name, receiver_name
from regbuf_lint.classes.stores import is_own, stores_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_ABOUT_GRADIENT = frozenset({"register_hook", "retain_grad", "grad"})


def is_differentiated_by_hand(definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether a method wants the gradient by an attribute for itself: no optimizer shall train it.

    It asks ``torch.autograd.grad`` for it, reads it or hooks into it, or gives the attribute to ``checkpoint``, which
    only records a graph where some tensor among its arguments requires a gradient (``torch.utils.checkpoint``, 2.13).
    """
    return any(
        is_own(part, receiver_name(function), attribute)
        for definition in definitions
        for function in definition.methods.values()
        for node in ast.walk(function)
        for wanted in _differentiated(node)
        for part in ast.walk(wanted)
    )


def _differentiated(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Attribute) and node.attr in _ABOUT_GRADIENT and isinstance(node.value, ast.Attribute):
        yield node.value
    elif isinstance(node, ast.Call) and last_name(node.func) == "grad":
        yield from (*node.args[1:2], *(one.value for one in node.keywords if one.arg == "inputs"))
    elif isinstance(node, ast.Call) and last_name(node.func) == "checkpoint":
        yield from node.args[1:]


def is_handed_out(definitions: Sequence[ClassDefinition], attribute: str) -> bool:
    """Whether a method named after parameters returns an attribute, or a list that holds it.

    So do searches for architectures (``arch_parameters()``): an optimizer of its own trains what is returned.
    """
    functions = [function for one in definitions for function in one.methods.values()]
    listing = {attribute} | {name for function in functions for name in _listing(function, attribute)}
    return any(
        is_own(part, receiver_name(function), name)
        for function in functions
        if "param" in function.name
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
        for part in _items(node.value)
        for name in listing
    )


def _listing(function: FunctionNode, attribute: str) -> Iterator[str]:
    """Attributes in which a method keeps a list that holds the attribute."""
    receiver = receiver_name(function)
    for target, value in stores_in(function):
        if isinstance(target, ast.Attribute) and any(is_own(item, receiver, attribute) for item in _items(value)):
            yield target.attr


def _items(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
