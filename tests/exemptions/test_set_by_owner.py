"""What the `forward` of an owner gives its part before each use is as good as an argument, where others make none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from exemption_examples import reported

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
import torch
from torch import nn

class Gain(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = torch.linspace(0, 1, size)

    def forward(self, x):
        return x * self.scale

class Adaptive(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gain = Gain(size)

    def forward(self, x):
        self.gain.scale = x.mean(0)
        return self.gain(x)
"""


@pytest.mark.parametrize(("more", "found"), [("", []), ("__all__ = ['Adaptive', 'Gain']", ["scale"])])
def test_who_may_make_the_part(more: str, found: list[str], tmp_path: Path) -> None:
    assert reported(TEXT + more, tmp_path) == found
