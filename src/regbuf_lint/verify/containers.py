"""Which tensors a value holds, however deep, and by which way."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, cast

import torch
from torch.distributions import Distribution

from regbuf_lint.verify.structure import (
    attributes,
    buffers,
    ids_of,
    is_any,
    is_module,
    is_tensor,
    joined,
    kinds_of,
    module_of,
    modules,
    own_dict,
    parameters,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CellType

MOST_THINGS = 100_000
"""So many things are looked at in one attribute."""
MOST_OBJECTS = 3
"""So many objects of other classes are looked into, one within the other: behind them may lie a whole program."""

_OPAQUE = ids_of(
    *(str, bytes, bytearray, int, float, complex, bool, type, ModuleType, torch.dtype, torch.device, torch.Size)
)
_DICT, _DISTRIBUTION, _PARTIAL = ids_of(dict), ids_of(Distribution), ids_of(partial)
_METHOD, _FUNCTION, _BUILTIN = ids_of(MethodType), ids_of(FunctionType), ids_of(BuiltinFunctionType)
_LISTS: tuple[Any, ...] = (list, tuple, deque, set, frozenset)
_A_LIST, _SHOWN = ids_of(*_LISTS), ids_of(str, int, bool, float)
_NO_OBJECTS = ("torch.", "numpy.", "builtins.", "threading.", "logging.", "re.", "enum.")


@dataclass(frozen=True, slots=True)
class Where:
    """The way from an attribute to a tensor, and what kind of thing the attribute holds (see ``Straggler.kind``)."""

    kind: str = "tensor"
    steps: str = ""

    def into(self, kind: str, step: str) -> Where:
        """Return the way one step further; the outermost thing gives the kind."""
        return Where(kind if self.kind == "tensor" else self.kind, self.steps + step)


def tensors_in(
    value: object,
    members: frozenset[int] = frozenset(),
    deepest: int | None = None,
    stopped: list[str] | None = None,
) -> Iterator[tuple[Where, torch.Tensor]]:
    """Yield the tensors in a value, each once, nearest first.

    Args:
        value: anything.
        members: the ids of modules that are not searched, since they are found by another way.
        deepest: how many steps are made into things in things; None for as many as there are.
        stopped: gets the ways to what was not looked into.
    """
    seen: dict[int, object] = {}
    waiting: deque[tuple[Where, object, int, int]] = deque([(Where(), value, 0, 0)])
    while waiting:
        where, one, depth, objects = waiting.popleft()
        if one is None or id(one) in seen or is_any(one, _OPAQUE):
            continue
        seen[id(one)] = one
        if is_tensor(one):
            yield where, cast("torch.Tensor", one)
            continue
        if id(one) in members or (deepest is not None and depth >= deepest):
            continue
        if len(seen) > MOST_THINGS:
            if stopped is not None:
                stopped.append(where.steps)
            return
        inside = [(kind, step, item, objects + (kind == "object")) for kind, step, item in _contents(one)]
        if stopped is not None and any(number > MOST_OBJECTS for *_, number in inside):
            stopped.append(where.steps)
        waiting += [
            (where.into(kind, step), item, depth + 1, number)
            for kind, step, item, number in inside
            if number <= MOST_OBJECTS
        ]


def _contents(value: Any) -> Iterator[tuple[str, str, object]]:
    """Yield kind, step and item; methods of built-in containers are called, never those of their subclasses."""
    kinds = kinds_of(value)
    if kinds & _DICT:
        for number, (key, item) in enumerate(list(dict.items(value))):
            yield "container", f"[{_key(key, number)}]", item
    elif kinds & _A_LIST:
        for number, item in enumerate(_items(value)):
            yield "container", f"[{number}]", item
    elif is_module(value):
        for path, owner in modules(value):
            for name, tensor in [*parameters(owner).items(), *buffers(owner).items()]:
                yield "module", f".{joined(path, name)}", tensor
    elif kinds & _DISTRIBUTION:
        for name, item in list(own_dict(value).items()):
            yield "distribution", f".{name}", item
    else:
        yield from _held(value)


def _items(value: object) -> list[object]:
    return next(list(kind.__iter__(value)) for kind in _LISTS if id(kind) in kinds_of(value))


def _held(value: Any) -> Iterator[tuple[str, str, object]]:
    """Yield what functions and objects of other classes hold."""
    kinds = kinds_of(value)
    if kinds & _PARTIAL:
        yield "closure", ".func", value.func
        for number, item in enumerate(value.args):
            yield "closure", f".args[{number}]", item
        for name, item in value.keywords.items():
            yield "closure", f".keywords[{name!r}]", item
    elif kinds & _METHOD:
        yield "closure", ".__self__", value.__self__
    elif kinds & _FUNCTION:
        yield from _bound(value)
    elif not kinds & _BUILTIN and not _is_foreign(value):
        for name, item in attributes(value).items():
            yield "object", f".{name}", item


def _bound(function: FunctionType) -> Iterator[tuple[str, str, object]]:
    """Yield what a function holds by its closure and its defaults."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield "closure", f".<{name}>", _content(cell)
    for number, item in enumerate(function.__defaults__ or ()):
        yield "closure", f".__defaults__[{number}]", item
    for name, item in (function.__kwdefaults__ or {}).items():
        yield "closure", f".__kwdefaults__[{name!r}]", item


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned as yet
        return None


def _is_foreign(value: object) -> bool:
    """Whether an object belongs to a library whose objects keep tensors for themselves, as random generators do."""
    return f"{module_of(type(value))}.".startswith(_NO_OBJECTS)


def _key(key: object, number: int) -> str:
    return repr(key) if id(type(key)) in _SHOWN else f"<{number}>"
