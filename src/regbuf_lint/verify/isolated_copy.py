"""A copy of a module that shares nothing with it that can be changed, made without running any of its code."""

from __future__ import annotations

from collections import OrderedDict, deque
from contextlib import contextmanager, suppress
from copy import deepcopy
from enum import Enum
from functools import partial
from inspect import isfunction
from logging import Logger
from threading import Lock, RLock
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

import torch
from torch import nn

from regbuf_lint.verify.structure import class_attributes, is_of_torch, modules, own_dict, slots

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHARED = (
    *(str, bytes, int, float, complex, bool, type, type(None), Enum, ModuleType, Logger),
    *(torch.dtype, torch.device, torch.layout, torch.Size),
)
"""What nobody can change, or the whole program has one of."""
_ITEMS = (list, set, frozenset, deque, tuple)
_LOCKS = {type(make()): make for make in (Lock, RLock)}


def isolated_copy(module: nn.Module) -> nn.Module:
    """Return a copy of a module; what cannot be copied, such as an open file, is a stand-in there."""
    return _Copying().of(module)  # type: ignore[no-any-return]


@contextmanager
def classes_set_aside(module: nn.Module) -> Iterator[None]:
    """Let the classes of a module and its submodules have copies of what they hold, and afterwards what they had."""
    kinds = {base for _, owner in modules(module) for base in type(owner).__mro__ if not is_of_torch(base)}
    before = {kind: dict(vars(kind)) for kind in kinds}
    copying = _Copying()
    try:
        for kind in kinds:
            for name, value in class_attributes(kind).items():
                if name in before[kind] and not hasattr(type(value), "__get__"):
                    _set_in_class(kind, name, copying.of(value))
        yield
    finally:
        for kind, held in before.items():
            for name in [name for name in vars(kind) if name not in held]:
                type.__delattr__(kind, name)
            for name, value in held.items():
                _set_in_class(kind, name, value)


def _set_in_class(kind: type, name: str, value: Any) -> None:
    """Let a class hold something else; not where it does, or where that is a stand-in."""
    if vars(kind).get(name) is not value and type(value) is not object:
        type.__setattr__(kind, name, value)


class _Silent:
    """Ends without a word, and so without giving back what belongs to the object that it is a copy of."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Tell no other class of this one."""

    def __del__(self) -> None:
        """Do nothing."""


def _silent(kind: type) -> type:
    """Return a class whose objects do nothing when they end; the class itself where they do nothing anyway."""
    if not hasattr(kind, "__del__"):
        return kind
    return type.__new__(type(kind), kind.__name__, (_Silent, kind), {"__slots__": (), "__module__": kind.__module__})


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
            self._done[id(value)] = tensor_copy(value)
            self._copy_attributes(value, self._done[id(value)])
        elif isinstance(value, dict):
            self._copy_dict(value)
        elif isinstance(value, _ITEMS):
            self._copy_items(value)
        elif isinstance(value, partial):
            arguments, named = map(self.of, value.args), {name: self.of(one) for name, one in value.keywords.items()}
            self._done[id(value)] = partial(self.of(value.func), *arguments, **named)
        elif isinstance(value, BuiltinFunctionType):
            owner = self.of(value.__self__)  # a list, if it is the list's append
            self._done[id(value)] = value if owner is value.__self__ else getattr(owner, value.__name__, value)
        elif type(value) in _LOCKS:
            self._done[id(value)] = _LOCKS[type(value)]()
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
        made = self._done[id(value)] = base.__new__(_silent(type(value)))
        for key, item in base.items(value):
            base.__setitem__(made, self.of(key), self.of(item))
        self._copy_attributes(value, made)

    def _copy_items(self, value: Any) -> None:
        """Copy a list, deque, set or tuple of any class."""
        base: Any = next(one for one in _ITEMS if isinstance(value, one))
        if base in {tuple, frozenset}:
            made = _maker(value)(type(value), [self.of(item) for item in base.__iter__(value)])
        else:
            made = self._done[id(value)] = base.__new__(_silent(type(value)))
            most = (value.maxlen,) if base is deque else ()
            base.__init__(made, [self.of(item) for item in base.__iter__(value)], *most)
        self._done[id(value)] = made
        self._copy_attributes(value, made)

    def _copy_attributes(self, value: Any, made: Any) -> None:
        own_dict(made).update({name: self.of(one) for name, one in own_dict(value).items()})
        for descriptor, one in slots(value):
            with suppress(AttributeError, TypeError):  # one that cannot be assigned
                descriptor.__set__(made, self.of(one))

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
            made: Any = object.__new__(_silent(type(value)))
        except TypeError:
            self._done[id(value)] = _of_a_library(value)
            return
        self._done[id(value)] = made
        self._copy_attributes(value, made)


def _maker(value: Any) -> Any:
    """Return the function that makes objects of a type, those of classes written in Python left out."""
    own = (vars(base).get("__new__") for base in type(value).__mro__)
    return next(one for one in own if isinstance(one, BuiltinFunctionType))


def _of_a_library(value: Any) -> Any:
    """Return a copy of an object of a type that keeps its state out of sight, as arrays and generators do."""
    if isfunction(getattr(type(value), "__deepcopy__", None)):  # which may change the object
        return object()
    try:
        return deepcopy(value)
    except Exception:  # noqa: BLE001  each library has its own way to say that it cannot
        return object()


def tensor_copy(value: torch.Tensor) -> Any:
    """Return a leaf of the same class with bits of its own."""
    if isinstance(value, (nn.UninitializedParameter, nn.UninitializedBuffer)):
        return type(value)(requires_grad=value.requires_grad)
    with torch.no_grad():
        made = value.detach().clone()
    if isinstance(value, nn.Parameter):
        return nn.Parameter(made, requires_grad=value.requires_grad)
    return made.requires_grad_(value.requires_grad)
