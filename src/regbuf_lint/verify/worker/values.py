"""Inputs and outputs: the tensors in them, their bits, and the same on another device."""

from __future__ import annotations

import ctypes
import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 8


def leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield what a result consists of: tensors, numbers, texts; of other objects what their attributes hold."""
    if isinstance(value, torch.Tensor) or depth > _DEEPEST:
        yield value
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from leaves(value[key], depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item, depth + 1)
    elif isinstance(value, torch.nn.Module):
        yield from (tensor for _, tensor in sorted(value.state_dict().items()))
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        yield value
    else:
        yield type(value).__qualname__
        attributes = getattr(value, "__dict__", {})
        for name in sorted(attributes):
            yield from leaves(attributes[name], depth + 1)


def tensors(value: Any) -> list[torch.Tensor]:
    """Return the tensors in a result, in order."""
    return [leaf for leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


def digest(value: Any) -> str:
    """Return what is equal for two results only if they are equal bit for bit, with their dtypes and shapes."""
    state = hashlib.sha256()
    for leaf in leaves(value):
        if isinstance(leaf, torch.Tensor):
            state.update(f"{leaf.dtype} {tuple(leaf.shape)} {leaf.layout} ".encode())
            state.update(_bits(leaf))
        else:
            state.update(f"{type(leaf).__qualname__} {leaf!r} ".encode())
    return state.hexdigest()[:20]


def _bits(tensor: torch.Tensor) -> bytes:
    if tensor.is_meta:
        return b"meta"
    plain = tensor.detach()
    if plain.is_quantized or plain.layout is not torch.strided:
        plain = plain.dequantize() if plain.is_quantized else plain.to_dense()
    flat = plain.resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
    return ctypes.string_at(flat.data_ptr(), flat.numel() * flat.element_size())


def moved(value: Any, device: str) -> Any:
    """Return inputs with every tensor on a device; containers are rebuilt, other objects stay."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: moved(item, device) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(moved(item, device) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(moved(item, device) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(
            value,
            **{one.name: moved(getattr(value, one.name), device) for one in dataclasses.fields(value) if one.init},
        )
    return value


def on(tensor: torch.Tensor, device: str) -> bool:
    """Whether a tensor is on a device; one named without its number is any of that kind."""
    wanted = torch.device(device)
    return tensor.device.type == wanted.type and wanted.index in (None, tensor.device.index)


def differences(result: Any, reference: Any, device: str) -> str:
    """Return how a result of a device differs from that of the CPU; empty where it is equal within tolerance.

    On ``meta``, where tensors have no values, shapes and dtypes are compared.
    """
    if type(result) is not type(reference):
        return f"the result is of type {type(result).__name__}, not {type(reference).__name__}"
    ours, theirs = tensors(result), tensors(reference)
    if len(ours) != len(theirs):
        return f"the result holds {len(ours)} tensors, not {len(theirs)}"
    for ours_one, theirs_one in zip(ours, theirs, strict=True):
        if not on(ours_one, device):
            return f"a result is on {ours_one.device}"
        said = _difference(ours_one, theirs_one)
        if said:
            return said
    return ""


def _difference(ours: torch.Tensor, theirs: torch.Tensor) -> str:
    if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
        return f"a result is {ours.dtype} {tuple(ours.shape)}, not {theirs.dtype} {tuple(theirs.shape)}"
    if ours.is_meta:
        return ""
    try:
        rtol, atol = (1e-4, 1e-5) if ours.dtype in {torch.float32, torch.complex64} else (None, None)
        torch.testing.assert_close(ours.detach().cpu(), theirs.detach(), rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        return " ".join(str(error).split())[:200]
    return ""
