"""An assertion for test suites: the state of a module follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from regbuf_lint.verify.isolated_copy import classes_set_aside, isolated_copy, tensor_copy
from regbuf_lint.verify.stragglers import audit, found, is_ignored
from regbuf_lint.verify.worker.values import differences, digest, moved, on, replaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from torch import nn

_META = "meta"
_OTHER_SEED = 54321
_VALUES = ("same device", "expected device", "different devices")


def assert_state_follows_module(
    module: nn.Module,
    inputs: torch.Tensor | Sequence[Any] | Mapping[str, Any] | None = None,
    device: str | torch.device | None = None,
    *,
    ignore: Iterable[str] = (),
) -> None:
    """Assert that every tensor of a module is moved and cast with it, and that it still works elsewhere.

    The audit has to find nothing. Copies of the module are moved to the device and cast to ``float64``, and every
    Parameter and buffer has to follow. With inputs, a copy is called on the CPU and another on the device: outputs have
    to be equal within tolerance (on ``meta``, where there are no values, in shape and dtype), and the call must not
    store a tensor that stays behind. Outputs that depend on random numbers, as those of dropout, are compared in shape
    and dtype. The module itself is neither moved, cast nor called: all that is done to copies, which share nothing with
    it. What cannot be copied, as open files, has stand-ins in them. Inputs are copied, too.

    Args:
        module: a module on the CPU.
        inputs: what it is called with: a tensor, a sequence of positional arguments, or a mapping of named ones;
            tensors of any shape and dtype, on the CPU. Without inputs nothing is called.
        device: where to; the default is CUDA where there is one, else ``meta``, which every torch has.
        ignore: patterns of what is right as it is, as those of ``audit``.

    Raises:
        AssertionError: something stays behind, or differs; the message lists it.
    """
    target = str(device or ("cuda" if torch.cuda.is_available() else _META))
    _assert_nothing(list(map(str, audit(module, ignore=ignore))), "tensors that do not follow the module")
    with classes_set_aside(module):
        moved_copy = isolated_copy(module).to(target)
        _assert_nothing(_elsewhere(moved_copy, target), f"not on {target} after .to()")
        _assert_nothing(_not_cast(isolated_copy(module).double()), "not cast by .double()")
        if inputs is not None:
            _assert_works(module, moved_copy, inputs, target, tuple(ignore))


def _assert_nothing(found_names: Sequence[str], said: str) -> None:
    if found_names:
        raise AssertionError(f"{said}:\n" + "\n".join(f"  {name}" for name in found_names))


def _named(module: nn.Module) -> dict[str, torch.Tensor]:
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}


def _elsewhere(module: nn.Module, device: str) -> list[str]:
    return [f"{name} on {tensor.device}" for name, tensor in _named(module).items() if not on(tensor, device)]


def _not_cast(module: nn.Module) -> list[str]:
    return [
        f"{name}: {tensor.dtype}"
        for name, tensor in _named(module).items()
        if tensor.is_floating_point() and tensor.dtype is not torch.float64
    ]


def _assert_works(module: nn.Module, moved_copy: nn.Module, inputs: Any, device: str, ignore: tuple[str, ...]) -> None:
    used = isolated_copy(module)
    expected = _called(used, inputs)
    draws = digest(expected) != digest(_called(isolated_copy(module), inputs, seed=_OTHER_SEED))
    try:
        result = _called(moved_copy, moved(inputs, device))
        _called(used.to(device), moved(inputs, device))
    except Exception as error:
        if device.startswith(_META) and not any(text in str(error) for text in _VALUES):
            return  # it needs values, and meta tensors have none
        msg = f"cannot be called on {device}: {type(error).__name__}: {error}"
        raise AssertionError(msg) from error
    after = [str(one) for one, tensor in found(used) if not on(tensor, device) and not is_ignored(one, ignore)]
    _assert_nothing(after, f"stored by a call, and still not on {device} after .to() and another call")
    said = differences(result, expected, device, values=not draws)
    if said:
        msg = f"on {device}: {said}"
        raise AssertionError(msg)


def _called(module: nn.Module, given: Any, seed: int = 0) -> Any:
    """Call a module on copies of inputs, which it may write to."""
    inputs = replaced(given, tensor_copy)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if isinstance(inputs, torch.Tensor):
            return module(inputs)
        return module(**inputs) if isinstance(inputs, dict) else module(*inputs)
