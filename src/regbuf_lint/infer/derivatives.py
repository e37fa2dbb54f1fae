"""Tensors whose gradient the code itself wants, or that it hands out to be trained."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_given_nothing
from regbuf_lint.classes.reaching import definition_of, own_attribute
from regbuf_lint.classes.stores import stores_in
from regbuf_lint.index.symbols import External
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.infer.inference import Inference

_ABOUT_GRADIENT = frozenset({"register_hook", "retain_grad", "grad"})
_GRADIENT = "torch.autograd.grad"
_CHECKPOINT = "torch.utils.checkpoint.checkpoint"
_OPTIMIZERS = "torch.optim."


def is_differentiated_by_hand(inference: Inference, definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether a method wants the gradient by an attribute for itself: no optimizer shall train it.

    It asks ``torch.autograd.grad`` for it, reads it or hooks into it, or gives the attribute to ``checkpoint``, which
    only records a graph where some tensor among its arguments requires a gradient (``torch.utils.checkpoint``, 2.13).
    """
    return any(
        isinstance(part, ast.expr) and own_attribute(function, part) == attribute
        for definition in definitions
        for function in definition.methods.values()
        for node in walk(function)
        for wanted in _differentiated(inference, definition.symbol.scope.child(function), node)
        for part in walk(definition_of(function, wanted))
    )


def _differentiated(inference: Inference, scope: Scope, node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Attribute) and node.attr in _ABOUT_GRADIENT:
        if isinstance(node.value, (ast.Attribute, ast.Name)):
            yield node.value
    elif isinstance(node, ast.Call):
        callees = {one.name for one in inference.project.resolve(scope, node.func) if isinstance(one, External)}
        if _GRADIENT in callees:
            yield from (*node.args[1:2], *(one.value for one in node.keywords if one.arg == "inputs"))
        elif _CHECKPOINT in callees:
            yield from node.args[1:]


def is_given_to_optimizer(inference: Inference, definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether a method makes an optimizer of torch for a list that holds an attribute."""
    return any(
        isinstance(part, ast.expr) and own_attribute(function, part) == attribute
        for definition in definitions
        for function in definition.methods.values()
        for node in walk(function)
        if isinstance(node, ast.Call) and _makes_optimizer(inference, definition.symbol.scope.child(function), node)
        for given in (*node.args[:1], *(one.value for one in node.keywords if one.arg == "params"))
        for part in walk(definition_of(function, given))
    )


def _makes_optimizer(inference: Inference, scope: Scope, call: ast.Call) -> bool:
    callees = inference.project.resolve(scope, call.func)
    return any(isinstance(one, External) and one.name.startswith(_OPTIMIZERS) for one in callees)


def is_handed_out(definitions: Sequence[ClassDefinition], attribute: str) -> bool:
    """Whether a method that is given nothing returns a list of attributes, one of them this one.

    So do searches for architectures (``arch_parameters()``): an optimizer of its own trains what is returned, since a
    list is what optimizers take. What ``forward`` returns is none.

    Args:
        definitions: the class and its bases.
        attribute: the attribute.
    """
    functions = [function for one in definitions for function in one.methods.values()]
    lists = {name for function in functions for name in _lists_with(function, attribute)}
    return any(
        own_attribute(function, node.value) in lists
        or any(own_attribute(function, item) in {attribute, *lists} for item in _items(function, node.value))
        for function in methods_given_nothing(definitions)
        for node in walk(function)
        if isinstance(node, ast.Return) and node.value is not None
    )


def _lists_with(function: FunctionNode, attribute: str) -> Iterator[str]:
    """Attributes in which a method keeps a list that holds the attribute."""
    for target, value in stores_in(function):
        if isinstance(target, ast.Attribute) and attribute in {
            own_attribute(function, item) for item in _items(function, value)
        }:
            yield target.attr


def _items(function: FunctionNode, value: ast.expr) -> list[ast.expr]:
    """What a list or tuple holds, alone or in pairs with names; nothing for any other expression."""
    value = definition_of(function, value)
    held = value.elts if isinstance(value, (ast.List, ast.Tuple)) else []
    return [inner for item in held for inner in (item.elts if isinstance(item, ast.Tuple) else [item])]
