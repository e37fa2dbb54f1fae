"""Everything that a module holds: state, modes, parts, hooks and plain attributes, each by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from regbuf_lint.verify.stragglers import KEPT_BY_TORCH
from regbuf_lint.verify.worker.program import random_state
from regbuf_lint.verify.worker.values import Place, excess, flags, shared, sketch, strides, walked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from torch import nn

    from regbuf_lint.verify.model import Facts

PARAMETER, BUFFER, ATTRIBUTE = "parameter", "buffer", "attribute"
_REGISTERED = {"_parameters": PARAMETER, "_buffers": BUFFER}
_TENSOR_HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")
_GONE = object()


def held_by(module: nn.Module, asked: Iterable[str] = (), beside: Mapping[str, Any] | None = None) -> Facts:
    """Return what a module holds, so that two versions of it can be compared in another process.

    Whatever can be read by a name is looked at in one way, be it a Parameter, a buffer, or a plain attribute.

    Args:
        module: the module.
        asked: the ways to attributes that are looked at wherever they come from, a property included.
        beside: what lies outside of the module and may share memory with it, by name.
    """
    members = list(module.modules())
    named = {name: (kind, value) for name, kind, value in _named(module)}
    for name in asked:
        value = _read(module, name)
        if name not in named and value is not _GONE:
            named[name] = (ATTRIBUTE, value)
    held = {name: value for name, (_, value) in named.items() if isinstance(value, torch.Tensor)}
    places = {name: list(walked(value, members)) for name, (_, value) in named.items()}
    outside = {name: list(walked(value, members)) for name, value in (beside or {}).items()}
    return {
        "kinds": {name: kind for name, (kind, _) in named.items()},
        "values": {name: sketch(found) for name, found in places.items()},
        "asks": {name: _asks(one) for name, one in module.named_parameters(remove_duplicate=False)},
        "strides": {name: strides(one) for name, one in held.items()},
        "flags": {name: flags(one) for name, one in held.items()},
        "excess": {name: excess(one) for name, one in held.items()},
        "shared": shared(_joined(places | outside)),
        "outside": [name + step for name, found in outside.items() for step, _, _ in found],
        "training": {path: one.training for path, one in module.named_modules()},
        "parts": {path: type(one).__qualname__ for path, one in module.named_modules()},
        "random": random_state(),
    }


def _named(module: nn.Module) -> Iterator[tuple[str, str, Any]]:
    """Yield name, kind and value of all that objects keep by a name, and of the functions in torch's hooks."""
    yield from ((name, PARAMETER, one) for name, one in module.named_parameters(remove_duplicate=False))
    yield from ((name, BUFFER, one) for name, one in module.named_buffers(remove_duplicate=False))
    for path, owner in module.named_modules():
        prefix = f"{path}." if path else ""
        held = vars(owner)
        for place, kind in _REGISTERED.items():
            yield from ((prefix + name, kind, None) for name, one in (held.get(place) or {}).items() if one is None)
        for name, value in list(held.items()):
            if name not in KEPT_BY_TORCH:
                yield prefix + name, ATTRIBUTE, value
            elif "_hooks" in name and value:
                yield prefix + name, ATTRIBUTE, list(value.values())


def _asks(parameter: torch.Tensor) -> list[Any]:
    """Return what becomes of gradients: whether they are asked for, there already, or given to hooks."""
    hooks = [getattr(parameter, name, None) or () for name in _TENSOR_HOOKS]
    return [parameter.requires_grad, parameter.grad is not None, *map(len, hooks)]


def _read(module: nn.Module, way: str) -> Any:
    path, _, name = way.rpartition(".")
    try:
        return getattr(module.get_submodule(path), name, _GONE)
    except Exception:  # noqa: BLE001  whatever a property raises: then there is nothing to be read
        return _GONE


def _joined(places: Mapping[str, list[Place]]) -> Iterator[Place]:
    return ((name + step, text, value) for name, found in places.items() for step, text, value in found)
