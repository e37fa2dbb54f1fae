"""The audit: which tensors of a live module ``.to()`` misses, and which of its buffers are not what they seem."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regbuf_lint.verify.containers import tensors_in
from regbuf_lint.verify.own_moves import moved_by_class
from regbuf_lint.verify.structure import (
    attributes,
    buffers,
    class_attributes,
    ids_of,
    is_any,
    is_scripted,
    joined,
    lineage,
    module_of,
    modules,
    own_dict,
    parameters,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Self

KEPT_BY_TORCH = frozenset(vars(nn.Module())) | {"_actual_script_module"}
"""What every ``nn.Module`` object, and every scripted one, has of its own."""


_BOUND_TO_CPU = ("torch.ao.", "torch.nn.quantized.", "torch.nn.intrinsic.", "torch.nn.quantizable.")
"""Where torch's quantized classes are, which keep plain tensors for operators of the CPU alone."""
_QUALNAME = vars(type)["__qualname__"]
_NAME_OF_HOOKS = ("name", "_tensor_name")
"""Where the hooks of ``weight_norm``, ``spectral_norm`` and ``prune`` say which attribute they make."""
_RECURRENT, _FLAT_WEIGHTS = ids_of(nn.RNNBase), "_flat_weights"
"""LSTM and its like, and where they list their weights, as hooks and parametrizations make them."""


def remade_before_calls(owner: nn.Module) -> set[str]:
    """Return the attributes that torch computes anew before each call, out of what is registered."""
    own_weights = {_FLAT_WEIGHTS} if is_any(owner, _RECURRENT) else set()
    hooks = (own_dict(owner).get("_forward_pre_hooks") or {}).values()
    own = (one for one in hooks if any(module_of(base).startswith("torch.nn.utils") for base in lineage(type(one))))
    return own_weights | {str(value) for one in own for name, value in own_dict(one).items() if name in _NAME_OF_HOOKS}


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

    @property
    def size(self) -> str:
        """The shape as text."""
        return "x".join(map(str, self.shape)) or "scalar"

    @property
    def what(self) -> str:
        """The kind, with the buffer of an alias."""
        return f"{self.kind} of buffer {self.of}" if self.of else self.kind

    def __str__(self) -> str:
        return f"{self.path}: {self.what}, {self.dtype} {self.size} on {self.device}, held by {self.class_name}"


class Audit(tuple[Straggler, ...]):  # noqa: SLOT001  a tuple has no room for slots
    """What an audit found, in the order of submodules and attributes; as text, a table.

    Attributes:
        stopped: the ways to what was not looked into, since it is too large or too far away.
    """

    stopped: tuple[str, ...]

    def __new__(cls, stragglers: Iterable[Straggler] = (), stopped: Iterable[str] = ()) -> Self:
        """Make one of stragglers."""
        made = super().__new__(cls, tuple(stragglers))
        made.stopped = tuple(stopped)
        return made

    def __str__(self) -> str:
        rows = [("where", "kind", "dtype", "shape", "device", "class")]
        rows += [(one.path, one.what, one.dtype, one.size, one.device, one.class_name) for one in self]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows] if len(rows) > 1 else ["nothing"]
        return "\n".join([*lines, *(f"not looked into: {path}" for path in self.stopped)])


def audit(module: nn.Module, *, ignore: Iterable[str] = ()) -> Audit:
    """List the tensors of a module, of any shape, dtype and device, that are not moved, cast or saved with it.

    Looks at every attribute of the module and its submodules, also in slots and of their classes, into containers of
    any depth, distributions, ``functools.partial`` objects, closures and other objects. What a class moves by its own
    ``_apply`` or ``to`` is left out; they run on copies that share nothing with the module. No other method of the
    module is called, and it is as it was afterwards, bit for bit, and on the device where it was.

    Args:
        module: any module, built and, to see what ``forward`` stores, called.
        ignore: patterns of what is right as it is: the way to a tensor or to an attribute, or an attribute's name;
            ``*`` stands for anything (``encoder.masks``, ``cache``, ``*.prior.*``).

    Returns:
        What was found; empty for a module whose state follows it.
    """
    patterns, stopped = tuple(ignore), list[str]()
    kept = [one for one, _ in found(module, stopped) if not is_ignored(one, patterns)]
    return Audit(kept, stopped)


def is_ignored(one: Straggler, patterns: Iterable[str]) -> bool:
    """Whether one of some patterns names a straggler, its attribute, or the way to that."""
    names = (one.path, one.place, one.attribute)
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def found(module: nn.Module, stopped: list[str] | None = None) -> Iterator[tuple[Straggler, torch.Tensor]]:
    """Yield what ``audit`` lists, each with its tensor.

    Args:
        module: any module.
        stopped: gets the ways to what was not looked into.
    """
    owners = list(modules(module))
    known = {id(one) for _, owner in owners for one in parameters(owner).values()}
    registered = {id(one): joined(path, name) for path, owner in owners for name, one in buffers(owner).items()}
    members = frozenset(id(owner) for _, owner in owners)
    for path, owner in owners:
        yield from _misleading(path, owner)
        held = []
        for name, value in _plain(owner).items():
            ends: list[str] = []
            held += [(name, *one) for one in tensors_in(value, members, stopped=ends) if id(one[1]) not in known]
            if stopped is not None:
                stopped += [joined(path, name) + end for end in ends]
        moved = moved_by_class(owner, {name for name, *_ in held})
        for name, where, tensor in held:
            if name not in moved:
                kind = "alias" if id(tensor) in registered else where.kind
                of = registered.get(id(tensor), "")
                yield _straggler(joined(path, name), where.steps, kind, owner, name, tensor, of), tensor


def _plain(owner: nn.Module) -> dict[str, Any]:
    """Return the attributes of a module that are its own business, also those of its classes."""
    if f"{module_of(type(owner))}.".startswith(_BOUND_TO_CPU):
        return {}
    if is_scripted(owner):
        return {}  # what Python sees of it are methods that torch has bound
    own = {**class_attributes(type(owner)), **attributes(owner)}
    remade = remade_before_calls(owner)
    return {name: value for name, value in own.items() if name not in KEPT_BY_TORCH and name not in remade}


def _misleading(path: str, owner: nn.Module) -> Iterator[tuple[Straggler, torch.Tensor]]:
    for name, buffer in buffers(owner).items():
        if buffer.requires_grad:
            yield _straggler(joined(path, name), "", "requires-grad", owner, name, buffer), buffer


def _straggler(
    place: str, steps: str, kind: str, owner: nn.Module, name: str, tensor: torch.Tensor, of: str = ""
) -> Straggler:
    return Straggler(
        path=place + steps,
        kind=kind,
        class_name=_QUALNAME.__get__(type(owner)),
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
