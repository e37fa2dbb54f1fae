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

from regbuf_lint.verify.structure import (
    class_attributes,
    ids_of,
    is_of_torch,
    is_scripted,
    is_tensor,
    kinds_of,
    lineage,
    modules,
    names_in,
    own_dict,
    own_names,
    slots,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import TypeAlias, TypeVar

    _T = TypeVar("_T")
    _Steps: TypeAlias = Generator[Any, Any, _T]

_SHARED = ids_of(
    *(str, bytes, int, float, complex, bool, type, type(None), Enum, ModuleType, Logger),
    *(torch.dtype, torch.device, torch.layout, torch.Size),
)
"""What nobody can change, or the whole program has one of."""
_ITEMS = (list, set, frozenset, deque, tuple)
_A_DICT, _ORDERED, _AN_ITEMS = ids_of(dict), ids_of(OrderedDict), ids_of(*_ITEMS)
_PARTIAL, _BUILTIN, _METHOD = ids_of(partial), ids_of(BuiltinFunctionType), ids_of(MethodType)
_FUNCTION, _REFERENCE = ids_of(FunctionType), ids_of(ReferenceType)
_LOCKS = {type(make()): make for make in (Lock, RLock)}


def isolated_copy(module: nn.Module) -> nn.Module:
    """Return a copy of a module; what cannot be copied, such as an open file, is a stand-in there."""
    return _Copying().of(module)  # type: ignore[no-any-return]


@contextmanager
def classes_set_aside(module: nn.Module) -> Iterator[None]:
    """Let the classes of a module and its submodules have copies of what they hold, and afterwards what they had.

    So do their methods of what they have taken along, and of what the files have to which they belong.
    """
    kinds = {base for _, owner in modules(module) for base in lineage(type(owner)) if not is_of_torch(base)}
    before = {kind: dict(own_names(kind)) for kind in kinds}
    copying = _Copying()
    undo: list[Callable[[], object]] = []
    try:
        for function in _functions(kinds):
            undo += _set_aside(function, copying)
        for kind in kinds:
            for name, value in class_attributes(kind).items():
                if name in before[kind] and not _is_descriptor(value):
                    _set_in_class(kind, name, copying.of(value))
        yield
    finally:
        for put_back in reversed(undo):
            put_back()
        for kind, held in before.items():
            for name in [name for name in own_names(kind) if name not in held]:
                type.__delattr__(kind, name)
            for name, value in held.items():
                _set_in_class(kind, name, value)


def _functions(kinds: Iterable[type]) -> list[FunctionType]:
    """Return the methods of classes, with the functions of their files that they name."""
    held = (one for kind in kinds for value in own_names(kind).values() for one in _inside(value))
    found = {id(one): one for one in held if type(one) is FunctionType}
    waiting = list(found.values())
    for function in waiting:  # which grows meanwhile
        for name in names_in(function.__code__):
            value = function.__globals__.get(name)
            if type(value) is FunctionType and id(value) not in found and value.__globals__ is function.__globals__:
                found[id(value)] = value
                waiting.append(value)
    return waiting


def _inside(value: Any) -> tuple[Any, ...]:
    """Return the functions of what a class may hold."""
    if type(value) is property:
        return value.fget, value.fset, value.fdel
    return (value.__func__,) if type(value) in {staticmethod, classmethod} else (value,)


def _set_aside(function: FunctionType, copying: _Copying) -> Iterator[Callable[[], object]]:
    """Let a function have copies of what it can change, and yield what puts each thing back."""
    for name in ("__defaults__", "__kwdefaults__"):
        yield partial(setattr, function, name, getattr(function, name))
        setattr(function, name, copying.of(getattr(function, name)))
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not assigned as yet
            yield partial(setattr, cell, "cell_contents", cell.cell_contents)
            cell.cell_contents = copying.of(cell.cell_contents)
    names = function.__globals__
    for name in names_in(function.__code__):
        if name not in names:
            yield partial(names.pop, name, None)
        elif type(names[name]) is not FunctionType:
            yield partial(names.__setitem__, name, names[name])
            names[name] = copying.of(names[name])


def _is_descriptor(value: object) -> bool:
    return any("__get__" in own_names(base) for base in lineage(type(value)))


def _set_in_class(kind: type, name: str, value: Any) -> None:
    """Let a class hold something else; not where it does, or where that is a stand-in."""
    if own_names(kind).get(name) is not value and type(value) is not object:
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
    if not any("__del__" in own_names(base) for base in lineage(kind)):
        return kind
    return type.__new__(type(kind), kind.__name__, (_Silent, kind), {"__slots__": (), "__module__": kind.__module__})


class _Copying:
    """One copy; each object is copied once.

    What copies an object is a generator that yields what it needs copies of, so nothing lies too deep for Python's
    stack.
    """

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._held: list[Any] = []

    def of(self, value: Any) -> Any:
        """Return the copy of a value."""
        running, answer = [self._one(value)], None
        while running:
            try:
                wanted = running[-1].send(answer)
            except StopIteration as ended:  # noqa: PERF203  that is how a generator returns
                running.pop()
                answer = ended.value
            else:
                running.append(self._one(wanted))
                answer = None
        return answer

    def _one(self, value: Any) -> _Steps[Any]:
        kinds = kinds_of(value)
        if kinds & _SHARED:
            return value
        if id(value) not in self._done:
            self._held.append(value)  # its id must not be given to another object
            yield from self._copy(value, kinds)
        return self._done[id(value)]

    def _copy(self, value: Any, kinds: frozenset[int]) -> _Steps[None]:
        if is_tensor(value):
            self._done[id(value)] = tensor_copy(value)
            yield from self._copy_attributes(value, self._done[id(value)])
        elif kinds & _A_DICT:
            yield from self._copy_dict(value, OrderedDict if kinds & _ORDERED else dict)
        elif kinds & _AN_ITEMS:
            yield from self._copy_items(value, next(one for one in _ITEMS if id(one) in kinds))
        elif kinds & _PARTIAL:
            made = self._done[id(value)] = partial(list)  # which may lead back to it
            held = (value.func, tuple((yield from _each(value.args))), (yield value.keywords), None)
            made.__setstate__(held)  # type: ignore[attr-defined]
        elif kinds & _BUILTIN:
            owner = yield value.__self__  # a list, if it is the list's append
            self._done[id(value)] = value if owner is value.__self__ else getattr(owner, value.__name__, value)
        elif type(value) in _LOCKS:
            self._done[id(value)] = _LOCKS[type(value)]()
        elif kinds & _METHOD:
            self._done[id(value)] = MethodType(value.__func__, (yield value.__self__))
        elif kinds & _FUNCTION:
            yield from self._copy_function(value)
        elif kinds & _REFERENCE:
            self._done[id(value)] = ref((yield value())) if value() is not None else value
        else:
            yield from self._copy_object(value)

    def _copy_dict(self, value: Any, base: Any) -> _Steps[None]:
        """Copy a dict of any class; it is there before its items, which may lead back to it."""
        made = self._done[id(value)] = base.__new__(_silent(type(value)))
        for key, item in base.items(value):
            base.__setitem__(made, (yield key), (yield item))
        yield from self._copy_attributes(value, made)

    def _copy_items(self, value: Any, base: Any) -> _Steps[None]:
        """Copy a list, deque, set or tuple of any class."""
        if base in {tuple, frozenset}:
            made = _maker(value)(type(value), (yield from _each(base.__iter__(value))))
        else:
            made = self._done[id(value)] = base.__new__(_silent(type(value)))
            most = (value.maxlen,) if base is deque else ()
            base.__init__(made, (yield from _each(base.__iter__(value))), *most)
        self._done[id(value)] = made
        yield from self._copy_attributes(value, made)

    def _copy_attributes(self, value: Any, made: Any) -> _Steps[None]:
        names = own_dict(value)
        own_dict(made).update(zip(names, (yield from _each(names.values())), strict=True))
        for descriptor, one in slots(value):
            copy = yield one
            with suppress(AttributeError, TypeError):  # one that cannot be assigned
                descriptor.__set__(made, copy)

    def _copy_function(self, value: FunctionType) -> _Steps[None]:
        cells = tuple(CellType() for _ in value.__closure__ or ())
        made = FunctionType(value.__code__, value.__globals__, value.__name__, value.__defaults__, cells or None)
        self._done[id(value)] = made
        for cell, before in zip(cells, value.__closure__ or (), strict=True):
            with suppress(ValueError):  # not assigned as yet
                cell.cell_contents = yield before.cell_contents
        made.__defaults__ = yield value.__defaults__
        made.__kwdefaults__ = yield value.__kwdefaults__

    def _copy_object(self, value: Any) -> _Steps[None]:
        if is_scripted(value):
            self._done[id(value)] = deepcopy(value)
            return
        try:
            made: Any = object.__new__(_silent(type(value)))
        except TypeError:
            self._done[id(value)] = _of_a_library(value)
            return
        self._done[id(value)] = made
        yield from self._copy_attributes(value, made)


def _each(values: Iterable[Any]) -> _Steps[list[Any]]:
    """Ask for copies of several values."""
    made = []
    for one in values:
        made.append((yield one))  # noqa: PERF401  it is an answer
    return made


def _maker(value: Any) -> Any:
    """Return the function that makes objects of a type, those of classes written in Python left out."""
    own = (own_names(base).get("__new__") for base in lineage(type(value)))
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
