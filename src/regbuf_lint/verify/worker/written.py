"""Which dicts have been written to: reading all that they hold would copy the memory that forked processes share."""

from __future__ import annotations

import ctypes
import gc
import sys
from array import array
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_OFFSET = 24
"""Bytes from the beginning of a dict to the number that CPython gives it at each change (PEP 509)."""


class Written:
    """Knows which of some dicts have been written to since; where Python does not number changes, it may be all.

    Args:
        watched: dicts, or what ``vars()`` gives of classes; whoever asks keeps them alive.
    """

    def __init__(self, watched: Iterable[Mapping[str, Any]]) -> None:
        self._addresses = array("Q", map(_address, watched))
        self._before = array("Q", map(_number, self._addresses)) if _IS_NUMBERED else None

    def since(self) -> Iterator[int]:
        """Yield the positions of those that have been written to."""
        for position, address in enumerate(self._addresses):
            if self._before is None or _number(address) != self._before[position]:
                yield position


def _address(held: Mapping[str, Any]) -> int:
    return id(gc.get_referents(held)[0] if isinstance(held, MappingProxyType) else held) + _OFFSET


def _number(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _is_numbered() -> bool:
    """Whether a dict has another number after each kind of change, and the same one after it was read."""
    if sys.implementation.name != "cpython" or sys.maxsize <= 2**32:
        return False
    tried: dict[str, Any] = {"a": 1}
    address = _address(tried)
    seen = [_number(address)]
    for change in ({"a": 2}, {"b": 3}):
        tried.update(change)
        seen.append(_number(address))
    del tried["b"]
    seen.append(_number(address))
    is_read_alike = tried["a"] == 2 and _number(address) == seen[-1]  # noqa: PLR2004
    return is_read_alike and len(set(seen)) == len(seen)


_IS_NUMBERED = _is_numbered()
