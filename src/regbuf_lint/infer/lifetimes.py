"""Which objects make the objects of a class, and when: while they are built, or while they are used."""

from __future__ import annotations

import ast
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import BUILDERS
from regbuf_lint.classes.moves import moves_parts
from regbuf_lint.classes.short_lived import ends_with, lets_go
from regbuf_lint.classes.uses import MOVERS
from regbuf_lint.index.known_classes import Verdict, torch_class
from regbuf_lint.index.scopes import FUNCTIONS
from regbuf_lint.index.symbols import ClassSymbol, External, FunctionSymbol
from regbuf_lint.infer.construction import construct
from regbuf_lint.infer.makers import (
    MOST_CALLS,
    callers_of,
    calls,
    concrete_classes,
    function_around,
    maker,
    method_around,
)
from regbuf_lint.infer.serving_tests import is_in_test, is_name_of_test
from regbuf_lint.infer.subclasses import MOST_LOOKED_AT, subclasses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.index.symbols import Symbol
    from regbuf_lint.infer.inference import Inference

_BUILT_IN = "builtins."
_SETTING = "builtins.setattr"
_MOVING_OR_SAVING = MOVERS | {"state_dict", "load_state_dict", "share_memory", "to_empty"}
_DEEPEST = 3
"""Functions through which it is asked who calls the next."""


def is_made_by_forward(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether the package makes objects of a class in some ``forward`` alone, so that they end with it.

    So do those that any other method of an nn.Module makes for itself. Those of tests say nothing.

    Those that methods of the class itself make of an object, such as copies, end with it too. A function that makes
    one counts where some ``forward`` alone calls it, and so does a method that keeps nothing.
    """
    return inference.made_by_forward.found(symbol, partial(_find_made_by_forward, inference))


def _find_made_by_forward(inference: Inference, symbol: ClassSymbol) -> bool:
    every = islice(calls(inference, symbol), MOST_CALLS)
    found = [(function_around(scope), scope, call) for scope, call in every if not is_in_test(inference, scope)]
    others = [one for one in found if one[0] is None or maker(one[0]) not in inference.classes(symbol)]
    return bool(others) and all(_serves_forward(inference, one[0]) or _ends_there(inference, *one) for one in others)


def is_left_where_made(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether all functions of a package that make objects of a class use them up, and never move or save one.

    Code of tests says nothing, nor does that of the class itself, nor what stands below it to try it.
    """
    return inference.left_where_made.found(symbol, partial(_find_left_where_made, inference))


def _find_left_where_made(inference: Inference, symbol: ClassSymbol) -> bool:
    every = [(function_around(scope), scope, call) for scope, call in islice(calls(inference, symbol), MOST_CALLS)]
    others = [one for one in every if not _is_trial(inference, symbol, one[0], one[1])]
    return bool(others) and len(every) < MOST_CALLS and all(_is_left(inference, *one) for one in others)


def _is_trial(inference: Inference, symbol: ClassSymbol, function: Scope | None, scope: Scope) -> bool:
    """Whether code that makes an object of a class shows nothing of how others use such objects."""
    if function is None:
        return scope.file is symbol.scope.file
    name = getattr(function.node, "name", "").lstrip("_")
    return is_in_test(inference, scope) or is_name_of_test(name) or maker(function) in inference.classes(symbol)


def _is_left(inference: Inference, function: Scope | None, scope: Scope, call: ast.Call) -> bool:
    node = scope.file.tree if function is None else function.node
    if not isinstance(node, (ast.Module, *FUNCTIONS)) or built_by(inference, scope):
        return False
    return ends_with(node, call, partial(_keeps, inference, scope, but=_MOVING_OR_SAVING), _MOVING_OR_SAVING)


def _ends_there(inference: Inference, function: Scope | None, scope: Scope, call: ast.Call) -> bool:
    """Whether a method of an nn.Module makes an object while it is used, and lets go of it when it ends."""
    if function is None or not isinstance(function.node, FUNCTIONS) or not is_in_use(inference, scope):
        return False
    return ends_with(function.node, call, partial(_keeps, inference, scope))


def _keeps(
    inference: Inference,
    scope: Scope,
    call: ast.Call,
    given: ast.expr,
    depth: int = 0,
    but: frozenset[str] = frozenset(),
) -> bool:
    """Whether what a call runs may keep what it is given: a class, whose objects do, or a function that stores it.

    Where there are methods that nobody must call of it (``but``), so may what is not known, which may call one.
    """

    def keeps(called: Symbol) -> bool:
        if isinstance(called, External):
            is_kept = called.name == _SETTING or torch_class(called.name) is not None
            return is_kept or (bool(but) and not called.name.startswith(_BUILT_IN))
        if isinstance(called, FunctionSymbol) and isinstance(called.scope.node, FUNCTIONS):
            further = partial(_keeps, inference, called.scope, depth=depth + 1, but=but)
            return depth > _DEEPEST or not lets_go(called.scope.node, call, given, further, but)
        return bool(but) or isinstance(called, ClassSymbol)

    return any(map(keeps, inference.project.resolve(scope, call.func)))


def _serves_forward(inference: Inference, function: Scope | None, depth: int = 0) -> bool:
    """Whether a function is some ``forward``, or one that nothing else calls: in its package, or in its class."""
    if function is None or not isinstance(function.node, FUNCTIONS) or function.node.name == "forward":
        return function is not None
    if depth > _DEEPEST:
        return False
    if function.parent is function.file.scope:
        callers = callers_of(inference, function, function.node.name)
    else:
        callers = _users(inference, function)
    return bool(callers) and all(_serves_forward(inference, one, depth + 1) for one in callers)


def _users(inference: Inference, method: Scope) -> list[Scope | None]:
    """The methods of a class that use one of its methods; none where that is no method, or keeps something."""
    owner = maker(method)
    if owner is None or method_around(method) is not method:
        return []
    name = getattr(method.node, "name", "")
    uses = inference.object_uses(owner)
    if any(name in keeping for keeping in uses.stored.values()):
        return []
    found = [inference.find_method(owner, user) for user in sorted(uses.read.get(name, ()))]
    return [None if one is None else one[0].scope.child(one[1]) for one in found]


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
        yield from ((owner, call) for owner in built_by(inference, scope))


def _calls_mover(inference: Inference, owner: ClassSymbol, made: ast.Call, movers: frozenset[str]) -> bool:
    """Whether a class somewhere calls a mover of what a call makes."""
    methods = [one for base in inference.classes(owner) for one in inference.definition(base).methods.values()]
    return any(moves_parts(one, made, movers) for one in methods)


def _has_method(inference: Inference, symbol: ClassSymbol, names: frozenset[str]) -> bool:
    return any(not names.isdisjoint(inference.definition(base).methods) for base in inference.classes(symbol))


def built_by(inference: Inference, scope: Scope) -> tuple[ClassSymbol, ...]:
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


def is_in_use(inference: Inference, scope: Scope) -> bool:
    """Whether code runs while an nn.Module is used, so that an object that it makes serves one run."""
    function = function_around(scope)
    owner = None if function is None else maker(function)
    if owner is None or built_by(inference, scope):
        return False
    return inference.hierarchy.membership(owner).verdict is Verdict.YES
