"""What the callers of a class in its own package give for arguments that have no annotation."""

from __future__ import annotations

import ast
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import (
    BUILDERS,
    arguments_with_defaults,
    decorator_names,
    given_expressions,
    is_none,
    positional_names,
    receiver_name,
)
from regbuf_lint.classes.moves import moves_parts
from regbuf_lint.index.calls import calls_of
from regbuf_lint.index.exports import is_exported
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.index.symbols import ClassSymbol, FunctionSymbol
from regbuf_lint.infer.annotations import annotated
from regbuf_lint.infer.arguments import ANY_ARGUMENTS, Arguments
from regbuf_lint.infer.construction import follow
from regbuf_lint.infer.docstrings import says_tensor
from regbuf_lint.infer.frame import Frame, TooLarge
from regbuf_lint.infer.functions import run_body
from regbuf_lint.infer.loss_weights import weights_of_losses
from regbuf_lint.infer.open_arguments import open_arguments
from regbuf_lint.infer.references import FunctionValue
from regbuf_lint.infer.state import State
from regbuf_lint.infer.subclasses import MOST_LOOKED_AT, subclasses
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

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.infer.inference import Inference

MOST_CALLS = 12
"""Calls that are looked at for the sake of one class."""
_DEEPEST = 3
"""Constructors through which an argument is followed that each hands on to the next."""
_TENSOR: Value = frozenset({Tensor()})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_TENSORS = (ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Lambda, ast.ListComp, ast.DictComp)


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
    definition = inference.definition(symbol)
    names = open_arguments(definition, lambda annotation: annotated(inference, symbol.scope, annotation))
    if not names:
        return ANY_ARGUMENTS
    function = definition.methods["__init__"]
    inside, names = _looked_at(function, names, _calls(inference, symbol))
    calls, names = (inside, names) if inside else _looked_at(function, names, _calls_beside(inference, symbol))
    if not names:
        return ANY_ARGUMENTS
    in_use = any(_is_in_use(inference, scope) for scope, _ in inside)
    stated = frozenset[str]() if in_use else _stated(inference, symbol, function, names)
    if not calls or any(True for _ in subclasses(inference, symbol)):
        values = dict.fromkeys(stated, UNKNOWN)
    else:
        given = (_given(inference, scope, call, shows_all=not inside) for scope, call in calls)
        values = _agreed(function, given, names, stated)
    known = {name: _TENSOR if name in stated and may_be(value, Unknown) else value for name, value in values.items()}
    found = {name: held(value, argument=name) for name, value in known.items() if is_tensor(value)}
    return Arguments(keywords=found, starred=True) if found else ANY_ARGUMENTS


def _looked_at(
    function: FunctionNode, names: frozenset[str], calls: Iterator[tuple[Scope, ast.Call]]
) -> tuple[list[tuple[Scope, ast.Call]], frozenset[str]]:
    """Some calls of a class, and which arguments may be tensors in each; no argument where there are too many calls."""
    found: list[tuple[Scope, ast.Call]] = []
    for scope, call in calls:
        written = given_expressions(function, call)
        names = frozenset(name for name in names if _may_be_tensor(written.get(name)))
        found.append((scope, call))
        if not names or len(found) > MOST_CALLS:
            return found, frozenset()
    return found, names


def _stated(inference: Inference, symbol: ClassSymbol, function: FunctionNode, names: frozenset[str]) -> frozenset[str]:
    """Those of some arguments that a loss takes as weights, or that have no annotation and a docstring says it."""
    scope = symbol.scope.child(function)
    bare = (one.arg for one, _ in arguments_with_defaults(function) if one.annotation is None and one.arg in names)
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


def _calls(inference: Inference, symbol: ClassSymbol) -> Iterator[tuple[Scope, ast.Call]]:
    """The calls of a class in its package, ``cls(...)`` of its own among them, with the scope that each stands in."""
    name = symbol.scope.qualname.rpartition(".")[2]
    yield from _calls_in(inference, symbol, name, inference.project.files_calling(symbol.scope.file, name))
    for function in inference.definition(symbol).methods.values():
        own = receiver_name(function)
        if own is not None and "classmethod" in decorator_names(function):
            scope = symbol.scope.child(function)
            yield from ((inner, call) for inner, call in calls_of(symbol.scope.file, own) if inner is scope)


