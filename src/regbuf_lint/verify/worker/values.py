"""Inputs and outputs: the tensors in them, their bits, and the same on another device."""

from __future__ import annotations

import ctypes
import dataclasses
import hashlib
import re
from collections import deque
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import CellType

    from regbuf_lint.verify.model import Facts

Place = tuple[str, str, Any]
"""The way to a place in a value, what is said of what is there, and that itself."""

_DEEPEST = 30
_LAST_TWO = (-1, -2)
_MOST_PLACES, _LONGEST = 60, 160
_ATOMS = (bool, int, float, complex, str, bytes)
_CONTAINERS = (dict, list, tuple, deque, set, frozenset)
_CHANGEABLE = (dict, list, deque, set, bytearray)
_OPAQUE = (*_ATOMS, type(None), set, frozenset, type, BuiltinFunctionType, ModuleType, torch.Tensor, CodeType)
_STATE = frozenset({"Parameter", "Buffer"})
"""Classes of tensors that make no difference to a value: fixes change them."""
_OF_BUFFERS = frozenset({"persistent", "_is_buffer"})
"""What torch notes on an ``nn.Buffer``."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def tensors(value: Any) -> list[torch.Tensor]:
    """Return the tensors in a result, in order; those of other objects by their attributes."""
    return list(_tensors(value, 0))


def _tensors(value: Any, depth: int) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif depth <= _DEEPEST:
        for _, item in parts(value):
            yield from _tensors(item, depth + 1)


def parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a value consists of, with the step that leads to it."""
    if isinstance(value, dict):
        yield from ((f"[{_key_text(key)}]", item) for key, item in value.items())
        yield from _beside(value, "default_factory")
    elif isinstance(value, (list, tuple, deque)):
        names = getattr(value, "_fields", None) or ()
        for number, item in enumerate(value):
            yield f".{names[number]}" if number < len(names) else f"[{number}]", item
        yield from _beside(value, "maxlen")
    elif isinstance(value, torch.nn.Module):
        yield from ((f".{name}", item) for name, item in sorted(value.state_dict().items()))
    elif isinstance(value, partial):
        yield from (("()", value.func), ("()", value.args), ("()", value.keywords))
    elif isinstance(value, FunctionType):
        yield from (("()", _content(cell)) for cell in value.__closure__ or ())
        yield from (("()", value.__defaults__), ("()", value.__kwdefaults__))
    elif not isinstance(value, _OPAQUE):
        held = {name: getattr(value, name) for name in _slots(type(value)) if hasattr(value, name)}
        held |= getattr(value, "__dict__", {})
        yield from ((f".{name}", held[name]) for name in sorted(held))
        if not held and not _is_array(value):
            yield from _reduced(value)


