"""An attribute in the place of a local, which a class of another file may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from exemption_examples import reported

if TYPE_CHECKING:
    from pathlib import Path

GRID = """
import torch
from torch import nn

class Grid(nn.Module):
    def __init__(self, bounds):
        super().__init__()
        self.register_buffer("bounds", bounds)
        self.refine(2)

    def refine(self, density):
        self.extent = self.bounds[1] - self.bounds[0]
        self.steps = int(self.extent.max()) * density

    def grow(self):
        self.refine(4)

    def forward(self, x):
        return x * self.steps
"""
BELOW = """
{origin}

class Fine(Grid):
    def forward(self, x):
        return x * self.extent
"""


@pytest.mark.parametrize(
    ("origin", "found"),
    [
        ("from package.grid import Grid", ["extent"]),
        ("from package.other import Grid", []),
        ("from torch import nn\nclass Grid(nn.Module): ...", []),
    ],
)
def test_a_class_that_inherits_from_it_and_no_other_of_that_name(origin: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    for name, text in (("__init__", ""), ("grid", GRID), ("fine", BELOW.format(origin=origin))):
        (tmp_path / f"package/{name}.py").write_text(text, encoding="utf-8")
    assert reported(GRID, tmp_path, "package/grid.py") == found
