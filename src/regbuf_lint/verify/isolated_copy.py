"""A copy of a module that shares nothing with it that can be changed, made without running any of its code."""

from __future__ import annotations

from collections import OrderedDict, deque
from contextlib import suppress
from copy import deepcopy
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any
from weakref import ReferenceType, ref

import torch
from torch import nn

from regbuf_lint.verify.structure import own_dict

_SHARED = (
    *(str, bytes, int, float, complex, bool, type, type(None), Enum, ModuleType, BuiltinFunctionType),
    *(torch.dtype, torch.device, torch.layout, torch.Size),
)
"""What nobody can change."""
_ITEMS = (list, set, frozenset, deque, tuple)


def isolated_copy(module: nn.Module) -> nn.Module:
    """Return a copy of a module; what cannot be copied, such as a lock or an open file, is a stand-in there."""
    return _Copying().of(module)  # type: ignore[no-any-return]


class _Copying:
    """One copy; each object is copied once."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._held: list[Any] = []

    def of(self, value: Any) -> Any:
        """Return the copy of a value."""
        if isinstance(value, _SHARED):
            return value
        if id(value) not in self._done:
            self._held.append(value)  # its id must not be given to another object
            self._copy(value)
        return self._done[id(value)]

    def _copy(self, value: Any) -> None:
        if isinstance(value, torch.Tensor):
            self._done[id(value)] = _tensor(value)
        elif isinstance(value, dict):
            self._copy_dict(value)
        elif isinstance(value, _ITEMS):
            self._copy_items(value)
        elif isinstance(value, partial):
            arguments, named = map(self.of, value.args), {name: self.of(one) for name, one in value.keywords.items()}
            self._done[id(value)] = partial(self.of(value.func), *arguments, **named)
        elif isinstance(value, MethodType):
            self._done[id(value)] = MethodType(value.__func__, self.of(value.__self__))
        elif isinstance(value, FunctionType):
            self._copy_function(value)
        elif isinstance(value, ReferenceType):
            self._done[id(value)] = ref(self.of(value())) if value() is not None else value
        else:
            self._copy_object(value)

    def _copy_dict(self, value: Any) -> None:
        """Copy a dict of any class; it is there before its items, which may lead back to it."""
        base: Any = OrderedDict if isinstance(value, OrderedDict) else dict
        made = self._done[id(value)] = base.__new__(type(value))
        for key, item in base.items(value):
            base.__setitem__(made, self.of(key), self.of(item))
        self._copy_attributes(value, made)

    def _copy_items(self, value: Any) -> None:
        """Copy a list, deque, set or tuple of any class."""
        base: Any = next(one for one in _ITEMS if isinstance(value, one))
        if base in {tuple, frozenset}:
            made = base.__new__(type(value), [self.of(item) for item in base.__iter__(value)])
        else:
            made = self._done[id(value)] = base.__new__(type(value))
            base.__init__(made, [self.of(item) for item in base.__iter__(value)])
        self._done[id(value)] = made
        self._copy_attributes(value, made)

    def _copy_attributes(self, value: Any, made: Any) -> None:
        own_dict(made).update({name: self.of(one) for name, one in own_dict(value).items()})

    def _copy_function(self, value: FunctionType) -> None:
        cells = tuple(CellType() for _ in value.__closure__ or ())
        made = FunctionType(value.__code__, value.__globals__, value.__name__, value.__defaults__, cells or None)
        self._done[id(value)] = made
        for cell, before in zip(cells, value.__closure__ or (), strict=True):
            with suppress(ValueError):  # not assigned as yet
                cell.cell_contents = self.of(before.cell_contents)
        made.__defaults__ = self.of(value.__defaults__)
        made.__kwdefaults__ = self.of(value.__kwdefaults__)

    def _copy_object(self, value: Any) -> None:
        if isinstance(value, torch.jit.ScriptModule):
            self._done[id(value)] = deepcopy(value)
            return
        try:
            made = object.__new__(type(value))
        except TypeError:
            self._done[id(value)] = _of_a_library(value)
            return
        self._done[id(value)] = made
        self._copy_attributes(value, made)


def _of_a_library(value: Any) -> Any:
    """Return a copy of an object of a type that keeps its state out of sight, as arrays and generators do."""
    try:
        return deepcopy(value)
    except Exception:  # noqa: BLE001  each library has its own way to say that it cannot
        return object()


def _tensor(value: torch.Tensor) -> Any:
    """Return a leaf of the same class with bits of its own."""
    if isinstance(value, (nn.UninitializedParameter, nn.UninitializedBuffer)):
        return type(value)(requires_grad=value.requires_grad)
    with torch.no_grad():
        made = value.detach().clone()
    if isinstance(value, nn.Parameter):
        return nn.Parameter(made, requires_grad=value.requires_grad)
    return made.requires_grad_(value.requires_grad)