def _beside(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield what a container has beside its items: an attribute of its kind, and those of its own."""
    held = {name: getattr(value, name)} if hasattr(value, name) else {}
    held |= getattr(value, "__dict__", {})
    yield from ((f".{name}", held[name]) for name in sorted(held))


def _key_text(key: Any) -> str:
    """Return the text of a key, the same in every process; of one whose text is not, its type."""
    if isinstance(key, (tuple, frozenset)):
        texts = list(map(_key_text, key))
        return f"{type(key).__qualname__}({', '.join(texts if isinstance(key, tuple) else sorted(texts))})"
    if key is None or isinstance(key, (*_ATOMS, Enum, torch.dtype, torch.device)):
        return repr(key)
    if isinstance(key, (type, FunctionType, BuiltinFunctionType)):
        return f"{key.__module__}.{key.__qualname__}"
    return type(key).__qualname__


def _is_array(value: Any) -> bool:
    """Whether it is an array of NumPy; its type tells, since objects may do anything when an attribute is asked for."""
    return hasattr(type(value), "tobytes") and hasattr(type(value), "dtype")


def _reduced(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object that keeps its state out of sight would be made of anew, as iterators and generators do."""
    try:
        made = value.__reduce_ex__(4)
    except Exception:  # noqa: BLE001  whatever a foreign class raises
        return
    if isinstance(made, tuple):
        yield from (("()", one) for one in made[1:3])


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned as yet
        return None


def _slots(kind: type) -> list[str]:
    """Return the names of the slots of a class and its bases."""
    found = (vars(base).get("__slots__", ()) for base in kind.__mro__)
    names = (name for slots in found for name in ((slots,) if isinstance(slots, str) else tuple(slots)))
    return [name for name in names if name not in {"__dict__", "__weakref__"}]


def strides(tensor: torch.Tensor) -> list[int]:
    """Return the steps in memory from one element to the next, without those along dimensions of a single element."""
    if tensor.layout is not torch.strided or not tensor.numel():
        return []
    return [step for step, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1]


def memory(value: Any) -> int:
    """Return where the memory of a tensor or array begins; 0 where it has none that can be told."""
    try:
        if isinstance(value, torch.Tensor):
            return int(value.untyped_storage().data_ptr())
        while _is_array(getattr(value, "base", None)):  # a view of another array
            value = value.base
        return int(value.__array_interface__["data"][0])
    except Exception:  # noqa: BLE001  each layout has its own way to say that it has no single memory
        return 0


def excess(tensor: torch.Tensor) -> int:
    """Return how many bytes are saved with a tensor that are not its own, since it is a part of a larger one."""
    try:
        return max(0, tensor.untyped_storage().nbytes() - tensor.numel() * tensor.element_size())
    except Exception:  # noqa: BLE001  as above
        return 0


def flags(tensor: torch.Tensor) -> list[str]:
    """Return how the memory of a tensor is to be read, and who can read it; nothing where it has no single memory."""
    try:
        named = {"conj": tensor.is_conj(), "neg": tensor.is_neg(), "shared": tensor.untyped_storage().is_shared()}
    except Exception:  # noqa: BLE001  as above
        return []
    return [name for name, is_so in named.items() if is_so]


def digest(value: Any) -> str:
    """Return what is equal for two values only if they are equal bit for bit, in every type, key, dtype and shape."""
    state = hashlib.sha256()
    for step, text, _ in walked(value):
        state.update(f"{step} {text} ".encode("utf-8", "backslashreplace"))
    return state.hexdigest()[:20]


def walked(value: Any, known: Iterable[Any] = ()) -> Iterator[Place]:
    """Yield each place in a value with what is there, and that itself: types, keys, numbers, the bits of tensors.

    Args:
        value: anything.
        known: objects of which the type alone is told.
    """
    yield from _walked(value, "", 0, {id(one): one for one in known})


def sketch(places: Iterable[Place]) -> Facts:
    """Return what is equal for equal values, and enough of it to say how two of them differ.

    Args:
        places: what ``walked`` gives.
    """
    said = [[step, text] for step, text, _ in places]
    return {
        "digest": hashlib.sha256(repr(said).encode("utf-8", "backslashreplace")).hexdigest()[:20],
        "places": [[step, text[:_LONGEST]] for step, text in said[:_MOST_PLACES]],
    }


def shared(places: Iterable[Place]) -> list[list[str]]:
    """Return which places share memory, or hold the very same object that can be changed."""
    found: dict[tuple[str, int], list[str]] = {}
    for step, _, value in places:
        has_memory = isinstance(value, torch.Tensor) or _is_array(value)
        one = ("memory", memory(value)) if has_memory else ("object", id(value))
        if one[1] and (has_memory or isinstance(value, _CHANGEABLE) or _is_of_user(value)):
            found.setdefault(one, []).append(step)
    return [steps for steps in found.values() if len(steps) > 1]


def _is_of_user(value: Any) -> bool:
    """Whether a value is an object with attributes, and no part of the program such as a function."""
    return hasattr(value, "__dict__") and not isinstance(value, (*_OPAQUE, FunctionType, MethodType))


def _walked(value: Any, step: str, depth: int, seen: dict[int, Any]) -> Iterator[Place]:
    if value is None or isinstance(value, _ATOMS):
        yield step, f"{type(value).__qualname__} {value!r}", value
    elif isinstance(value, torch.Tensor):
        kind = type(value).__qualname__ if type(value).__qualname__ not in _STATE else "Tensor"
        yield step, f"{kind} {_tensor_text(value)}", value
        for name, item in sorted(vars(value).items()):
            if name not in _OF_BUFFERS and depth <= _DEEPEST:
                yield from _walked(item, f"{step}.{name}", depth + 1, seen)
    elif id(value) in seen or depth > _DEEPEST:
        yield step, type(value).__qualname__, value
    else:
        seen[id(value)] = value  # held, so that no other object gets its id
        yield step, f"{type(value).__qualname__} {_own_text(value)}", value
        if isinstance(value, (set, frozenset)):
            yield from ((step, text, None) for text in sorted(map(digest, value)))
        for further, item in parts(value):
            yield from _walked(item, step + further, depth + 1, seen)


def _tensor_text(tensor: torch.Tensor) -> str:
    try:
        bits = hashlib.sha256(_bits(tensor)).hexdigest()[:20]
        return f"{tensor.dtype} {list(tensor.shape)} {str(tensor.layout).rpartition('.')[2]} {bits}"
    except Exception:  # noqa: BLE001  a lazy tensor, or a layout whose bits cannot be had
        return f"{tensor.dtype}"


def _own_text(value: Any) -> str:
    """Return what an object says of itself that its parts do not: code, or the text of what has no parts."""
    if isinstance(value, FunctionType):
        return f"{value.__qualname__} {code_text(value.__code__)}"
    if isinstance(value, (type, BuiltinFunctionType)):
        return str(value.__qualname__)
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, memoryview):
        return f"{value.format} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if _is_array(value):
        return f"{value.dtype} {getattr(value, 'shape', ())} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, _CONTAINERS) or next(parts(value), None) is not None:
        return ""
    try:
        return _ADDRESS.sub("", repr(value))
    except Exception:  # noqa: BLE001  whatever a foreign class raises
        return ""


