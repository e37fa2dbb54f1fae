"""Tensors that serve draws of a random generator of the object, which stays on its device whatever moves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_none, receiver_name
from regbuf_lint.classes.stores import is_own, kept_arguments, stores_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode


def drawn_with_own_generator(
    definitions: Sequence[ClassDefinition], attribute: str, runs_later: Callable[[str], bool]
) -> bool:
    """Whether methods read an attribute only to draw by it with a generator that the object holds.

    One that may be left out does not count: torch's own, which then draws, is there on every device.

    Args:
        definitions: the class, its bases and its subclasses, as far as they are at hand.
        attribute: the attribute.
        runs_later: whether a method of a name runs after construction.
    """
    functions = [function for function in _every(definitions) if runs_later(function.name)]
    reads = {id(node) for function in functions for node in _reads(function, attribute)}
    drawn = [(id(node), generator) for function in functions for node, generator in _drawn(function, attribute)]
    if not reads or reads != {node for node, _ in drawn}:
        return False
    made = {name for function in _every(definitions) for name in _made(function)}
    optional = {name for one in definitions for name in kept_arguments(one, is_none)} - made
    return reads == {node for node, generator in drawn if generator not in optional}


def _every(definitions: Sequence[ClassDefinition]) -> Iterator[FunctionNode]:
    for one in definitions:
        yield from (*one.methods.values(), *one.properties.values())


def _made(function: FunctionNode) -> Iterator[str]:
    """Attributes that a method gives what a call returns, as ``torch.Generator()``."""
    for target, value in stores_in(function):
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Call):
            yield target.attr


def _reads(function: FunctionNode, attribute: str) -> Iterator[ast.AST]:
    receiver = receiver_name(function)
    return (node for node in ast.walk(function) if is_own(node, receiver, attribute))


def _drawn(function: FunctionNode, attribute: str) -> Iterator[tuple[ast.AST, str]]:
    """The places in which the attribute is an argument of a call that takes one of the object's generators, named."""
    receiver = receiver_name(function)
    for call in ast.walk(function):
        if isinstance(call, ast.Call):
            given = [one.value for one in call.keywords if one.arg == "generator"]
            own = [one.attr for one in given if isinstance(one, ast.Attribute) and is_own(one, receiver, one.attr)]
            yield from ((one, name) for name in own for one in call.args if is_own(one, receiver, attribute))
