"""Objects that only `forward` makes end with its call, unless a package offers their class to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from exemption_examples import reported

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
import torch
from torch import nn

class Window(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weights = torch.linspace(0, 1, size)

    def forward(self, x):
        return x * self.weights

class Blurred(nn.Module):
    def forward(self, x):
        return Window(x.shape[-1])(x)
"""


@pytest.mark.parametrize(
    ("package", "more", "found"),
    [
        ("", "", []),
        ("", "__all__ = ['Blurred']", []),
        ("", "__all__ = ['Blurred', 'Window']", ["weights"]),
        ("from .net import Blurred", "", []),
        ("from .net import Blurred, Window", "", ["weights"]),
    ],
)
def test_who_may_make_one(package: str, more: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text(package, encoding="utf-8")
    path = tmp_path / "pkg" / "net.py"
    path.write_text(TEXT + more, encoding="utf-8")
    assert reported(TEXT + more, tmp_path, "pkg/net.py") == found


FUNCTIONS = """
def put(model, name, part):
    setattr(model, name, part)

def kept(part):
    return part

def show(part):
    print(part)
"""


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("show(part)", []),
        ("part(torch.ones(3))", []),
        ("setattr(self.model, 'window', part)", ["weights"]),
        ("put(self.model, 'window', part)", ["weights"]),
        ("self.model.add_module('window', part)", ["weights"]),
        ("self.model = kept(part)", ["weights"]),
    ],
)
def test_what_a_method_may_do_with_what_it_makes(statement: str, found: list[str], tmp_path: Path) -> None:
    maker = f"""
class Converter(nn.Module):
    def convert(self):
        part = Window(3)
        {statement}
"""
    text = TEXT.partition("class Blurred")[0] + FUNCTIONS + maker
    assert reported(text, tmp_path) == found
