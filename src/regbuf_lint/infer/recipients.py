"""What becomes of the things that an object hands on, while it is built, to objects of other classes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.classes.definition import given_expressions, receiver_name
from regbuf_lint.classes.reaching import definition_of, own_attribute
from regbuf_lint.classes.stores import own_values
from regbuf_lint.index.known_classes import torch_class
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.symbols import ClassSymbol, External
from regbuf_lint.index.tree import walk
from regbuf_lint.infer.annotations import PARAMETERS
from regbuf_lint.infer.constructor_arguments import ConstructorArguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import Symbol
    from regbuf_lint.infer.inference import Inference

    _Given: TypeAlias = tuple[FunctionNode, ast.Call, str]
    """A method, a call in it, and the attribute that the call is given."""


def is_given_to_registering_class(
    inference: Inference, symbol: ClassSymbol, attribute: str, methods: frozenset[str]
) -> bool:
    """Whether some methods pass an attribute, or an item of it, to a class that registers buffers, or to a Parameter.

    Args:
        inference: what the run shares.
        symbol: the class whose attribute it is.
        attribute: its name.
        methods: names of the methods, those of the class's bases included.
    """
    return any(_registers(inference, taker) for taker, _ in _takers(inference, symbol, attribute, methods))


def is_filled_by_taker(inference: Inference, symbol: ClassSymbol, attribute: str, methods: frozenset[str]) -> bool:
    """Whether some methods pass a list in an attribute to a class whose methods put something else into its places.

    Args:
        inference: what the run shares.
        symbol: the class whose attribute it is.
        attribute: its name.
        methods: names of the methods, those of the class's bases included.
    """
    return any(
        isinstance(taker, ClassSymbol) and _sets_items(inference, taker, given)
        for taker, given in _takers(inference, symbol, attribute, methods)
    )


def _takers(
    inference: Inference, symbol: ClassSymbol, attribute: str, methods: frozenset[str]
) -> Iterator[tuple[Symbol, _Given]]:
    """The functions and classes that some methods call with the attribute, or an item of it, among the arguments."""
    for owner in inference.classes(symbol):
        users = inference.uses(owner).users(attribute)
        for name in methods & users & inference.definition(owner).methods.keys():
            function = inference.definition(owner).methods[name]
            scope = owner.scope.child(function)
            for call in _given(function, attribute):
                for taker in inference.project.resolve(scope, call.func):
                    yield taker, (function, call, attribute)


def _sets_items(inference: Inference, taker: ClassSymbol, given: _Given) -> bool:
    """Whether a class keeps the list that a call gives to its constructor, and assigns items of it."""
    found = inference.find_method(taker, "__init__")
    if found is None:
        return False
    giver, call, attribute = given
    arguments = given_expressions(found[1], call)
    taken = {name for name, value in arguments.items() if own_attribute(giver, value) == attribute}
    kept = {name for name, argument in ConstructorArguments(inference, taker).kept.items() if argument in taken}
    methods = (method for base in inference.classes(taker) for method in inference.definition(base).methods.values())
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and own_attribute(method, node.value) in kept
        for method in methods
        for node in walk(method)
    )


def _given(function: FunctionNode, attribute: str) -> Iterator[ast.Call]:
    """The calls of a method that have the attribute, or the name that it is assigned from, among the arguments."""
    receiver, calls = receiver_name(function), _calls_by_argument(function)
    names = {value.id for value in own_values(function, receiver, attribute) if isinstance(value, ast.Name)}
    found = [call for name in (*names, f".{attribute}") for call in calls.get(name, ())]
    return iter(dict.fromkeys(found))


@once_per_node
def _calls_by_argument(function: FunctionNode) -> Mapping[str, Sequence[ast.Call]]:
    """The calls of a method by the names among their arguments, and by the attributes of the object, behind a dot."""
    found: dict[str, list[ast.Call]] = {}
    for node in walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            for name in {name for one in arguments for name in _names(function, one)}:
                found.setdefault(name, []).append(node)
    return found


def _names(function: FunctionNode, argument: ast.expr) -> Iterator[str]:
    if isinstance(argument, ast.Name):
        yield argument.id
    yield from (f".{attribute}" for attribute in _parts(function, argument))


def _parts(function: FunctionNode, node: ast.expr) -> Iterator[str]:
    """The attributes of the object that an argument is, or an item of, or holds in a tuple or list."""
    node = definition_of(function, node)
    if isinstance(node, (ast.Tuple, ast.List)):
        yield from (attribute for item in node.elts for attribute in _parts(function, item))
    else:
        attribute = own_attribute(function, node.value if isinstance(node, ast.Subscript) else node)
        if attribute is not None:
            yield attribute


def _registers(inference: Inference, symbol: Symbol) -> bool:
    if isinstance(symbol, External):
        known = torch_class(symbol.name)
        return symbol.name in PARAMETERS or (known is not None and bool(known.buffers))
    if not isinstance(symbol, ClassSymbol):
        return False
    return "register_buffer" in inference.object_uses(symbol).read
