"""What the callers of a class give for one argument of its constructor: Parameters, numbers, or nothing."""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import arguments_with_defaults, given_expressions, is_none
from regbuf_lint.index.exports import is_exported
from regbuf_lint.index.scopes import FUNCTIONS
from regbuf_lint.infer.arguments import Arguments
from regbuf_lint.infer.callers import given_for, stated_to_be_tensors
from regbuf_lint.infer.construction import construct, follow
from regbuf_lint.infer.constructor_arguments import ConstructorArguments
from regbuf_lint.infer.lifetimes import built_by
from regbuf_lint.infer.makers import MOST_CALLS, all_calls, calls, calls_beside, function_around
from regbuf_lint.infer.subclasses import subclasses
from regbuf_lint.model.value import (
    NONE,
    OTHER,
    Literal,
    Mapping,
    NoneValue,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Value,
    is_only,
    is_tensor,
    may_be,
    parts_of,
)

if TYPE_CHECKING:
    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference

_DEEPEST = 3
"""Constructors through which an argument is followed that each hands on to the next."""


def is_given_parameters(inference: Inference, symbol: ClassSymbol, argument: str, depth: int = 0) -> bool:
    """Whether all who give an argument of a class's constructor, in its package, give Parameters.

    A Parameter is a tensor, so that the argument's annotation does not tell. One of the maker's own constructor
    arguments, passed on, counts as a Parameter where it is that in its turn. Where what the package gives is not known,
    scripts and tests beside it tell.
    """
    found, every = inference.find_method(symbol, "__init__"), all_calls(inference, symbol)
    if found is None or not every:
        return False
    given = given_for(inference, found[1], argument, every)
    if given and all(is_only(value, Unknown, NoneValue) and not _is_telling(value) for _, value in given):
        given = given_for(inference, found[1], argument, list(islice(calls_beside(inference, symbol), MOST_CALLS)))
    return bool(given) and all(_is_parameter_there(inference, scope, value, depth) for scope, value in given)


def may_be_given_parameters(inference: Inference, symbol: ClassSymbol, argument: str, *, is_weight: bool) -> bool:
    """Whether some call of a class in its package may give a Parameter for an argument of its constructor.

    Where no call tells, an annotation or a docstring is believed, unless objects use it as the weight of a layer. Of
    what is only known to be a tensor by its uses, scripts and tests beside the package have to tell.
    """
    found = inference.find_method(symbol, "__init__")
    arguments = [] if found is None else [one for one, _ in arguments_with_defaults(found[1])]
    if found is None or argument not in {one.arg for one in arguments}:
        return False
    given = given_for(inference, found[1], argument, all_calls(inference, symbol))
    if any(may_be(value, Parameter) for _, value in given):
        return True
    if is_weight and not any(is_tensor(value) for _, value in given):
        return True
    scope = found[0].scope.child(found[1])
    bare = {one.arg for one in arguments if one.annotation is None}
    if argument not in bare or stated_to_be_tensors(inference, symbol, scope, frozenset({argument})):
        return False
    if not given and _is_kept_unknown(inference, symbol, argument):
        return not _is_shown(inference, symbol, found[1], argument)
    return bool(given) and all(is_only(value, Unknown, NoneValue) for _, value in given)


def is_known_by_use_alone(inference: Inference, symbol: ClassSymbol, argument: str) -> bool:
    """Whether only its uses show an argument of a class's constructor to be a tensor, be it a Parameter or not."""
    found = inference.find_method(symbol, "__init__")
    if found is None or not _is_kept_unknown(inference, symbol, argument):
        return False
    given = given_for(inference, found[1], argument, all_calls(inference, symbol))
    return not any(is_tensor(value) for _, value in given) and not _is_shown(inference, symbol, found[1], argument)


def _is_kept_unknown(inference: Inference, symbol: ClassSymbol, argument: str) -> bool:
    """Whether construction keeps an argument as it comes in, of which nothing is known."""
    built = construct(inference, symbol)
    kept = () if built is None else (one for state in built.attributes.values() for one in state.value)
    return any(isinstance(one, Unknown) and one.argument == argument for one in kept)


def _is_shown(inference: Inference, symbol: ClassSymbol, function: FunctionNode, argument: str) -> bool:
    """Whether scripts and tests beside a class's package tell what an argument is."""
    beside = list(islice(calls_beside(inference, symbol), MOST_CALLS))
    given = given_for(inference, function, argument, beside)
    return not all(is_only(value, Unknown, NoneValue) for _, value in given)


