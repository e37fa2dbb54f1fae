"""What objects hold, read without running any of their code: no method of theirs is called, no property asked."""

from __future__ import annotations

from contextlib import suppress
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Iterator

_TORCH = f"{torch.__name__}."


def attributes(value: object) -> dict[str, Any]:
    """Return what an object has in its ``__dict__`` and in slots."""
    return {descriptor.__name__: one for descriptor, one in slots(value)} | own_dict(value)


def slots(value: object) -> Iterator[tuple[MemberDescriptorType, Any]]:
    """Yield the slots of an object that are assigned, with what is in them."""
    for base in type(value).__mro__:
        for name, descriptor in vars(base).items():
            if isinstance(descriptor, MemberDescriptorType) and name != "__dict__":
                with suppress(AttributeError):  # never assigned
                    yield descriptor, descriptor.__get__(value, type(value))


def own_dict(value: object) -> dict[str, Any]:
    """Return the ``__dict__`` of an object itself, empty where it has none."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def class_attributes(kind: type) -> dict[str, Any]:
    """Return what the classes of an object have, those of torch left out."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if not is_of_torch(base):
            found |= {name: value for name, value in vars(base).items() if not name.startswith("__")}
    return found


def is_of_torch(kind: type) -> bool:
    """Whether torch itself defines a class."""
    return f"{kind.__module__}.".startswith((_TORCH, "builtins."))


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
        waiting += [(place, one) for place, one in reversed(parts) if isinstance(one, nn.Module)]


def parameters(owner: nn.Module) -> dict[str, torch.Tensor]:
    """Return the Parameters of a module, those of its submodules left out."""
    return {name: one for name, one in _kept(owner, "_parameters").items() if isinstance(one, torch.Tensor)}


def buffers(owner: nn.Module) -> dict[str, torch.Tensor]:
    """Return the buffers of a module, those of its submodules left out."""
    return {name: one for name, one in _kept(owner, "_buffers").items() if isinstance(one, torch.Tensor)}


def _kept(owner: nn.Module, name: str) -> dict[str, Any]:
    if isinstance(owner, torch.jit.ScriptModule):  # it keeps them elsewhere, and has no methods of the user's for them
        named: Any = {"_modules": owner.named_children, "_parameters": owner.named_parameters}.get(name)
        return dict(named() if name == "_modules" else named(recurse=False) if named else _script_buffers(owner))
    found = own_dict(owner).get(name)
    return dict(found) if isinstance(found, dict) else {}


def _script_buffers(owner: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    return owner.named_buffers(recurse=False)


def joined(path: str, name: str) -> str:
    """Return the way one step further."""
    return f"{path}.{name}" if path else name
