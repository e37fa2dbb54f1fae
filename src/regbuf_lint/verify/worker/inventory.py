"""What a freshly built module holds: its Parameters, its buffers, and the tensors that it does not know."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch

from regbuf_lint.verify.checks.state_kept import refusing
from regbuf_lint.verify.stragglers import found
from regbuf_lint.verify.worker.code import names_of_files
from regbuf_lint.verify.worker.importing import file_of
from regbuf_lint.verify.worker.marks import marks
from regbuf_lint.verify.worker.program import random_state
from regbuf_lint.verify.worker.values import digest

if TYPE_CHECKING:
    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.stragglers import Straggler
    from regbuf_lint.verify.worker.subject import Subject


def take_inventory(subject: Subject) -> Facts:
    """Return what all checks start from."""
    module = subject.module
    drawn = random_state()  # also while its files were imported
    names = names_of_files(subject)
    keys = set(module.state_dict())
    return {
        "parameters": {name: _tensor(one) for name, one in module.named_parameters(remove_duplicate=False)},
        "buffers": {name: _buffer(one) | {"saved": name in keys} for name, one in _buffers(module).items()},
        "stragglers": _stragglers(subject),
        "marks": marks(subject),
        "keys": sorted(keys),
        "random": drawn,
        "names": names,
        "classes": sorted(_classes(module)),
    }


def _buffers(module: nn.Module) -> dict[str, torch.Tensor | None]:
    """Return all registered buffers, also those that are None as yet."""
    registered = {
        f"{path}.{name}" if path else name: buffer
        for path, owner in module.named_modules()
        for name, buffer in vars(owner).get("_buffers", {}).items()
    }
    return registered | dict(module.named_buffers(remove_duplicate=False))


def _stragglers(subject: Subject) -> Facts:
    plain = {one.path: (one, tensor) for one, tensor in found(subject.module)}
    refused = refusing(subject, plain)
    return {
        path: _straggler(one, tensor) | _tensor(tensor) | {"refused": refused.get(path, "")}
        for path, (one, tensor) in plain.items()
    }


def _straggler(one: Straggler, tensor: torch.Tensor) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "attribute": one.attribute,
        "place": one.place,
        "said": str(one),
        "asks": tensor.requires_grad and tensor.is_leaf,
    }


def _tensor(tensor: torch.Tensor) -> dict[str, Any]:
    try:
        bits = digest(tensor)
    except Exception:  # noqa: BLE001  a lazy tensor, or a layout whose bits cannot be had
        bits = ""
    try:
        shape = list(tensor.shape)
    except RuntimeError:  # a lazy tensor has none as yet
        shape = []
    return {"dtype": str(tensor.dtype), "shape": shape, "floating": tensor.is_floating_point(), "digest": bits}


def _buffer(buffer: torch.Tensor | None) -> dict[str, Any]:
    if buffer is None:
        return {"none": True}
    return _tensor(buffer) | {"none": False, "requires_grad": buffer.requires_grad}


def _classes(module: nn.Module) -> set[str]:
    """Return the classes, with bases, of the module and its submodules, as ``FILE::NAME``."""
    classes = {base for one in module.modules() for base in type(one).__mro__}
    found = {(file_of(sys.modules.get(kind.__module__)), _dotted(kind)) for kind in classes}
    return {f"{file}::{name}" for file, name in found if file is not None and _is_no_library(file)}


def _dotted(kind: type) -> str:
    """Return the name as it stands in the file, functions around the class included."""
    return kind.__qualname__.replace(".<locals>", "")


def _is_no_library(file: str) -> bool:
    return f"{torch.__path__[0]}/" not in file
