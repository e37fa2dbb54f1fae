"""The audit: which tensors of a live module ``.to()`` misses, and which of its buffers are not what they seem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regbuf_lint.verify.containers import tensors_in
from regbuf_lint.verify.own_moves import moved_by_class

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT_BY_TORCH = frozenset(vars(nn.Module())) | {"_actual_script_module"}
"""What every ``nn.Module`` object, and every scripted one, has of its own."""


@dataclass(frozen=True, slots=True)
class Straggler:
    """A tensor that stays behind when its module moves, or a buffer that misleads.

    Attributes:
        path: where it is, from the audited module on: ``encoder.masks[0]``, ``table['a']``, ``prior.loc``.
        kind: ``tensor`` (a plain attribute), ``container`` (in a list, tuple, dict, set or deque), ``distribution``,
            ``closure`` (in a ``functools.partial``, bound by a function or held by a bound method's object), ``object``
            (an attribute of another object), ``module`` (in an ``nn.Module`` that is not registered), ``alias`` (the
            very tensor of a buffer, under a second name that will keep the old one), ``requires-grad`` (a buffer that
            requires a gradient, or carries a graph).
        class_name: the qualified name of the class of the module that holds it.
        attribute: the attribute of that module.
        place: the way to that attribute, from the audited module on: ``encoder.masks``.
        shape: the tensor's shape.
        dtype: its dtype, such as ``torch.float32``.
        device: where it is now, such as ``cpu``.
        of: for an ``alias``, the name of the buffer.
    """

    path: str
    kind: str
    class_name: str
    attribute: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    of: str = ""
    place: str = ""

    def __str__(self) -> str:
        size = "x".join(map(str, self.shape)) or "scalar"
        of = f" of buffer {self.of}" if self.of else ""
        return f"{self.path}: {self.kind}{of}, {self.dtype} {size} on {self.device}, held by {self.class_name}"


def audit(module: nn.Module) -> tuple[Straggler, ...]:
    """List the tensors of a module, of any shape, dtype and device, that are not moved, cast or saved with it.

    Looks at every attribute of the module and its submodules, into containers, distributions, ``functools.partial``
    objects, closures and other objects. What a class moves by its own ``_apply`` or ``to`` is left out. The module is
    as it was afterwards, and on the device where it was.

    Args:
        module: any module, built and, to see what ``forward`` stores, called.

    Returns:
        What was found, in the order of submodules and attributes; empty for a module whose state follows it.
    """
    return tuple(straggler for straggler, _ in found(module))


def found(module: nn.Module) -> Iterator[tuple[Straggler, torch.Tensor]]:
    """Yield what ``audit`` lists, each with its tensor."""
    parameters = {id(one) for one in module.parameters()}
    buffers = {id(one): name for name, one in module.named_buffers()}
    members = frozenset(map(id, module.modules()))
    for path, owner in module.named_modules():
        yield from _misleading(path, owner)
        held = [
            (name, where, tensor)
            for name, value in list(vars(owner).items())
            if name not in KEPT_BY_TORCH
            for where, tensor in tensors_in(value, members)
            if id(tensor) not in parameters
        ]
        moved = moved_by_class(owner, {name for name, *_ in held})
        for name, where, tensor in held:
            if name not in moved:
                kind = "alias" if id(tensor) in buffers else where.kind
                of = buffers.get(id(tensor), "")
                yield _straggler(_joined(path, name), where.steps, kind, owner, name, tensor, of), tensor


def _misleading(path: str, owner: nn.Module) -> Iterator[tuple[Straggler, torch.Tensor]]:
    for name, buffer in owner.named_buffers(recurse=False):
        if buffer.requires_grad:
            yield _straggler(_joined(path, name), "", "requires-grad", owner, name, buffer), buffer


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _straggler(
    place: str, steps: str, kind: str, owner: nn.Module, name: str, tensor: torch.Tensor, of: str = ""
) -> Straggler:
    return Straggler(
        path=place + steps,
        kind=kind,
        class_name=type(owner).__qualname__,
        attribute=name,
        shape=_shape(tensor),
        dtype=str(tensor.dtype),
        device=str(tensor.device),
        of=of,
        place=place,
    )


def _shape(tensor: Any) -> tuple[int, ...]:
    """Return the shape; that of a lazy tensor, which has none as yet, is empty."""
    try:
        return tuple(int(size) for size in tensor.shape)
    except RuntimeError:
        return ()
