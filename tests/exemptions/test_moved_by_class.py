"""An own `_apply` moves what it names, if it is one like that of nn.Module at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from exemption_examples import reported

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
import torch
from torch import nn

class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.loc = torch.linspace(0, 1, size)

    def forward(self, x):
        return x + self.loc

"""


@pytest.mark.parametrize(
    ("method", "found"),
    [
        ("def _apply(self, fn): self.loc = fn(self.loc); return super()._apply(fn)", []),
        ("def _apply(self, fn, recurse=True): self.loc = super()._apply(fn).cast(self.loc); return self", []),
        ("def _apply(self, *args): self.loc = self.move(self.loc, *args); return self", []),
        ("def _apply(self, values): self.loc = values + self.loc; return self.loc", ["loc"]),
        ("def _apply(self, values): return values.add(self.loc)", ["loc"]),
    ],
)
def test_what_an_own_apply_does(method: str, found: list[str], tmp_path: Path) -> None:
    text = TEXT + f"    {method}\n"
    assert reported(text, tmp_path) == found
