"""Objects that functions make, use and let go, without moving or saving one, come to no harm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.findings.inert import LEFT_ALONE
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

GRID = """
import torch
from torch import nn
from elsewhere import trained

class Grid(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.points = torch.linspace(-1, 1, size)

    def forward(self, x):
        return x * self.points

def look(model):
    print(model)
    return len(list(model.children()))

def watch(model):
    return model

def move(model):
    model.cuda()
"""
WARP = """
def warp(x):
    grid = Grid(3)
    {statement}
"""


def code(text: str, root: Path) -> str:
    settings = Settings(root=root, select=("RBF001", "RBF006"))
    (found,) = check_source(SourceText.from_text(text), root / "net.py", settings).findings
    assert (LEFT_ALONE in found.message) is (found.code == "RBF006")
    return found.code


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("return grid(x)", "RBF006"),
        ("return grid(x) * look(grid)", "RBF006"),
        ("return grid.eval()(x)", "RBF006"),
        ("return grid.to(x.device)(x)", "RBF001"),
        ("grid.eval().half()", "RBF001"),
        ("torch.save(grid.state_dict(), 'grid.pt')", "RBF001"),
        ("torch.save(grid, 'grid.pt')", "RBF001"),
        ("return grid", "RBF001"),
        ("return watch(grid)(x)", "RBF001"),
        ("move(grid)", "RBF001"),
        ("trained(grid, x)", "RBF001"),
        ("grid.points = x", "RBF001"),
        ("nn.Sequential(grid)(x)", "RBF001"),
    ],
)
def test_what_a_function_may_do(statement: str, expected: str, tmp_path: Path) -> None:
    assert code(GRID + WARP.format(statement=statement), tmp_path) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", "RBF001"),
        ("print(Grid(3)(torch.ones(3)))", "RBF001"),
        ("def _test_grid():\n    print(Grid(3)(torch.ones(3)))", "RBF001"),
        (WARP.format(statement="return grid(x)") + "def kept(): return Grid(3)", "RBF001"),
        (WARP.format(statement="return grid(x)") + "__all__ = ['Grid']", "RBF001"),
    ],
)
def test_who_makes_one(more: str, expected: str, tmp_path: Path) -> None:
    assert code(GRID + more, tmp_path) == expected
