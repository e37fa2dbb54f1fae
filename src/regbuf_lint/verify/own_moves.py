"""Which plain tensors a class moves by itself, through its own ``_apply`` or ``to``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from regbuf_lint.verify.containers import tensors_in
from regbuf_lint.verify.isolated_copy import classes_set_aside, isolated_copy
from regbuf_lint.verify.structure import (
    attributes,
    buffers,
    class_attributes,
    lineage,
    modules,
    own_names,
    parameters,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def moved_by_class(module: nn.Module, names: Iterable[str]) -> frozenset[str]:
    """Return those attributes whose tensors the class's own ``_apply`` or ``to`` reaches.

    The methods run on copies of the object and with copies of what its classes hold: there is nothing of its own that
    they could change.

    Args:
        module: the object.
        names: attributes that hold plain tensors.
    """
    kind, asked = type(module), frozenset(names)
    moved: frozenset[str] = frozenset()
    if asked and _overrides(kind, "_apply"):
        moved |= _ask(module, asked, _apply_marking)
    if asked and _overrides(kind, "to") and not _has_state(module):
        moved |= _ask(module, asked, _cast)
    return moved


def _overrides(kind: type, name: str) -> bool:
    """Whether a class has a method of its own in the place of one of ``nn.Module``."""
    found = next(own_names(base)[name] for base in lineage(kind) if name in own_names(base))
    return found is not vars(nn.Module)[name]


def _has_state(module: nn.Module) -> bool:
    return any(parameters(one) or buffers(one) for _, one in modules(module))


def _ask(module: nn.Module, asked: frozenset[str], move: Callable[[nn.Module, set[int]], None]) -> frozenset[str]:
    """Return the attributes that hold other tensors after a copy of the object was moved."""
    try:
        with classes_set_aside(module):
            copy = isolated_copy(module)
            before = {name: _tensors(copy, name) for name in asked}
            move(copy, {id(tensor) for held in before.values() for tensor in held})
            after = {name: {id(tensor) for tensor in _tensors(copy, name)} for name in asked}
    except (Exception, SystemExit):  # noqa: BLE001  whatever a foreign class raises: it is not known to move anything
        return frozenset()
    return frozenset(name for name in asked if before[name] and after[name].isdisjoint(map(id, before[name])))


def _tensors(module: nn.Module, name: str) -> list[torch.Tensor]:
    """Return the tensors of an attribute; holding them keeps their ids from being used again."""
    held = {**class_attributes(type(module)), **attributes(module)}
    return [tensor for _, tensor in tensors_in(held.get(name))]


def _apply_marking(module: nn.Module, watched: set[int]) -> None:
    """Call ``_apply`` with a function that replaces the watched tensors, and no others, by aliases."""
    replaced: dict[int, torch.Tensor] = {}

    def replace(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in watched:
            return tensor
        replaced.setdefault(id(tensor), tensor.detach().requires_grad_(tensor.requires_grad))
        return replaced[id(tensor)]

    module._apply(replace)  # type: ignore[no-untyped-call]  # noqa: SLF001


def _cast(module: nn.Module, _watched: set[int]) -> None:
    """Call ``to`` with another dtype; harmless where nothing is registered."""
    module.to(torch.float64)
