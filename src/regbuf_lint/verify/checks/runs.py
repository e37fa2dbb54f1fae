"""Running what a fix may have changed: methods, properties and setters, and which functions that reaches."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import sys
import time
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.results import told
from regbuf_lint.verify.worker.importing import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

    _Use = Callable[[nn.Module, Any], Any]

_LONGEST, _LONGEST_OF_ALL = 3, 30
"""Seconds that one use, and all uses of what the fix has not changed, may take."""


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
_MOST_DRAWN = 100
_MODES = ("", " in eval()")
_ALL = frozenset({"vars", "__dict__"})
"""What names all plain attributes at once."""


class TookLongError(BaseException):
    """A method that was called takes too long, as one that serves or trains does."""


def runs(subject: Subject) -> tuple[Facts, set[str]]:
    """Return what the methods give that are changed or speak of plain tensors, and which functions ran.

    Each is used on a module of its own, in all ways in which it can be.
    """
    uses: Facts = {}
    ran = _traced(subject, lambda: subject.call(subject.fresh()))[1]
    shown = _used(subject, "", lambda owner, _: repr(owner), tuple)[0]
    uses["repr()"] = {name: one for name, one in shown.items() if name != "held"}
    end = time.monotonic() + _LONGEST_OF_ALL
    for way, name, value, is_changed in _methods(subject):
        for said, arguments, use in _ways_to_use(subject, name, value):
            for mode in _MODES if is_changed else ("",):
                if is_changed or time.monotonic() < end:
                    path = f"{way}.{said}{mode}" if way else f"{said}{mode}"
                    uses[path], seen = _used(subject, way, use, arguments, is_eval=bool(mode))
                    ran |= seen if "error" not in uses[path] else set()
    return uses, ran


def _methods(subject: Subject) -> Iterator[tuple[str, str, Any, bool]]:
    """Yield the way to an object, the name of a method or property, what the class has, and whether it is changed.

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
        speaking = _speaking(own, {place.rpartition(".")[2] for place in subject.places})
        for (kind, name), value in own.items():
            is_changed = f"{place_of(kind)}.{name}" in changed and name != "forward"
            speaks = name in speaking and (type(owner), kind, name) not in known
            if (is_changed or speaks) and name not in _RUN_BY_PYTHON:
                known.add((type(owner), kind, name))
                yield way, name, value, is_changed


def _speaking(own: dict[tuple[type, str], Any], about: set[str]) -> set[str]:
    """Return the names of methods that speak of some attributes, or of methods that do."""
    from torch import nn  # noqa: PLC0415

    from regbuf_lint.verify.structure import names_in  # noqa: PLC0415  imports torch

    names: dict[str, set[str]] = {}
    for (_, name), value in own.items():
        names.setdefault(name, set()).update(*(names_in(one.__code__) for one in _functions(value)))
    found: set[str] = set()
    about = about | _ALL
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


def _ways_to_use(subject: Subject, name: str, value: Any) -> Iterator[tuple[str, Callable[[], Any], _Use]]:
    """Yield the ways in which a method can be used: what is said of it, what makes arguments, and the use of these."""
    if isinstance(value, property):
        yield name, tuple, lambda owner, _: getattr(owner, name)
        if value.fset:
            yield f"assigning {name}", tuple, lambda owner, _: setattr(owner, name, _copied(getattr(owner, name)))
        if value.fdel:
            yield f"deleting {name}", tuple, lambda owner, _: delattr(owner, name)
    else:
        for said, arguments in _arguments(subject, value):
            yield f"{name}({said})", arguments, partial(_call, name)


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


def _call(name: str, owner: nn.Module, arguments: Any) -> Any:
    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch

    function = getattr(owner, name)
    return _run_to_end(called(function, arguments)) if callable(function) else function


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


def _used(
    subject: Subject, way: str, use: _Use, arguments: Callable[[], Any], *, is_eval: bool = False
) -> tuple[Facts, set[str]]:
    """Return what a use gives and what the module holds then, or what was raised; and which functions ran."""
    from regbuf_lint.verify.worker.held import held_by  # noqa: PLC0415  imports torch

    module = subject.fresh()
    module = module.eval() if is_eval else module
    given: list[Any] = []

    def in_time() -> Any:
        with _time_limit():
            given.append(arguments())
            return use(module.get_submodule(way), given[0])

    result, ran = _traced(subject, in_time)
    if isinstance(result, BaseException):
        return {"error": type(result).__name__}, ran
    return told(subject, module, given[0], result, graphs=True) | {"held": held_by(module, subject.places)}, ran


@contextmanager
def _time_limit() -> Iterator[None]:
    """End what takes too long, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(_number: int, _frame: object) -> None:
        raise TookLongError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, _LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _traced(subject: Subject, function: Callable[[], Any]) -> tuple[Any, set[str]]:
    """Call a function; return its result, or what it raised, and which functions ran."""
    ran: set[str] = set()
    places: dict[tuple[str, int], list[str]] = {}
    for place, (name, line, _) in subject.functions.items():
        places.setdefault((name, line), []).append(place)

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and (code.co_name, code.co_firstlineno) in places:
            file = os.path.realpath(code.co_filename)
            ran.update(one for one in places[code.co_name, code.co_firstlineno] if one.startswith(f"{file}::"))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        return function(), ran
    except (Exception, SystemExit, TookLongError) as error:  # noqa: BLE001  whatever the code under verification raises
        return error, ran
    finally:
        sys.setprofile(before)
