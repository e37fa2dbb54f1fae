"""Who makes objects of a class, and of which classes the objects are that run its methods."""

from __future__ import annotations

import ast
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import decorator_names, is_abstract, receiver_name, takes_object
from regbuf_lint.index.calls import calls_of, is_used_as_value
from regbuf_lint.index.exports import is_exported
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.index.scopes import FUNCTIONS
from regbuf_lint.index.symbols import ClassSymbol, FunctionSymbol, own_name
from regbuf_lint.infer.subclasses import MOST_LOOKED_AT, subclasses, subclasses_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.infer.inference import Inference

MOST_SUBCLASSES = 8
"""Subclasses whose construction is followed for the sake of one class; a framework's base may have a thousand."""
MOST_CALLS = 12
"""Calls that are looked at for the sake of one class."""


def concrete_classes(inference: Inference, symbol: ClassSymbol) -> tuple[ClassSymbol, ...]:
    """The classes of which objects are that a class builds, nn.Module classes if there are any: mostly itself.

    Where nobody at hand makes objects of it, it is the classes that inherit from it, but for those that, in their turn,
    nobody makes objects of and others inherit from.
    """
    return inference.concrete.found(symbol, partial(_concrete, inference))


def _concrete(inference: Inference, symbol: ClassSymbol) -> tuple[ClassSymbol, ...]:
    if not _may_be_derived_from(inference, symbol) or is_made(inference, symbol):
        return (symbol,)
    below = list(islice(subclasses(inference, symbol), MOST_LOOKED_AT + 1))
    some = [one for one in below if inference.hierarchy.membership(one).verdict is Verdict.YES] or below
    bases = {base for one in some for base in inference.hierarchy.bases(one)[0]}
    found = tuple(one for one in some if one not in bases or is_made(inference, one))
    return found if found and len(found) <= MOST_SUBCLASSES and len(below) <= MOST_LOOKED_AT else (symbol,)


def is_stood_for(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether objects of an nn.Module class are made at hand, and as ones of its subclasses alone."""
    if inference.hierarchy.membership(symbol).verdict is not Verdict.YES:
        return False
    found = concrete_classes(inference, symbol)
    return found != (symbol,) and (
        builds_abstractly(inference, symbol) or any(is_made(inference, one) for one in found)
    )


def builds_abstractly(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether the construction of a class runs methods that only its subclasses have."""
    methods = inference.definition(symbol).methods
    abstract = frozenset(name for name, function in methods.items() if is_abstract(function))
    construction = inference.constructor(inference, symbol) if abstract else None
    return construction is not None and not abstract.isdisjoint(construction.called)


def _may_be_derived_from(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether some class may inherit from a class, as far as can be told without reading other files."""
    file = symbol.scope.file
    return bool(subclasses_in(inference, symbol, file)) or inference.project.is_derived_from_elsewhere(
        file, own_name(symbol)
    )


def is_made(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether somebody makes objects of a class itself, for all that is known: who is offered it, or calls it."""
    return inference.made.found(symbol, partial(_is_made, inference))


def _is_made(inference: Inference, symbol: ClassSymbol) -> bool:
    if inference.definition(symbol).decorators or is_used_as_value(symbol.scope.file, own_name(symbol)):
        return True
    return is_made_elsewhere(inference, symbol)


def is_made_elsewhere(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether somebody outside of the file of a class is offered it, or calls it."""
    if is_exported(inference.project, symbol):
        return True
    file, name = symbol.scope.file, own_name(symbol)
    files = (one for one in inference.project.files_calling(file, name) if one is not file)
    beside = inference.project.files_beside_calling(file, name)
    return any(True for some in (files, beside) for _ in _calls_in(inference, symbol, name, some))


def calls(inference: Inference, symbol: ClassSymbol) -> Iterator[tuple[Scope, ast.Call]]:
    """The calls of a class in its package, ``cls(...)`` of its own among them, with the scope that each stands in."""
    name = own_name(symbol)
    yield from _calls_in(inference, symbol, name, inference.project.files_calling(symbol.scope.file, name))
    for owner in inference.classes(symbol):
        for function in inference.definition(owner).methods.values():
            own = receiver_name(function)
            if own is not None and "classmethod" in decorator_names(function):
                scope = owner.scope.child(function)
                yield from ((inner, call) for inner, call in calls_of(owner.scope.file, own) if inner is scope)


def calls_beside(inference: Inference, symbol: ClassSymbol) -> Iterator[tuple[Scope, ast.Call]]:
    """The calls of a class outside its package: in scripts, examples and tests of its project."""
    name = own_name(symbol)
    return _calls_in(inference, symbol, name, inference.project.files_beside_calling(symbol.scope.file, name))


def all_calls(inference: Inference, symbol: ClassSymbol) -> list[tuple[Scope, ast.Call]]:
    """The calls of a class, or none of them where they are too many to look at."""
    found = list(islice(calls(inference, symbol), MOST_CALLS + 1))
    return found if len(found) <= MOST_CALLS else []


def callers_of(inference: Inference, function: Scope, name: str) -> list[Scope | None]:
    """The functions in which a function outside of classes is called in its package; None for code outside of any."""
    files = inference.project.files_calling(function.file, name)
    found = islice(_calls_in(inference, FunctionSymbol(function), name, files), MOST_CALLS)
    return [function_around(scope) for scope, _ in found]


def _calls_in(
    inference: Inference, symbol: ClassSymbol | FunctionSymbol, name: str, files: Iterable[FileFacts]
) -> Iterator[tuple[Scope, ast.Call]]:
    for file in files:
        for scope, call in calls_of(file, name):
            if symbol in inference.project.resolve(scope, call.func) or _is_nested(inference, symbol, scope, call.func):
                yield scope, call


def _is_nested(inference: Inference, symbol: ClassSymbol | FunctionSymbol, scope: Scope, callee: ast.expr) -> bool:
    """Whether ``self.Inner`` is meant, in a method of the class whose body holds the class, or of one below it."""
    around, function = symbol.scope.parent, function_around(scope)
    if around is None or not isinstance(around.node, ast.ClassDef) or function is None or function.parent is None:
        return False
    owner = function.parent
    if not isinstance(owner.node, ast.ClassDef) or not isinstance(callee, ast.Attribute):
        return False
    name = receiver_name(function.node) if isinstance(function.node, FUNCTIONS) else None
    is_own = isinstance(callee.value, ast.Name) and callee.value.id == name
    return is_own and ClassSymbol(around) in inference.classes(ClassSymbol(owner))


def function_around(scope: Scope) -> Scope | None:
    """The function in which code of a scope stands, lambdas left aside; None where it is no function's."""
    around = scope.around_lambdas
    return around if isinstance(around.node, FUNCTIONS) else None


def method_around(function: Scope) -> Scope | None:
    """The method that a function is, or that it stands in."""
    around: Scope | None = function
    while around is not None and isinstance(around.node, FUNCTIONS):
        if around.parent is not None and isinstance(around.parent.node, ast.ClassDef):
            return around
        around = around.parent
    return None


def maker(function: Scope) -> ClassSymbol | None:
    """The class of the object in whose method a function stands; None where no object is at hand."""
    method = method_around(function)
    if method is None or method.parent is None or not isinstance(method.node, FUNCTIONS):
        return None
    return ClassSymbol(method.parent) if takes_object(method.node) else None
