"""Small nn.Module classes that show what torch does; importing this skips a test file where torch is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import torch
    from torch import nn
else:
    torch = pytest.importorskip("torch")
    nn = torch.nn


class Three(nn.Module):
    """Holds the same values as a Parameter, as a buffer and as a plain tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.parameter = nn.Parameter(torch.ones(2))
        self.register_buffer("buffer", torch.ones(2))
        self.plain = torch.ones(2)


class Multiply(nn.Module):
    """Multiplies by a tensor that is stored plainly or registered."""

    def __init__(self, factor: torch.Tensor, *, registered: bool, persistent: bool = True) -> None:
        super().__init__()
        if registered:
            self.register_buffer("factor", factor, persistent=persistent)
        else:
            self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor


def with_buffer(tensor: torch.Tensor | None, name: str = "x") -> nn.Module:
    module = nn.Module()
    module.register_buffer(name, tensor)
    return module


def device_type(tensor: object) -> str:
    assert isinstance(tensor, torch.Tensor)
    return tensor.device.type


# Registration and names
