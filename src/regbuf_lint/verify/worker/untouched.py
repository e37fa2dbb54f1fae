"""Python, torch and numpy as they are before other code has run, and what is another in them later."""

from __future__ import annotations

import builtins
import sys
from functools import cache
from operator import is_
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regbuf_lint.verify.worker.written import Written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ATOMS = (bool, int, float, str, bytes, type(None))
_OF_CLASSES = (builtins, torch, nn, torch.optim, torch.distributions, torch.autograd)


class Untouched:
    """Remembers what modules and the best-known classes hold when it is made."""

    def __init__(self) -> None:
        self._modules = tuple(sys.modules.values())
        self._places: dict[str, Any] = {
            **dict(sys.modules),
            **{
                f"{place.__name__}.{name}": kind
                for place in _OF_CLASSES
                for name, kind in vars(place).items()
                if isinstance(kind, type)
            },
        }
        self._before = {place: dict(vars(one)) for place, one in self._places.items() if hasattr(one, "__dict__")}
        self._names = tuple(self._before)
        self._written = Written(vars(self._places[place]) for place in self._names)

    def replaced(self) -> Iterator[str]:
        """Yield what is another now: functions and classes, numbers and texts; what libraries note is left out."""
        for place in map(self._names.__getitem__, self._written.since()):
            before, now = self._before[place], vars(self._places[place])
            changed = (name for name, one in before.items() if now.get(name) is not one)
            yield from (f"{place}.{name}" for name in changed if _counts(name, before[name], now))
            yield from (f"{place}.{name}" for name in now.keys() - before.keys() if _is_added(place, now[name]))
        if not all(map(is_, sys.modules.values(), self._modules)):  # most often they are, and names need not be read
            yield from (place for place, one in self._places.items() if sys.modules.get(place, one) is not one)


@cache
def untouched() -> Untouched:
    """Return what is remembered; whoever asks first has to do so before other code runs."""
    return Untouched()


def _is_added(place: str, value: Any) -> bool:
    """Whether a name that was not there comes from elsewhere; a package imports files of its own when it needs them."""
    if isinstance(value, ModuleType):
        return False
    top = (getattr(value, "__module__", None) or "").partition(".")[0]
    return place == builtins.__name__ or (callable(value) and top != place.partition(".")[0])


def _counts(name: str, before: Any, now: Mapping[str, Any]) -> bool:
    is_code = callable(before) or hasattr(type(before), "__get__")
    return name not in now or is_code or (isinstance(before, _ATOMS) and now[name] != before)
