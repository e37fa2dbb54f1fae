"""Which methods and functions a fix may have changed the meaning of, and the ways in which they can be used."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.worker.importing import import_file, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import nn

    from regbuf_lint.verify.worker.subject import Subject

    Use = Callable[[nn.Module, Any], Any]

_RUN_BY_PYTHON = frozenset(
    {
        *("__init__", "__new__", "__del__", "__init_subclass__", "__class_getitem__", "__setattr__", "__delattr__"),
        *("__getattr__", "__getattribute__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"),
        *("__copy__", "__deepcopy__", "__call__", "__repr__", "__hash__", "__eq__"),
    }
)
"""Methods that other uses of an object run."""
_OF_MODULES = frozenset({"zero_grad", "requires_grad_"})
"""Methods of nn.Module that no other check calls."""
_POSITIONAL = frozenset({inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD})
_MOST_DRAWN = 100
_ALL = frozenset({"vars", "__dict__"})
"""What names all plain attributes at once."""
_WALKING = frozenset({"buffers", "named_buffers", "state_dict"})
"""What gives all buffers at once."""


class Reason(Enum):
    """Why a method or function is used."""

    CHANGED = "the fix changes it"
    SPEAKS = "it speaks of what was plain"
    WALKS = "it goes through all buffers"


@dataclass(frozen=True)
class MethodUse:
    """One way in which a method can be used.

    Attributes:
        path: what is said of it.
        way: the way to the object that has the method.
        use: uses it, given that object and arguments.
        arguments: makes the arguments.
        reason: why it is used.
    """

    path: str
    way: str
    use: Use
    arguments: Callable[[], Any]
    reason: Reason


def uses_of(subject: Subject) -> Iterator[MethodUse]:
    """Yield uses of methods that are changed, speak of plain tensors or go through buffers, and of such functions."""
    for way, name, value, reason in _methods(subject):
        for said, arguments, use in _ways_to_use(subject, name, value, is_changed=reason is Reason.CHANGED):
            yield MethodUse(f"{way}.{said}" if way else said, way, use, arguments, reason)
    for name, function, needed in _walking_functions(subject):
        for said, given in (("the module", _itself), ("a list of it", _listed)):
            use = partial(_with_modules, function, needed, given)
            yield MethodUse(f"{name}({said})", "", use, tuple, Reason.WALKS)


def _methods(subject: Subject) -> Iterator[tuple[str, str, Any, Reason]]:
    """Yield the way to an object, the name of a method or property, what the class has, and why it is used.

    Of what is not changed, the first object of each class is enough.
    """
    changed = {
        place.removesuffix(".setter").removesuffix(".deleter")
        for place, (*_, is_changed) in subject.functions.items()
        if is_changed
    }
    known = set()
    for way, owner in subject.module.named_modules():
        own = {(kind, name): value for kind in type(owner).__mro__ for name, value in _own(subject, kind)}
        reasons = dict.fromkeys(_speaking(own, set(_WALKING)), Reason.WALKS)
        about = {place.rpartition(".")[2] for place in subject.places} | _ALL
        reasons |= dict.fromkeys(_speaking(own, about), Reason.SPEAKS)
        for (kind, name), value in own.items():
            is_changed = f"{place_of(kind)}.{name}" in changed and name != "forward"
            reason = Reason.CHANGED if is_changed else reasons.get(name)
            is_new = is_changed or (type(owner), kind, name) not in known
            if reason is not None and is_new and name not in _RUN_BY_PYTHON:
                known.add((type(owner), kind, name))
                yield way, name, value, reason


def _walking_functions(subject: Subject) -> Iterator[tuple[str, Any, int]]:
    """Yield functions of the changed files, outside of classes, that go through the buffers of what they are given.

    With each comes how many arguments it needs; one that needs none, as ``main`` does, is not called.
    """
    from regbuf_lint.verify.structure import names_in  # noqa: PLC0415  imports torch

    for file in subject.files:
        module = import_file(file)
        for name, value in vars(module).items():
            functions = _functions(value) if inspect.isfunction(value) else ()
            own = [one for one in functions if one.__module__ == module.__name__]
            if any(not _WALKING.isdisjoint(names_in(one.__code__)) for one in own):
                parameters = inspect.signature(value).parameters.values()
                needed = sum(one.default is one.empty and one.kind in _POSITIONAL for one in parameters)
                if needed:
                    yield name, value, needed


def _with_modules(function: Any, needed: int, given: Callable[[nn.Module], Any], owner: nn.Module, _: Any) -> Any:
    """Call a function with the module in the place of each argument that it needs."""
    return _run_to_end(function(*[given(owner)] * needed))


def _itself(module: nn.Module) -> Any:
    return module


def _listed(module: nn.Module) -> Any:
    return [module]


def _speaking(own: dict[tuple[type, str], Any], about: set[str]) -> set[str]:
    """Return the names of methods that speak of some attributes, or of methods that do."""
    from torch import nn  # noqa: PLC0415

    from regbuf_lint.verify.structure import names_in  # noqa: PLC0415  imports torch

    names: dict[str, set[str]] = {}
    for (_, name), value in own.items():
        names.setdefault(name, set()).update(*(names_in(one.__code__) for one in _functions(value)))
    found: set[str] = set()
    while more := {name for name, spoken in names.items() if spoken & (about | found)} - found:
        found |= more
    return {name for name in found if name in _OF_MODULES or not hasattr(nn.Module, name)}


def _own(subject: Subject, kind: type) -> list[tuple[str, Any]]:
    """Return the methods and properties of a class of the changed files."""
    is_own = place_of(kind).partition("::")[0] in subject.files
    return [(name, value) for name, value in vars(kind).items() if is_own and _functions(value)]


def _functions(value: Any) -> list[Any]:
    """Return the functions of a method or property, without what decorators have put around them."""
    is_property = isinstance(value, property)
    inner = getattr(value, "__func__", getattr(value, "func", value))  # of what is cached, too
    found = (value.fget, value.fset, value.fdel) if is_property else (inner,)
    return [one for one in map(inspect.unwrap, filter(None, found)) if inspect.isfunction(one)]


def _ways_to_use(
    subject: Subject, name: str, value: Any, *, is_changed: bool
) -> Iterator[tuple[str, Callable[[], Any], Use]]:
    """Yield the ways in which a method can be used: what is said of it, what makes arguments, and the use of these.

    One that is changed is also given other values for what may be left out.
    """
    if isinstance(value, property):
        yield name, tuple, lambda owner, _: getattr(owner, name)
        if value.fset:
            yield f"assigning {name}", tuple, lambda owner, _: setattr(owner, name, _copied(getattr(owner, name)))
        if value.fdel:
            yield f"deleting {name}", tuple, lambda owner, _: delattr(owner, name)
    else:
        others = list(_other_values(value)) if is_changed else []
        for said, arguments in _arguments(subject, value):
            for more in ({}, *others):
                shown = [said, *(f"{one}={given!r}" for one, given in more.items())]
                yield f"{name}({', '.join(filter(None, shown))})", arguments, partial(_call, name, more)


def _arguments(subject: Subject, value: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield arguments for a method: none, or else the inputs, and the first of them in the place of all."""
    needed = [one for one in inspect.signature(_functions(value)[0]).parameters.values() if one.default is one.empty]
    needed = [one for one in needed if one.kind not in {one.VAR_POSITIONAL, one.VAR_KEYWORD}]
    missing = len(needed) - (not isinstance(value, staticmethod))
    if missing <= 0:
        yield "", tuple
    else:
        yield "the inputs", subject.given
        yield "the first input", lambda: subject.inputs()[:1] * missing


def _other_values(value: Any) -> Iterator[dict[str, Any]]:
    """Yield other values of arguments that a method has a default for, one at a time."""
    from regbuf_lint.verify.worker.other_arguments import other_values  # noqa: PLC0415  imports torch

    for one in inspect.signature(_functions(value)[0]).parameters.values():
        if one.default is not one.empty:
            yield from ({other.name: other.value} for other in other_values(one.name, one.default, {}))


def _call(name: str, more: dict[str, Any], owner: nn.Module, arguments: Any) -> Any:
    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch

    function = getattr(owner, name)
    return _run_to_end(called(partial(function, **more), arguments)) if callable(function) else function


def _run_to_end(result: Any) -> Any:
    """Return what a coroutine gives, or the first of what a generator does; enter and leave a context manager."""
    if inspect.iscoroutine(result):
        return asyncio.run(result)
    if inspect.isgenerator(result):
        return list(islice(result, _MOST_DRAWN))
    if isinstance(result, AbstractContextManager):
        with result as entered:
            return entered
    return result


def _copied(value: Any) -> Any:
    from regbuf_lint.verify.worker.values import replaced  # noqa: PLC0415  imports torch

    return replaced(value, lambda tensor: tensor.detach().clone())