def _calls_beside(inference: Inference, symbol: ClassSymbol) -> Iterator[tuple[Scope, ast.Call]]:
    """The calls of a class outside its package: in scripts, examples and tests of its project."""
    name = symbol.scope.qualname.rpartition(".")[2]
    return _calls_in(inference, symbol, name, inference.project.files_beside_calling(symbol.scope.file, name))


def _calls_in(
    inference: Inference, symbol: ClassSymbol | FunctionSymbol, name: str, files: Iterator[FileFacts]
) -> Iterator[tuple[Scope, ast.Call]]:
    for file in files:
        for scope, call in calls_of(file, name):
            if symbol in inference.project.resolve(scope, call.func) or _is_nested(inference, symbol, scope, call.func):
                yield scope, call


def _all_calls(inference: Inference, symbol: ClassSymbol) -> list[tuple[Scope, ast.Call]]:
    """The calls of a class, or none of them where they are too many to look at."""
    calls = list(islice(_calls(inference, symbol), MOST_CALLS + 1))
    return calls if len(calls) <= MOST_CALLS else []


def _is_nested(inference: Inference, symbol: ClassSymbol | FunctionSymbol, scope: Scope, callee: ast.expr) -> bool:
    """Whether ``self.Inner`` is meant, in a method of the class whose body holds the class, or of one below it."""
    around, function = symbol.scope.parent, _function_around(scope)
    if around is None or not isinstance(around.node, ast.ClassDef) or function is None or function.parent is None:
        return False
    owner = function.parent
    if not isinstance(owner.node, ast.ClassDef) or not isinstance(callee, ast.Attribute):
        return False
    name = receiver_name(function.node) if isinstance(function.node, _FUNCTIONS) else None
    is_own = isinstance(callee.value, ast.Name) and callee.value.id == name
    return is_own and ClassSymbol(around) in inference.classes(ClassSymbol(owner))


def _function_around(scope: Scope) -> Scope | None:
    """The function in which code of a scope stands, lambdas left aside; None where it is no function's."""
    around: Scope | None = scope
    while around is not None and isinstance(around.node, ast.Lambda):
        around = around.parent
    return around if around is not None and isinstance(around.node, _FUNCTIONS) else None


