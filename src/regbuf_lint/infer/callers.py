"""What the callers of a class give for arguments of its constructor, those in its own package first."""

from __future__ import annotations

import ast
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import (
    BUILDERS,
    arguments_with_defaults,
    given_expressions,
    is_none,
    positional_names,
)
from regbuf_lint.classes.moves import moves_parts
from regbuf_lint.classes.short_lived import ends_with
from regbuf_lint.index.exports import is_exported
from regbuf_lint.index.known_classes import Verdict, torch_class
from regbuf_lint.index.symbols import ClassSymbol, External
from regbuf_lint.infer.arguments import ANY_ARGUMENTS, Arguments
from regbuf_lint.infer.construction import construct, follow, followed
from regbuf_lint.infer.constructor_arguments import ConstructorArguments
from regbuf_lint.infer.docstrings import says_tensor
from regbuf_lint.infer.frame import Frame, TooLarge
from regbuf_lint.infer.functions import run_body
from regbuf_lint.infer.inference import Followed
from regbuf_lint.infer.loss_weights import weights_of_losses
from regbuf_lint.infer.makers import (
    MOST_CALLS,
    all_calls,
    callers_of,
    calls,
    calls_beside,
    concrete_classes,
    function_around,
    maker,
    method_around,
)
from regbuf_lint.infer.open_arguments import open_arguments
from regbuf_lint.infer.references import FunctionValue
from regbuf_lint.infer.state import State
from regbuf_lint.infer.subclasses import MOST_LOOKED_AT, subclasses
from regbuf_lint.model.class_view import Construction
from regbuf_lint.model.value import (
    NONE,
    OTHER,
    UNKNOWN,
    Literal,
    NoneValue,
    Other,
    Parameter,
    Tensor,
    Unknown,
    Value,
    held,
    is_only,
    is_tensor,
    join,
    may_be,
    tensors,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.infer.arguments import PassedArguments
    from regbuf_lint.infer.inference import Inference

_DEEPEST = 3
"""Constructors through which an argument is followed that each hands on to the next."""
_TENSOR: Value = frozenset({Tensor()})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_TENSORS = (ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Lambda, ast.ListComp, ast.DictComp)


def construct_as_called(inference: Inference, symbol: ClassSymbol) -> Construction | None:
    """What building an object of a class does, with the tensors that all callers pass; None as for ``construct``."""
    found = _followed_as_called(inference, symbol)
    return None if found is None else found.construction


def _followed_as_called(inference: Inference, symbol: ClassSymbol) -> Followed | None:
    return inference.memo.found_once(
        inference.constructions_as_called, symbol.scope, "as called", lambda: _follow_as_called(inference, symbol)
    )


def _follow_as_called(inference: Inference, symbol: ClassSymbol) -> Followed:
    found = followed(inference, symbol) or Followed(Construction(), {})
    arguments = arguments_from_callers(inference, symbol) if found.construction.events else ANY_ARGUMENTS
    return found if arguments is ANY_ARGUMENTS else follow(inference, symbol, arguments)


def arguments_from_callers(inference: Inference, symbol: ClassSymbol) -> Arguments:
    """Those arguments of a class's constructor that are tensors wherever its package makes an object of the class.

    Where nobody in the package does, scripts and tests beside it tell. Where calls do not tell, docstrings do.

    Args:
        inference: what the run shares.
        symbol: the class.

    Returns:
        ``ANY_ARGUMENTS`` where none of them tells.
    """
    found = inference.memo.found_once(
        inference.given, symbol.scope, "callers", lambda: _from_callers(inference, symbol)
    )
    return ANY_ARGUMENTS if found is None else found


def _from_callers(inference: Inference, symbol: ClassSymbol) -> Arguments:
    names = open_arguments(inference, symbol)
    found = inference.find_method(symbol, "__init__")
    if not names or found is None:
        return ANY_ARGUMENTS
    owner, function = found
    inside, names = _looked_at(function, names, calls(inference, symbol))
    every, names = (inside, names) if inside else _looked_at(function, names, calls_beside(inference, symbol))
    if not names:
        return ANY_ARGUMENTS
    stated = _stated(inference, symbol, owner.scope.child(function), names)
    if stated and any(_is_in_use(inference, scope) for scope, _ in inside):
        stated = frozenset()
    if not every or any(True for _ in subclasses(inference, symbol)):
        values = dict.fromkeys(stated, UNKNOWN)
    else:
        names = _told_about(function, names, [call for _, call in every], stated)
        given = (_given(inference, scope, call, shows_all=not inside) for scope, call in every) if names else ()
        values = _agreed(function, given, names, stated)
    known = {name: _TENSOR if name in stated and may_be(value, Unknown) else value for name, value in values.items()}
    sure = {name: held(value, argument=name) for name, value in known.items() if is_tensor(value)}
    return Arguments(keywords=sure, starred=True) if sure else ANY_ARGUMENTS


def _looked_at(
    function: FunctionNode, names: frozenset[str], every: Iterator[tuple[Scope, ast.Call]]
) -> tuple[list[tuple[Scope, ast.Call]], frozenset[str]]:
    """Some calls of a class, and which arguments may be tensors in each; no argument where there are too many calls."""
    found: list[tuple[Scope, ast.Call]] = []
    for scope, call in every:
        written = given_expressions(function, call)
        names = frozenset(name for name in names if _may_be_tensor(written.get(name)))
        found.append((scope, call))
        if not names or len(found) > MOST_CALLS:
            return found, frozenset()
    return found, names


def _told_about(
    function: FunctionNode, names: frozenset[str], every: list[ast.Call], stated: frozenset[str]
) -> frozenset[str]:
    """Those of some arguments that calls may show to be tensors, as far as can be told without following anybody.

    Some call has to give one, and behind ``**`` nobody knows what is given.
    """
    if any(keyword.arg is None for call in every for keyword in call.keywords):
        names &= stated
    written = [given_expressions(function, call) for call in every]
    return frozenset(name for name in names if any(not is_none(one[name]) for one in written if name in one))


def _stated(inference: Inference, symbol: ClassSymbol, scope: Scope, names: frozenset[str]) -> frozenset[str]:
    """Those of some arguments that a loss takes as weights, or that have no annotation and a docstring says it."""
    arguments = arguments_with_defaults(scope.node) if isinstance(scope.node, _FUNCTIONS) else []
    bare = (one.arg for one, _ in arguments if one.annotation is None and one.arg in names)
    return names & weights_of_losses(inference, symbol) | {name for name in bare if says_tensor(scope, name)}


def _agreed(
    function: FunctionNode, calls: Iterable[list[Arguments]], names: frozenset[str], stated: frozenset[str]
) -> dict[str, Value]:
    """What calls give for those of some arguments that are tensors, or None, in each of them.

    Nothing speaks against those that are ``stated`` to be tensors where a call does not tell what it gives.
    """
    values: dict[str, list[Value]] = {name: [] for name in names}
    for given in calls:
        values = {
            name: [*before, found]
            for name, before in values.items()
            if (found := _value(function, name, given)) <= NONE
            or is_tensor(found)
            or (name in stated and is_only(found, Unknown, Tensor, NoneValue))
        }
        if not values:
            break
    return {name: join(found) for name, found in values.items()}


def is_made_by_forward(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether the package makes objects of a class in some ``forward`` alone, so that they end with it.

    So do those that any other method of an nn.Module makes for itself.

    Those that methods of the class itself make of an object, such as copies, end with it too. A function that makes
    one counts where some ``forward`` alone calls it.
    """
    found = [(function_around(scope), scope, call) for scope, call in islice(calls(inference, symbol), MOST_CALLS)]
    others = [one for one in found if one[0] is None or maker(one[0]) not in inference.classes(symbol)]
    return bool(others) and all(_serves_forward(inference, one[0]) or _ends_there(inference, *one) for one in others)


def _ends_there(inference: Inference, function: Scope | None, scope: Scope, call: ast.Call) -> bool:
    """Whether a method of an nn.Module makes an object while it is used, and lets go of it when it ends."""
    if function is None or not isinstance(function.node, _FUNCTIONS) or not _is_in_use(inference, scope):
        return False
    return ends_with(function.node, call, lambda callee: _keeps(inference, scope, callee))


def _keeps(inference: Inference, scope: Scope, callee: ast.expr) -> bool:
    """Whether what is called may be a class, whose objects keep what they are given."""
    meant = inference.project.resolve(scope, callee)
    return any(
        isinstance(one, ClassSymbol) or (isinstance(one, External) and torch_class(one.name) is not None)
        for one in meant
    )


def _serves_forward(inference: Inference, function: Scope | None, depth: int = 0) -> bool:
    """Whether a function is some ``forward``, or one outside of classes that nothing else in its package calls."""
    if function is None or not isinstance(function.node, _FUNCTIONS) or function.node.name == "forward":
        return function is not None
    if function.parent is not function.file.scope or depth > _DEEPEST:
        return False
    callers = callers_of(inference, function, function.node.name)
    return bool(callers) and all(_serves_forward(inference, one, depth + 1) for one in callers)


def is_part_of_another(inference: Inference, symbol: ClassSymbol, movers: frozenset[str]) -> bool:
    """Whether an nn.Module of the package makes an object of a class, or of a subclass, while it is built itself.

    Moved, it moves its parts by their ``_apply``, without calling any of ``movers`` (torch 2.13), unless it has one of
    these itself, or calls one of some part.
    """
    return any(
        not _calls_mover(inference, owner, call, movers) and not _has_method(inference, owner, movers)
        for owner, call in _owners(inference, symbol)
    )


def is_moved_as_part(inference: Inference, symbol: ClassSymbol, movers: frozenset[str]) -> bool:
    """Whether an nn.Module that makes an object of a class, or of a subclass, calls one of ``movers`` of some part."""
    return any(_calls_mover(inference, owner, call, movers) for owner, call in _owners(inference, symbol))


def _owners(inference: Inference, symbol: ClassSymbol) -> Iterator[tuple[ClassSymbol, ast.Call]]:
    """The nn.Module classes of the package that make an object of a class, or of a subclass, while they are built."""
    every = (symbol, *islice(subclasses(inference, symbol), MOST_LOOKED_AT))
    for scope, call in (pair for one in every for pair in islice(calls(inference, one), MOST_CALLS)):
        yield from ((owner, call) for owner in _built_by(inference, scope))


def _calls_mover(inference: Inference, owner: ClassSymbol, made: ast.Call, movers: frozenset[str]) -> bool:
    """Whether a class somewhere calls a mover of what a call makes."""
    methods = [one for base in inference.classes(owner) for one in inference.definition(base).methods.values()]
    return any(moves_parts(one, made, movers) for one in methods)


def _has_method(inference: Inference, symbol: ClassSymbol, names: frozenset[str]) -> bool:
    return any(not names.isdisjoint(inference.definition(base).methods) for base in inference.classes(symbol))


def _built_by(inference: Inference, scope: Scope) -> tuple[ClassSymbol, ...]:
    """The nn.Module classes of the objects that are being built where code of a scope runs."""
    function = function_around(scope)
    method, owner = (None, None) if function is None else (method_around(function), maker(function))
    if method is None or owner is None or inference.hierarchy.membership(owner).verdict is not Verdict.YES:
        return ()
    name = getattr(method.node, "name", "")
    return tuple(one for one in concrete_classes(inference, owner) if name in _building(inference, one))


def _building(inference: Inference, symbol: ClassSymbol) -> frozenset[str]:
    construction = construct(inference, symbol)
    return BUILDERS if construction is None else construction.called | BUILDERS


def is_given_parameters(inference: Inference, symbol: ClassSymbol, argument: str, depth: int = 0) -> bool:
    """Whether all who give an argument of a class's constructor, in its package, give Parameters.

    A Parameter is a tensor, so that the argument's annotation does not tell. One of the maker's own constructor
    arguments, passed on, counts as a Parameter where it is that in its turn. Where what the package gives is not known,
    scripts and tests beside it tell.
    """
    found, every = inference.find_method(symbol, "__init__"), all_calls(inference, symbol)
    if found is None or not every:
        return False
    given = _given_for(inference, found[1], argument, every)
    if given and all(is_only(value, Unknown, NoneValue) and not _is_telling(value) for _, value in given):
        given = _given_for(inference, found[1], argument, list(islice(calls_beside(inference, symbol), MOST_CALLS)))
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
    given = _given_for(inference, found[1], argument, all_calls(inference, symbol))
    if any(may_be(value, Parameter) for _, value in given):
        return True
    if is_weight and not any(is_tensor(value) for _, value in given):
        return True
    scope = found[0].scope.child(found[1])
    bare = {one.arg for one in arguments if one.annotation is None}
    if argument not in bare or _stated(inference, symbol, scope, frozenset({argument})):
        return False
    if not given and _is_kept_unknown(inference, symbol, argument):
        return not _is_shown(inference, symbol, found[1], argument)
    return bool(given) and all(is_only(value, Unknown, NoneValue) for _, value in given)


def is_known_by_use_alone(inference: Inference, symbol: ClassSymbol, argument: str) -> bool:
    """Whether only its uses show an argument of a class's constructor to be a tensor, be it a Parameter or not."""
    found = inference.find_method(symbol, "__init__")
    if found is None or not _is_kept_unknown(inference, symbol, argument):
        return False
    given = _given_for(inference, found[1], argument, all_calls(inference, symbol))
    return not any(is_tensor(value) for _, value in given) and not _is_shown(inference, symbol, found[1], argument)


def _is_kept_unknown(inference: Inference, symbol: ClassSymbol, argument: str) -> bool:
    """Whether construction keeps an argument as it comes in, of which nothing is known."""
    built = construct(inference, symbol)
    kept = () if built is None else (one for state in built.attributes.values() for one in state.value)
    return any(isinstance(one, Unknown) and one.argument == argument for one in kept)


def _is_shown(inference: Inference, symbol: ClassSymbol, function: FunctionNode, argument: str) -> bool:
    """Whether scripts and tests beside a class's package tell what an argument is."""
    beside = list(islice(calls_beside(inference, symbol), MOST_CALLS))
    given = _given_for(inference, function, argument, beside)
    return not all(is_only(value, Unknown, NoneValue) for _, value in given)


def _given_for(
    inference: Inference, function: FunctionNode, argument: str, every: list[tuple[Scope, ast.Call]]
) -> list[tuple[Scope, Value]]:
    """What those of some calls give for an argument that give something, with the scope that each stands in."""
    values = ((scope, _value(function, argument, _given(inference, scope, call))) for scope, call in every)
    return [(scope, value) for scope, value in values if not value <= NONE]


def is_given_numbers(inference: Inference, symbol: ClassSymbol, argument: str) -> bool:
    """Whether some call of a class in its package gives a number, an array or the like for an argument.

    Where nobody in the package calls it, all scripts and tests beside it have to.
    """
    found, every = inference.find_method(symbol, "__init__"), list(islice(calls(inference, symbol), MOST_CALLS))
    if found is None:
        return False
    if every:
        return any(is_only(value, Literal, Other) for _, value in _given_for(inference, found[1], argument, every))
    given = _given_for(inference, found[1], argument, list(islice(calls_beside(inference, symbol), MOST_CALLS)))
    return bool(given) and all(is_only(value, Literal, Other) for _, value in given)


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
    owners = _built_by(inference, scope) if arguments else ()
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
    around, owners = function_around(scope), _built_by(inference, scope)
    if around is None or not isinstance(around.node, _FUNCTIONS) or depth > _DEEPEST:
        return False
    for owner in owners:
        arguments = ConstructorArguments(inference, owner)
        name = arguments.named_by(around.node, given)
        defaults = {} if arguments.function is None else dict(arguments_with_defaults(arguments.function))
        optional = {one.arg for one, default in defaults.items() if is_none(default)}
        if name not in optional or not is_left_out(inference, owner, name, depth + 1):
            return False
    return bool(owners)


def _may_be_tensor(expression: ast.expr | None) -> bool:
    if isinstance(expression, ast.Constant):
        return is_none(expression)
    return not isinstance(expression, _NO_TENSORS)


def _given(inference: Inference, scope: Scope, call: ast.Call, *, shows_all: bool = False) -> list[Arguments]:
    """The values that a call passes, once for each time that it is reached.

    What a function passes on, and what an nn.Module passes in its methods, is data of one run: the object that gets it
    ends with the run. In scripts and tests (``shows_all``) what a function passes on shows what may be given.
    """
    function = function_around(scope)
    if function is None:
        return _passed_by(inference, scope, call)
    owner = maker(function)
    if owner is not None:
        built = (_followed_as_called(inference, one) for one in concrete_classes(inference, owner))
        seen = [given for one in built if one is not None for given in one.passed.get(call, ())]
        if seen or inference.hierarchy.membership(owner).verdict is Verdict.YES:
            return seen
    seen = _passed_in(inference, function).get(call, [])
    return [] if not shows_all and any(map(_is_passed_on, seen)) else seen


def _passed_by(inference: Inference, scope: Scope, call: ast.Call) -> list[Arguments]:
    """What a call outside of functions passes."""
    frame = Frame(inference, scope)
    passed = frame.passed = {}
    with suppress(TooLarge):
        frame.evaluate(call, State())
    return passed.get(call, [])


def _passed_in(inference: Inference, function: Scope) -> PassedArguments:
    """What the calls of classes in a function pass, whoever calls it; nothing while that is found out further up."""
    found = inference.memo.found_once(inference.passed, function, "passed", lambda: _run_for_calls(inference, function))
    return {} if found is None else found


def _run_for_calls(inference: Inference, function: Scope) -> PassedArguments:
    frame = Frame(inference, function)
    passed = frame.passed = {}
    with suppress(TooLarge):
        run_body(frame, FunctionValue(function), ANY_ARGUMENTS, State())
    return passed


def _is_in_use(inference: Inference, scope: Scope) -> bool:
    """Whether code runs while an nn.Module is used, so that an object that it makes serves one run."""
    function = function_around(scope)
    owner = None if function is None else maker(function)
    if owner is None or _built_by(inference, scope):
        return False
    return inference.hierarchy.membership(owner).verdict is Verdict.YES


def _is_passed_on(arguments: Arguments) -> bool:
    return any(tensor.argument for value in arguments.every() for tensor in tensors(value))


def _value(function: FunctionNode, name: str, given: list[Arguments]) -> Value:
    """What an argument is at a call, None where it is left out."""
    if not given or any(one.starred for one in given):
        return UNKNOWN
    names = positional_names(function)
    if name not in names:
        return join(one.keyword(name) or NONE for one in given)
    return join(one.argument(names.index(name), name) or NONE for one in given)
