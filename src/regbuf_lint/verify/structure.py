"""What objects hold, read without running any of their code: no method of theirs is called, no property asked."""

from __future__ import annotations

from contextlib import suppress
from types import CodeType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TORCH = f"{torch.__name__}."
_LINEAGE, _DICT, _MODULE = (vars(type)[name] for name in ("__mro__", "__dict__", "__module__"))
"""What reads a class past its own metaclass."""


def lineage(kind: type) -> tuple[type, ...]:
    """Return a class with its bases."""
    return _LINEAGE.__get__(kind)  # type: ignore[no-any-return]


def own_names(kind: type) -> Mapping[str, Any]:
    """Return what a class itself holds."""
    return _DICT.__get__(kind)  # type: ignore[no-any-return]


def module_of(kind: type) -> str:
    """Return the name of the module that defines a class."""
    return str(_MODULE.__get__(kind))


def ids_of(*kinds: type) -> frozenset[int]:
    """Return the ids of classes: comparing classes themselves would run code of their metaclasses."""
    return frozenset(map(id, kinds))


def kinds_of(value: object) -> frozenset[int]:
    """Return the ids of an object's classes; unlike ``isinstance``, this does not ask the object what it is."""
    return frozenset(map(id, lineage(type(value))))


def is_any(value: object, kinds: frozenset[int]) -> bool:
    """Whether an object is of one of some classes, told by their ids."""
    kind = type(value)
    return id(kind) in kinds or not kinds.isdisjoint(map(id, lineage(kind)))


_A_DICT, _A_MODULE, _A_TENSOR = ids_of(dict), ids_of(nn.Module), ids_of(torch.Tensor)
_SCRIPTED = ids_of(torch.jit.ScriptModule)


def is_module(value: object) -> bool:
    """Whether an object is an ``nn.Module``."""
    return is_any(value, _A_MODULE)


def is_tensor(value: object) -> bool:
    """Whether an object is a tensor."""
    return is_any(value, _A_TENSOR)


def is_scripted(value: object) -> bool:
    """Whether an object is a module of TorchScript."""
    return is_any(value, _SCRIPTED)


def attributes(value: object) -> dict[str, Any]:
    """Return what an object has in its ``__dict__`` and in slots."""
    return {descriptor.__name__: one for descriptor, one in slots(value)} | own_dict(value)


def slots(value: object) -> Iterator[tuple[MemberDescriptorType, Any]]:
    """Yield the slots of an object that are assigned, with what is in them."""
    for base in lineage(type(value)):
        for name, descriptor in own_names(base).items():
            if type(descriptor) is MemberDescriptorType and name != "__dict__":
                with suppress(AttributeError):  # never assigned
                    yield descriptor, descriptor.__get__(value, type(value))


def own_dict(value: object) -> dict[str, Any]:
    """Return the ``__dict__`` of an object itself, empty where it has none."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if is_any(found, _A_DICT) else {}


def class_attributes(kind: type) -> dict[str, Any]:
    """Return what the classes of an object have, those of torch left out."""
    found: dict[str, Any] = {}
    for base in reversed(lineage(kind)):
        if not is_of_torch(base):
            found |= {name: value for name, value in own_names(base).items() if not name.startswith("__")}
    return found


def is_of_torch(kind: type) -> bool:
    """Whether torch itself defines a class."""
    return f"{module_of(kind)}.".startswith((_TORCH, "builtins."))


def names_in(code: CodeType) -> set[str]:
    """Return the names and texts in a function, those of functions in it included."""
    inner = [one for one in code.co_consts if type(one) is CodeType]
    texts = {one for one in code.co_consts if type(one) is str}
    return {*code.co_names, *texts}.union(*map(names_in, inner))


def modules(root: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield a module and its submodules, each once, with the way to it."""
    seen: set[int] = set()
    waiting = [("", root)]
    while waiting:
        path, owner = waiting.pop()
        if id(owner) in seen:
            continue
        seen.add(id(owner))
        yield path, owner
        parts = [(joined(path, name), one) for name, one in _kept(owner, "_modules").items()]
        waiting += [(place, one) for place, one in reversed(parts) if is_module(one)]


def parameters(owner: nn.Module) -> dict[str, torch.Tensor]:
    """Return the Parameters of a module, those of its submodules left out."""
    return {name: one for name, one in _kept(owner, "_parameters").items() if is_tensor(one)}


def buffers(owner: nn.Module) -> dict[str, torch.Tensor]:
    """Return the buffers of a module, those of its submodules left out."""
    return {name: one for name, one in _kept(owner, "_buffers").items() if is_tensor(one)}


def _kept(owner: nn.Module, name: str) -> dict[str, Any]:
    if is_scripted(owner):  # it keeps them elsewhere, and has no methods of the user's for them
        named: Any = {"_modules": owner.named_children, "_parameters": owner.named_parameters}.get(name)
        return dict(named() if name == "_modules" else named(recurse=False) if named else _script_buffers(owner))
    found: Any = own_dict(owner).get(name)
    return dict(dict.items(found)) if is_any(found, _A_DICT) else {}


def _script_buffers(owner: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    return owner.named_buffers(recurse=False)


def joined(path: str, name: str) -> str:
    """Return the way one step further."""
    return f"{path}.{name}" if path else name