def is_made_by_forward(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether the package makes objects of a class in some ``forward`` alone, so that they end with it.

    Those that methods of the class itself make of an object, such as copies, end with it too. A function that makes
    one counts where some ``forward`` alone calls it.
    """
    functions = [_function_around(scope) for scope, _ in islice(_calls(inference, symbol), MOST_CALLS)]
    others = [one for one in functions if one is None or _maker(one) != symbol]
    return bool(others) and all(_serves_forward(inference, one) for one in others)


def _serves_forward(inference: Inference, function: Scope | None, depth: int = 0) -> bool:
    """Whether a function is some ``forward``, or one outside of classes that nothing else in its package calls."""
    if function is None or not isinstance(function.node, _FUNCTIONS) or function.node.name == "forward":
        return function is not None
    if function.parent is not function.file.scope or depth > _DEEPEST:
        return False
    name, symbol = function.node.name, FunctionSymbol(function)
    files = inference.project.files_calling(function.file, name)
    calls = islice(_calls_in(inference, symbol, name, files), MOST_CALLS)
    callers = [_function_around(scope) for scope, _ in calls]
    return bool(callers) and all(_serves_forward(inference, one, depth + 1) for one in callers)


def is_part_of_another(inference: Inference, symbol: ClassSymbol, movers: frozenset[str]) -> bool:
    """Whether an nn.Module of the package makes an object of a class, or of a subclass, while it is built itself.

    Moved, it moves its parts by their ``_apply``, without calling any of ``movers`` (torch 2.13), unless it has one of
    these itself, or calls one of some part.
    """
    return any(
        not _calls_mover(inference, maker, call, movers) and not _has_method(inference, maker, movers)
        for maker, call in _owners(inference, symbol)
    )


def is_moved_as_part(inference: Inference, symbol: ClassSymbol, movers: frozenset[str]) -> bool:
    """Whether an nn.Module that makes an object of a class, or of a subclass, calls one of ``movers`` of some part."""
    return any(_calls_mover(inference, maker, call, movers) for maker, call in _owners(inference, symbol))


def _owners(inference: Inference, symbol: ClassSymbol) -> Iterator[tuple[ClassSymbol, ast.Call]]:
    """The nn.Module classes of the package that make an object of a class, or of a subclass, while they are built."""
    every = (symbol, *islice(subclasses(inference, symbol), MOST_LOOKED_AT))
    for scope, call in (pair for one in every for pair in islice(_calls(inference, one), MOST_CALLS)):
        maker = _building(scope)
        if maker is not None and inference.hierarchy.membership(maker).verdict is Verdict.YES:
            yield maker, call


def _calls_mover(inference: Inference, owner: ClassSymbol, made: ast.Call, movers: frozenset[str]) -> bool:
    """Whether a class somewhere calls a mover of what a call makes."""
    methods = [one for base in inference.classes(owner) for one in inference.definition(base).methods.values()]
    return any(moves_parts(one, made, movers) for one in methods)


def _has_method(inference: Inference, symbol: ClassSymbol, names: frozenset[str]) -> bool:
    return any(not names.isdisjoint(inference.definition(base).methods) for base in inference.classes(symbol))


def _building(scope: Scope) -> ClassSymbol | None:
    """The class in whose ``__init__`` code of a scope stands; None where it stands elsewhere."""
    function = _function_around(scope)
    method = None if function is None else _method_around(function)
    return None if method is None or getattr(method.node, "name", "") not in BUILDERS else _maker(method)


def is_given_parameters(inference: Inference, symbol: ClassSymbol, argument: str, depth: int = 0) -> bool:
    """Whether all who give an argument of a class's constructor, in its package, give Parameters.

    A Parameter is a tensor, so that the argument's annotation does not tell. One of the maker's own constructor
    arguments, passed on, counts as a Parameter where it is that in its turn. Where what the package gives is not known,
    scripts and tests beside it tell.
    """
    function = inference.definition(symbol).methods.get("__init__")
    calls = _all_calls(inference, symbol)
    if function is None or not calls:
        return False
    given = _given_for(inference, function, argument, calls)
    if given and all(is_only(value, Unknown, NoneValue) and not _is_telling(value) for _, value in given):
        given = _given_for(inference, function, argument, list(islice(_calls_beside(inference, symbol), MOST_CALLS)))
    return bool(given) and all(_is_parameter_there(inference, scope, value, depth) for scope, value in given)


def _given_for(
    inference: Inference, function: FunctionNode, argument: str, calls: list[tuple[Scope, ast.Call]]
) -> list[tuple[Scope, Value]]:
    """What those of some calls give for an argument that give something, with the scope that each stands in."""
    values = ((scope, _value(function, argument, _given(inference, scope, call))) for scope, call in calls)
    return [(scope, value) for scope, value in values if not value <= NONE]


def is_given_numbers(inference: Inference, symbol: ClassSymbol, argument: str) -> bool:
    """Whether some call of a class in its package gives a number, an array or the like for an argument.

    Where nobody in the package calls it, all scripts and tests beside it have to.
    """
    function = inference.definition(symbol).methods.get("__init__")
    calls = list(islice(_calls(inference, symbol), MOST_CALLS))
    if function is None:
        return False
    if calls:
        return any(is_only(value, Literal, Other) for _, value in _given_for(inference, function, argument, calls))
    given = _given_for(inference, function, argument, list(islice(_calls_beside(inference, symbol), MOST_CALLS)))
    return bool(given) and all(is_only(value, Literal, Other) for _, value in given)


def value_without(inference: Inference, symbol: ClassSymbol, argument: str, attribute: str) -> Value:
    """What an attribute of an object is that is built with an argument which is no tensor."""
    made = follow(inference, symbol, Arguments(keywords={argument: OTHER}, starred=True))
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
    maker = _building(scope)
    return (is_one or bool(arguments)) and all(
        maker is not None and depth <= _DEEPEST and is_given_parameters(inference, maker, name, depth + 1)
        for name in arguments
    )


def is_left_out(inference: Inference, symbol: ClassSymbol, argument: str, depth: int = 0) -> bool:
    """Whether all who make objects of a class in its package leave an argument of its constructor out.

    One of the maker's own constructor arguments, passed on, counts as left out where it is that in its turn. Of a class
    that a package offers to others, or that others derive from, nobody knows them all.
    """
    function = inference.definition(symbol).methods.get("__init__")
    calls = _all_calls(inference, symbol)
    if function is None or not calls:
        return False
    if is_exported(inference.project, symbol) or any(True for _ in subclasses(inference, symbol)):
        return False
    for scope, call in calls:
        if any(one.arg is None for one in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args):
            return False
        given = given_expressions(function, call).get(argument)
        if given is not None and not is_none(given) and not _is_left_out_there(inference, scope, given, depth):
            return False
    return True


def _is_left_out_there(inference: Inference, scope: Scope, given: ast.expr, depth: int) -> bool:
    """Whether an expression is an argument of the constructor around it that is None by default and never given."""
    around = _function_around(scope)
    owner = None if around is None else around.parent
    if around is None or owner is None or not isinstance(owner.node, ast.ClassDef) or depth > _DEEPEST:
        return False
    function = around.node
    if not isinstance(function, _FUNCTIONS) or function.name != "__init__" or not isinstance(given, ast.Name):
        return False
    optional = {one.arg for one, default in arguments_with_defaults(function) if is_none(default)}
    return given.id in optional and is_left_out(inference, ClassSymbol(owner), given.id, depth + 1)


def _may_be_tensor(expression: ast.expr | None) -> bool:
    if isinstance(expression, ast.Constant):
        return is_none(expression)
    return not isinstance(expression, _NO_TENSORS)


def _given(inference: Inference, scope: Scope, call: ast.Call, *, shows_all: bool = False) -> list[Arguments]:
    """The values that a call passes, once for each time that it is reached.

    What a function passes on, and what an nn.Module passes in its methods, is data of one run: the object that gets it
    ends with the run. In scripts and tests (``shows_all``) what a function passes on shows what may be given.
    """
    function = _function_around(scope)
    with inference.watching(call) as seen, suppress(TooLarge):
        if function is None:
            Frame(inference, scope).evaluate(call, State())
            return seen
        maker = _maker(function)
        if maker is not None:
            follow(inference, maker, arguments_from_callers(inference, maker))
            if seen or inference.hierarchy.membership(maker).verdict is Verdict.YES:
                return seen
        run_body(Frame(inference, function), FunctionValue(function), ANY_ARGUMENTS, State())
    return [] if not shows_all and any(map(_is_passed_on, seen)) else seen


def _method_around(function: Scope) -> Scope | None:
    """The method that a function is, or that it stands in."""
    around: Scope | None = function
    while around is not None and isinstance(around.node, _FUNCTIONS):
        if around.parent is not None and isinstance(around.parent.node, ast.ClassDef):
            return around
        around = around.parent
    return None


def _maker(function: Scope) -> ClassSymbol | None:
    """The class of the object in whose method a function stands; None for other functions, class methods among them."""
    method = _method_around(function)
    if method is None or method.parent is None or not isinstance(method.node, _FUNCTIONS):
        return None
    return None if "classmethod" in decorator_names(method.node) else ClassSymbol(method.parent)


def _is_in_use(inference: Inference, scope: Scope) -> bool:
    """Whether code runs while an nn.Module is used, so that an object that it makes serves one run."""
    function = _function_around(scope)
    maker = None if function is None else _maker(function)
    if maker is None or _building(scope) is not None:
        return False
    return inference.hierarchy.membership(maker).verdict is Verdict.YES


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