def code_text(code: CodeType) -> str:
    """Return what a function does, whatever its lines; functions in it included."""
    constants = [code_text(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars)
    return f"{hashlib.sha256(code.co_code).hexdigest()} {names} {constants}"


def _bits(tensor: torch.Tensor) -> bytes:
    if tensor.is_meta:
        return b"meta"
    plain = torch.zeros_like(tensor) if tensor._is_zerotensor() else tensor.detach()  # noqa: SLF001  it has no memory
    if plain.is_quantized or plain.layout is not torch.strided:
        plain = plain.dequantize() if plain.is_quantized else plain.to_dense()
    flat = plain.resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
    return ctypes.string_at(flat.data_ptr(), flat.numel() * flat.element_size())


def moved(value: Any, device: str) -> Any:
    """Return inputs with every tensor on a device; containers are rebuilt, other objects stay."""
    return replaced(value, lambda tensor: tensor.to(device))


def replaced(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Return inputs with what a function makes of every tensor; containers are rebuilt, other objects stay."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: replaced(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(replaced(item, change) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(item, change) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = (one.name for one in dataclasses.fields(value) if one.init)
        return dataclasses.replace(value, **{name: replaced(getattr(value, name), change) for name in own})
    return value


def in_dtype(dtype: torch.dtype, tensor: torch.Tensor) -> torch.Tensor:
    """Return a floating-point tensor in another dtype, and any other as it is."""
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def other_strides(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of the same values that lies in memory with its last two dimensions in turn."""
    if tensor.layout is not torch.strided or tensor.dim() < len(_LAST_TWO):
        return tensor
    turned = tensor.detach().transpose(*_LAST_TWO).contiguous().transpose(*_LAST_TWO)
    return turned.requires_grad_(tensor.requires_grad)


def other_values(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of the same shape and dtype with values that are likely others, and as likely to be allowed."""
    if tensor.layout is not torch.strided or not tensor.numel():
        return tensor
    turned = tensor.detach().reshape(-1).roll(1).reshape(tensor.shape)
    return turned * 0.75 if tensor.is_floating_point() or tensor.is_complex() else turned


def on(tensor: torch.Tensor, device: str) -> bool:
    """Whether a tensor is on a device; one named without its number is any of that kind."""
    wanted = torch.device(device)
    return tensor.device.type == wanted.type and wanted.index in (None, tensor.device.index)


def differences(result: Any, reference: Any, device: str, *, values: bool = True) -> str:
    """Return how a result of a device differs from that of the CPU; empty where it is equal within tolerance.

    On ``meta``, where tensors have no values, and where those are not asked for, shapes and dtypes are compared.
    """
    if type(result) is not type(reference):
        return f"the result is of type {type(result).__name__}, not {type(reference).__name__}"
    ours, theirs = tensors(result), tensors(reference)
    if len(ours) != len(theirs):
        return f"the result holds {len(ours)} tensors, not {len(theirs)}"
    for ours_one, theirs_one in zip(ours, theirs, strict=True):
        if not on(ours_one, device):
            return f"a result is on {ours_one.device}"
        said = _difference(ours_one, theirs_one, values=values)
        if said:
            return said
    return ""


def _difference(ours: torch.Tensor, theirs: torch.Tensor, *, values: bool) -> str:
    if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
        return f"a result is {ours.dtype} {tuple(ours.shape)}, not {theirs.dtype} {tuple(theirs.shape)}"
    return "" if ours.is_meta or not values else close(ours, theirs)


def close(ours: torch.Tensor, theirs: torch.Tensor) -> str:
    """Return how a tensor differs from another one of its shape and dtype; empty where it does not by much."""
    try:
        rtol, atol = (1e-4, 1e-5) if ours.dtype in {torch.float32, torch.complex64} else (None, None)
        torch.testing.assert_close(ours.detach().cpu(), theirs.detach().cpu(), rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        return " ".join(str(error).split())[:200]
    return ""
