"""What the callers of a class give for arguments of its constructor, those in its own package first."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.classes.definition import (
    arguments_with_defaults,
    given_expressions,
    is_none,
    positional_names,
)
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.index.scopes import FUNCTIONS
from regbuf_lint.infer.arguments import ANY_ARGUMENTS, Arguments
from regbuf_lint.infer.construction import follow, followed
from regbuf_lint.infer.docstrings import says_tensor
from regbuf_lint.infer.frame import Frame, TooLarge
from regbuf_lint.infer.functions import run_body
from regbuf_lint.infer.inference import Followed
from regbuf_lint.infer.lifetimes import is_in_use
from regbuf_lint.infer.loss_weights import weights_of_losses
from regbuf_lint.infer.makers import (
    MOST_CALLS,
    calls,
    calls_beside,
    concrete_classes,
    function_around,
    maker,
    method_around,
)
from regbuf_lint.infer.open_arguments import open_arguments
from regbuf_lint.infer.references import FunctionValue, Instance
from regbuf_lint.infer.state import State
from regbuf_lint.infer.subclasses import subclasses
from regbuf_lint.infer.torch_api import as_plain
from regbuf_lint.model.class_view import Construction
from regbuf_lint.model.value import (
    NONE,
    UNKNOWN,
    Alternative,
    Buffer,
    Location,
    NoneValue,
    Tensor,
    Unknown,
    Value,
    held,
    is_only,
    is_tensor,
    join,
    map_tensors,
    may_be,
    tensors,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.arguments import PassedArguments
    from regbuf_lint.infer.inference import Inference

_TENSOR: Value = frozenset({Tensor()})
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
    stated = stated_to_be_tensors(inference, symbol, owner.scope.child(function), names)
    if stated and any(is_in_use(inference, scope) for scope, _ in inside):
        stated = frozenset()
    if not every or any(True for _ in subclasses(inference, symbol)):
        values = dict.fromkeys(stated, UNKNOWN)
    else:
        names = _told_about(function, names, [call for _, call in every])
        given = ((call, _given(inference, scope, call, shows_all=not inside)) for scope, call in every)
        values = _agreed(function, given, names, stated) if names else {}
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


def _told_about(function: FunctionNode, names: frozenset[str], every: list[ast.Call]) -> frozenset[str]:
    """Those of some arguments that calls may show to be tensors, as far as can be told without following anybody.

    Some call has to give one, or may by ``*values`` or ``**values``.
    """
    written = [given_expressions(function, call) for call in every]
    shown = {name for one in written for name, value in one.items() if not is_none(value)}
    return frozenset(name for name in names if name in shown or any(_is_open(function, name, call) for call in every))


def _is_open(function: FunctionNode, name: str, call: ast.Call) -> bool:
    """Whether a call may give an argument by ``*values`` or ``**values``: only following it tells what they hold."""
    if any(keyword.arg is None for keyword in call.keywords):
        return True
    star = next((place for place, one in enumerate(call.args) if isinstance(one, ast.Starred)), None)
    return star is not None and name in positional_names(function)[star:]


def stated_to_be_tensors(
    inference: Inference, symbol: ClassSymbol, scope: Scope, names: frozenset[str]
) -> frozenset[str]:
    """Those of some arguments that a loss takes as weights, or that have no annotation and a docstring says it."""
    arguments = arguments_with_defaults(scope.node) if isinstance(scope.node, FUNCTIONS) else []
    bare = (one.arg for one, _ in arguments if one.annotation is None and one.arg in names)
    return names & weights_of_losses(inference, symbol) | {name for name in bare if says_tensor(scope, name)}


def _agreed(
    function: FunctionNode,
    calls: Iterable[tuple[ast.Call, list[Arguments]]],
    names: frozenset[str],
    stated: frozenset[str],
) -> dict[str, Value]:
    """What calls give for those of some arguments that are tensors, or None, in each of them.

    Nothing speaks against those that are ``stated`` to be tensors where a call does not tell what it gives.
    """
    values: dict[str, list[Value]] = {name: [] for name in names}
    for call, given in calls:
        values = {
            name: [*before, found]
            for name, before in values.items()
            if (found := _value(function, name, call, given)) <= NONE
            or is_tensor(found)
            or (name in stated and is_only(found, Unknown, Tensor, NoneValue))
        }
        if not values:
            break
    return {name: join(found) for name, found in values.items()}


def given_for(
    inference: Inference, function: FunctionNode, argument: str, every: list[tuple[Scope, ast.Call]]
) -> list[tuple[Scope, Value]]:
    """What those of some calls give for an argument that give something, with the scope that each stands in."""
    some = ((scope, call) for scope, call in every if not _leaves_out(function, argument, call))
    values = ((scope, _value(function, argument, call, _given(inference, scope, call))) for scope, call in some)
    return [(scope, value) for scope, value in values if not value <= NONE]


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
        return [_by_whoever_builds(one) for one in _passed_by(inference, scope, call)]
    owner = maker(function)
    if owner is not None:
        built = (_followed_as_called(inference, one) for one in concrete_classes(inference, owner))
        seen = [given for one in built if one is not None for given in one.passed.get(call, ())]
        if seen or inference.hierarchy.membership(owner).verdict is Verdict.YES:
            return seen
    seen = _passed_in(inference, function).get(call, [])
    return [] if not shows_all and any(map(_is_passed_on, seen)) else list(map(_by_whoever_builds, seen))


def _by_whoever_builds(given: Arguments) -> Arguments:
    """What code outside of nn.Module classes passes: an accelerator that it names is where it moves the object, too."""

    def placed(one: Tensor) -> Tensor:
        return replace(one, location=Location.CHOSEN) if one.location is Location.NAMED else one

    return Arguments(
        tuple(map_tensors(one, placed) for one in given.positional),
        {name: map_tensors(one, placed) for name, one in given.keywords.items()},
        given.starred,
    )


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
        run_body(frame, FunctionValue(function), _whatever_is_given(inference, function), State())
    return passed


def _whatever_is_given(inference: Inference, function: Scope) -> Arguments:
    """Arguments of which nothing is known, but for the object whose method a function is."""
    owner = maker(function) if method_around(function) is function else None
    if owner is None:
        return ANY_ARGUMENTS
    return Arguments((frozenset(map(Instance, concrete_classes(inference, owner))),), starred=True)


def _is_passed_on(arguments: Arguments) -> bool:
    return any(tensor.argument for value in arguments.every() for tensor in tensors(value))


def _value(function: FunctionNode, name: str, call: ast.Call, given: list[Arguments]) -> Value:
    """What an argument is at a call, None where it is left out."""
    if _leaves_out(function, name, call):
        return NONE
    if not given or (any(one.starred for one in given) and name not in given_expressions(function, call)):
        return UNKNOWN
    names = positional_names(function)
    place = names.index(name) if name in names else None
    every = (one.keyword(name) if place is None else one.argument(place, name) for one in given)
    return join(frozenset(map(_as_kept, value)) or NONE for value in every)


def _as_kept(one: Alternative) -> Alternative:
    """What an object keeps of what it is given: a second name of a buffer, which only the buffer's owner moves."""
    return as_plain(one) if isinstance(one, Buffer) else one


def _leaves_out(function: FunctionNode, name: str, call: ast.Call) -> bool:
    """Whether a call gives nothing for an argument, as its text says."""
    return name not in given_expressions(function, call) and not _is_open(function, name, call)
