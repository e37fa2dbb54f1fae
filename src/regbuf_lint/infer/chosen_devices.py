"""Devices that a constructor has a default for, and that whoever builds an object chooses all the same."""

from __future__ import annotations

import ast
from itertools import chain, islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import given_expressions
from regbuf_lint.classes.reaching import definition_of
from regbuf_lint.classes.stores import stores_in
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.scopes import FUNCTIONS
from regbuf_lint.index.tree import of_kind
from regbuf_lint.infer.constructor_arguments import ConstructorArguments
from regbuf_lint.infer.makers import MOST_CALLS, calls, calls_beside, concrete_classes, function_around, maker
from regbuf_lint.infer.serving_tests import is_in_test
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.scopes import Scope, ScopeNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference

_DEEPEST = 3
"""Constructors through which a device is followed that each hands on to the next."""


def is_chosen_by_callers(
    inference: Inference, symbol: ClassSymbol, constructor: ast.AST, argument: str, depth: int = 0
) -> bool:
    """Whether every call of a class in its project says on which device, and some call does; tests say nothing.

    A device that is written out is not chosen. What an nn.Module builds moves with it, so that a device which it hands
    on has to be one that its own callers choose.

    Args:
        inference: what the run shares.
        symbol: the class.
        constructor: a function that may be the one which the calls reach.
        argument: the name of the device among its arguments.
        depth: through how many constructors the device was followed.
    """
    found = inference.find_method(symbol, "__init__")
    if found is None or found[1] is not constructor or depth > _DEEPEST:
        return False
    every = chain(calls(inference, symbol), calls_beside(inference, symbol))
    looked_at = list(islice((one for one in every if not is_in_test(inference, one[0])), MOST_CALLS + 1))
    given = [(scope, given_expressions(found[1], call).get(argument)) for scope, call in looked_at]
    return 0 < len(given) <= MOST_CALLS and all(_is_chosen(inference, scope, one, depth) for scope, one in given)


def names_device(function: ast.AST, argument: str) -> bool:
    """Whether a constructor may take an argument for a device, as in ``x.to(device)``, or hand it on as one."""
    return argument in _devices_named(function)


@once_per_node
def _devices_named(function: ast.AST) -> frozenset[str]:
    """The names of arguments, and of what is assigned one, that stand where a device does."""
    calls_in = of_kind(function, ast.Call)
    used = {ast.unparse(device) for call in calls_in for device in (*_device_in(call), *_handed_on(call))}
    kept = ((target, value.id) for target, value in stores_in(function) if isinstance(value, ast.Name))
    return frozenset(used | {name for target, name in kept if ast.unparse(target) in used})


def works_on(function: ast.AST, device: str) -> bool:
    """Whether a method makes tensors on a device, as in ``torch.ones(3, device=self.device)``, or moves some there."""
    return device in _devices_used(function)


@once_per_node
def _devices_used(function: ast.AST) -> frozenset[str]:
    """What stands where a device does, with locals as what they were given."""
    devices = (device for call in of_kind(function, ast.Call) for device in _device_in(call))
    return frozenset(ast.unparse(definition_of(function, one)) for one in devices)


def _device_in(call: ast.Call) -> Iterator[ast.expr]:
    yield from (one.value for one in call.keywords if one.arg == "device")
    if isinstance(call.func, ast.Attribute) and has("move_methods", call.func.attr):
        yield from call.args[:1]


def _handed_on(call: ast.Call) -> Iterator[ast.expr]:
    """The names that are given to a method of the object, as a rule, which may put something there."""
    if not isinstance(call.func, ast.Attribute) or has("move_methods", call.func.attr):
        return
    if isinstance(call.func.value, ast.Name):
        yield from (one for one in (*call.args, *(key.value for key in call.keywords)) if isinstance(one, ast.Name))


def _is_chosen(inference: Inference, scope: Scope, device: ast.expr | None, depth: int) -> bool:
    if device is None or isinstance(device, ast.Constant):
        return False
    if isinstance(device, ast.Call) and all(isinstance(one, ast.Constant) for one in device.args):
        return False
    function = function_around(scope)
    owner = None if function is None else maker(function)
    if owner is None or function is None or inference.hierarchy.membership(owner).verdict is Verdict.NO:
        return True
    built = concrete_classes(inference, owner)
    return all(_is_argument_chosen(inference, one, function.node, device, depth) for one in built)


def _is_argument_chosen(
    inference: Inference, symbol: ClassSymbol, function: ScopeNode, device: ast.expr, depth: int
) -> bool:
    """Whether a method of a class hands on an argument of the constructor, and callers choose that."""
    arguments = ConstructorArguments(inference, symbol)
    name = arguments.named_by(function, device) if isinstance(function, FUNCTIONS) else None
    if not name or arguments.function is None:
        return False
    return is_chosen_by_callers(inference, symbol, arguments.function, name, depth + 1)