def is_given_no_tensor(inference: Inference, symbol: ClassSymbol, argument: str) -> bool:
    """Whether some call of a class in its package gives a number, an array, a list of Parameters or the like.

    Where nobody in the package calls it, all scripts and tests beside it have to.
    """
    found, every = inference.find_method(symbol, "__init__"), list(islice(calls(inference, symbol), MOST_CALLS))
    if found is None:
        return False
    if every:
        return any(_is_no_tensor(value) for _, value in given_for(inference, found[1], argument, every))
    given = given_for(inference, found[1], argument, list(islice(calls_beside(inference, symbol), MOST_CALLS)))
    return bool(given) and all(_is_no_tensor(value) for _, value in given)


def _is_no_tensor(value: Value) -> bool:
    """Whether a value is none, whichever of its alternatives it is; an empty list may be filled yet."""
    parts = [inner for one in value for part in parts_of(one) for inner in part]
    kinds = (Literal, Other, Submodule, NoneValue, *((Sequence, Mapping) if parts else ()))
    return is_only(value, *kinds) and not value <= NONE and not any(isinstance(one, Tensor) for one in parts)


def value_without(inference: Inference, symbol: ClassSymbol, argument: str, attribute: str) -> Value:
    """What an attribute of an object is that is built with an argument which is no tensor."""
    made = follow(inference, symbol, Arguments(keywords={argument: OTHER}, starred=True)).construction
    return made.attributes[attribute].value if attribute in made.attributes else NONE


def _is_telling(value: Value) -> bool:
    return bool(_arguments(value)) or _is_of_module(value)


def _is_of_module(value: Value) -> bool:
    """Whether a value may be what some nn.Module holds, and so a Parameter for all that is known."""
    return any(isinstance(one, Unknown) and one.of_module for one in value)


def _arguments(value: Value) -> set[str]:
    """The constructor arguments that a value may be, passed on."""
    return {one.argument for one in value if isinstance(one, (Tensor, Unknown)) and one.argument}


def _is_parameter_there(inference: Inference, scope: Scope, value: Value, depth: int) -> bool:
    """Whether what code of a scope gives is a Parameter, or is an argument of the constructor around it that is one.

    What is not set on some path, of which nothing is known, does not speak against the Parameter of the others.
    """
    arguments = _arguments(value)
    is_one = may_be(value, Parameter) or _is_of_module(value)
    if any(isinstance(one, Tensor if is_one else (Tensor, Unknown)) and not one.argument for one in value):
        return False
    owners = built_by(inference, scope) if arguments else ()
    if (arguments and not owners) or depth > _DEEPEST:
        return False
    handed = ((owner, name) for owner in owners for name in arguments)
    return (is_one or bool(arguments)) and all(is_given_parameters(inference, *one, depth + 1) for one in handed)


def is_left_out(inference: Inference, symbol: ClassSymbol, argument: str, depth: int = 0) -> bool:
    """Whether all who make objects of a class in its package leave an argument of its constructor out.

    One of the maker's own constructor arguments, passed on, counts as left out where it is that in its turn. Of a class
    that a package offers to others, or that others derive from, nobody knows them all.
    """
    found, every = inference.find_method(symbol, "__init__"), all_calls(inference, symbol)
    if found is None or not every:
        return False
    if is_exported(inference.project, symbol) or any(True for _ in subclasses(inference, symbol)):
        return False
    for scope, call in every:
        if any(one.arg is None for one in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args):
            return False
        given = given_expressions(found[1], call).get(argument)
        if given is not None and not is_none(given) and not _is_left_out_there(inference, scope, given, depth):
            return False
    return True


def _is_left_out_there(inference: Inference, scope: Scope, given: ast.expr, depth: int) -> bool:
    """Whether an expression is an argument of the constructor around it that is None by default and never given."""
    around, owners = function_around(scope), built_by(inference, scope)
    if around is None or not isinstance(around.node, FUNCTIONS) or depth > _DEEPEST:
        return False
    for owner in owners:
        arguments = ConstructorArguments(inference, owner)
        name = arguments.named_by(around.node, given)
        defaults = {} if arguments.function is None else dict(arguments_with_defaults(arguments.function))
        optional = {one.arg for one, default in defaults.items() if is_none(default)}
        if name not in optional or not is_left_out(inference, owner, name, depth + 1):
            return False
    return bool(owners)
