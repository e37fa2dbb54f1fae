"""Inputs that are made of those that a factory gives, and are unlike them in what code may have relied on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from regbuf_lint.verify.worker.values import digest, replaced

if TYPE_CHECKING:
    from collections.abc import Callable

_FACTOR = 1000
_MORE = 100
"""So much larger are integers: out of range as indices, and not too much to be used as sizes."""


def _twice(tensor: torch.Tensor) -> torch.Tensor:
    return torch.cat([tensor, tensor]) if tensor.dim() else tensor


def _first(tensor: torch.Tensor) -> torch.Tensor:
    return tensor[:1].clone() if tensor.dim() else tensor


def _deeper(tensor: torch.Tensor) -> torch.Tensor:
    return tensor[None].clone() if tensor.dim() else tensor


def _longer(tensor: torch.Tensor) -> torch.Tensor:
    return torch.cat([tensor, tensor[..., -1:]], -1) if tensor.dim() else tensor


def _double(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _with_nan(tensor: torch.Tensor) -> torch.Tensor:
    if not tensor.is_floating_point() or not tensor.numel():
        return tensor
    changed = tensor.clone(memory_format=torch.contiguous_format)
    changed.view(-1)[0] = math.nan
    return changed


def _large(tensor: torch.Tensor) -> torch.Tensor:
    return tensor * _FACTOR if tensor.is_floating_point() else tensor


def _large_integers(tensor: torch.Tensor) -> torch.Tensor:
    is_integer = not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype is torch.bool)
    return tensor + _MORE if is_integer else tensor


OTHER_INPUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "inputs twice as long": _twice,
    "the first of the inputs": _first,
    "inputs with a dimension more": _deeper,
    "inputs with a longer last dimension": _longer,
    "inputs in float64": _double,
    "inputs with a NaN": _with_nan,
    "large inputs": _large,
    "large integers": _large_integers,
}
"""What is made of each tensor, by what is said of such inputs."""


def varied(inputs: Any, said: str) -> Any:
    """Return inputs that were varied; None where they would be the same, or cannot be varied so.

    Args:
        inputs: what the factory gives.
        said: a key of ``OTHER_INPUTS``.
    """

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
            return tensor
        changed = OTHER_INPUTS[said](tensor.detach())
        return changed.requires_grad_() if tensor.requires_grad and changed.is_floating_point() else changed

    try:
        found = replaced(inputs, change)
        return found if digest(found) != digest(inputs) else None
    except Exception:  # noqa: BLE001  whatever containers and tensors of the user's do
        return None
