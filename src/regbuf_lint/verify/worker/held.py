"""Everything that a module holds: state, modes, parts, hooks and plain attributes, each by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.stragglers import KEPT_BY_TORCH
from regbuf_lint.verify.worker.program import program, random_state
from regbuf_lint.verify.worker.values import sketch

if TYPE_CHECKING:
    import torch
    from torch import nn

    from regbuf_lint.verify.model import Facts


def held_by(module: nn.Module) -> Facts:
    """Return what a module holds, so that two versions of it can be compared in another process."""
    members = list(module.modules())
    facts: Facts = {
        "parameters": {name: _state(one) for name, one in module.named_parameters(remove_duplicate=False)},
        "buffers": {name: _state(one) for name, one in module.named_buffers(remove_duplicate=False)},
        "none": [
            f"{path}.{name}" if path else name
            for path, owner in module.named_modules()
            for name, one in vars(owner).get("_buffers", {}).items()
            if one is None
        ],
        "training": {path: one.training for path, one in module.named_modules()},
        "parts": {path: type(one).__qualname__ for path, one in module.named_modules()},
        "attributes": {},
        "random": random_state(),
        "globals": program(),
    }
    for path, owner in module.named_modules():
        for name, value in _attributes(owner).items():
            facts["attributes"][f"{path}.{name}" if path else name] = sketch(value, members)
    return facts


def _state(tensor: torch.Tensor) -> list[Any]:
    return [sketch(tensor)["digest"], str(tensor.dtype), tensor.requires_grad]


def _attributes(owner: nn.Module) -> dict[str, Any]:
    """Return plain attributes, and the functions in the hooks that torch keeps."""
    found = {}
    for name, value in list(vars(owner).items()):
        if name not in KEPT_BY_TORCH:
            found[name] = value
        elif "_hooks" in name and value:
            found[name] = list(value.values())
    return found
