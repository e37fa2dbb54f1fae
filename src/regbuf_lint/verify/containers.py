"""Which tensors a value holds, however deep, and by which way."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.distributions import Distribution

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CellType

DEEPEST = 6
MOST_ITEMS = 10_000
"""Containers are searched so far; more tensors of one kind tell nothing new."""

_OPAQUE = (str, bytes, bytearray, int, float, complex, bool, type, ModuleType, torch.dtype, torch.device, torch.Size)
_COST_OF_OBJECTS = 3
"""Steps that one into another object counts for: behind it may lie a whole program."""

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
    value: object, members: frozenset[int] = frozenset(), deepest: int = DEEPEST
) -> Iterator[tuple[Where, torch.Tensor]]:
    """Yield the tensors in a value, each once.

    Args:
        value: anything.
        members: the ids of modules that are not searched, since they are found by another way.
        deepest: how many steps are made into things in things.
    """
    yield from _walk(value, Where(), members, deepest, set())


def _walk(
    value: object, where: Where, members: frozenset[int], deepest: int, seen: set[int]
) -> Iterator[tuple[Where, torch.Tensor]]:
    if value is None or isinstance(value, _OPAQUE) or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, torch.Tensor):
        yield where, value
        return
    if deepest <= 0 or id(value) in members:
        return
    for kind, step, item in _contents(value):
        cost = _COST_OF_OBJECTS if kind == "object" else 1
        yield from _walk(item, where.into(kind, step), members, deepest - cost, seen)


def _contents(value: object) -> Iterator[tuple[str, str, object]]:
    """Yield kind, step and item; methods of built-in containers are called, never those of their subclasses."""
    if isinstance(value, dict):
        for number, (key, item) in enumerate(list(dict.items(value))[:MOST_ITEMS]):
            yield "container", f"[{_key(key, number)}]", item
    elif isinstance(value, (list, tuple, deque, set, frozenset)):
        for number, item in enumerate(_items(value)):
            yield "container", f"[{number}]", item
    elif isinstance(value, nn.Module):
        for name, tensor in [*value.named_parameters(), *value.named_buffers()]:
            yield "module", f".{name}", tensor
    elif isinstance(value, Distribution):
        for name, item in list(vars(value).items()):
            yield "distribution", f".{name}", item
    else:
        yield from _held(value)


def _items(value: object) -> list[object]:
    kinds: tuple[Any, ...] = (list, tuple, deque, set, frozenset)
    return next(list(kind.__iter__(value))[:MOST_ITEMS] for kind in kinds if isinstance(value, kind))


def _held(value: object) -> Iterator[tuple[str, str, object]]:
    """Yield what functions and objects of other classes hold."""
    if isinstance(value, partial):
        yield "closure", ".func", value.func
        for number, item in enumerate(value.args):
            yield "closure", f".args[{number}]", item
        for name, item in value.keywords.items():
            yield "closure", f".keywords[{name!r}]", item
    elif isinstance(value, MethodType):
        yield "closure", ".__self__", value.__self__
    elif isinstance(value, FunctionType):
        yield from _bound(value)
    elif not isinstance(value, BuiltinFunctionType) and not _is_foreign(value):
        for name, item in list(getattr(value, "__dict__", {}).items()):
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
    return f"{type(value).__module__}.".startswith(_NO_OBJECTS)


def _key(key: object, number: int) -> str:
    return repr(key) if isinstance(key, (str, int, bool, float)) else f"<{number}>"
