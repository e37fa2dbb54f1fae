"""Where a function has found out of which class a layer is, what it gives of the layer is that class's Parameter."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from exemption_examples import reported

if TYPE_CHECKING:
    from pathlib import Path

NET = """
import torch
from torch import Tensor, nn

class Rebuilt(nn.Module):
    def __init__(self, weight: Tensor, bias: Tensor | None = None):
        super().__init__()
        self.weight = nn.Parameter(weight.detach())
        self.bias = bias

    def forward(self, x):
        return x @ self.weight + self.bias

def rebuild(layer, kind):
"""
LINEAR = (
    "if isinstance(layer, nn.Linear): return {}",
    "if isinstance(layer, nn.Linear) and not hasattr(layer, 'quantized'): return {}",
    "if not isinstance(layer, nn.Linear):\n    return layer\nreturn {}",
    "if not isinstance(layer, (nn.Linear, nn.Bilinear)):\n    raise TypeError\nreturn {}",
    "assert isinstance(layer, nn.Linear | nn.Bilinear)\nreturn {}",
    "if type(layer) is nn.Linear: return {}",
    "if type(layer) == nn.Linear: return {}",
    "if type(layer) is not nn.Linear:\n    return layer\nreturn {}",
    "if type(layer) in (nn.Linear, nn.Bilinear): return {}",
    "if layer.__class__ is nn.Linear: return {}",
    "return {} if isinstance(layer, nn.Linear) else layer",
    "for name, one in layer.named_modules():\n    layer = one\n    if isinstance(layer, nn.Linear):\n        yield {}",
    "match layer:\n    case nn.Linear(): return {}",
    "match layer:\n    case nn.Linear() | nn.Bilinear(): return {}",
    "match layer:\n    case nn.Linear() as other: return {}",
)
HELD = (
    "made = nn.Sequential(nn.Linear(3, 3))\nlayer = made[0]\nreturn {}",
    "for layer in nn.ModuleList(layer):\n    yield {}",
    "layer = nn.ModuleDict(layer)[kind]\nreturn {}",
    "for layer in layer.modules():\n    if isinstance(layer, nn.Linear): yield {}",
    "for _, layer in layer.named_children():\n    yield {}",
    "layer, = layer[2:].children() if isinstance(layer, nn.Sequential) else ()\nreturn {}",
)
SOMETHING_ELSE = (
    "return {}",
    "if layer: return {}",
    "if isinstance(layer, kind): return {}",
    "if not isinstance(layer, nn.Linear): return {}",
    "if type(layer) is not nn.Linear: return {}",
    "if type(layer) is type(kind): return {}",
    "match layer:\n    case nn.Linear(): pass\n    case other: return {}",
)


def body(asking: str, given: str = "Rebuilt(layer.weight, layer.bias)") -> str:
    return NET + textwrap.indent(asking.format(given), "    ")


@pytest.mark.parametrize("asking", LINEAR)
def test_a_parameter_is_given(asking: str, tmp_path: Path) -> None:
    assert reported(body(asking), tmp_path) == []


@pytest.mark.parametrize("asking", LINEAR)
def test_its_data_is_none(asking: str, tmp_path: Path) -> None:
    assert reported(body(asking, "Rebuilt(layer.weight.data, layer.bias.data)"), tmp_path) == ["bias"]


@pytest.mark.parametrize("asking", HELD)
def test_a_module_that_is_held_looks_after_it(asking: str, tmp_path: Path) -> None:
    assert reported(body(asking), tmp_path) == []


@pytest.mark.parametrize("decorator", ["@staticmethod", "@classmethod"])
def test_a_method_of_the_class_is_a_function(decorator: str, tmp_path: Path) -> None:
    taken = "cls, layer" if decorator == "@classmethod" else "layer"
    made = f"    {decorator}\n    def of({taken}: nn.Linear):\n        return Rebuilt(layer.weight, layer.bias)\n"
    assert reported(NET.partition("def rebuild")[0] + made, tmp_path) == []


@pytest.mark.parametrize("asking", SOMETHING_ELSE)
def test_nothing_is_found_out(asking: str, tmp_path: Path) -> None:
    assert reported(body(asking), tmp_path) == ["bias"]


@pytest.mark.parametrize("call", ["Rebuilt(x)", "Rebuilt(weight=x)"])
def test_a_call_that_leaves_it_out_says_nothing(call: str, tmp_path: Path) -> None:
    owner = f"\nclass Owner(nn.Module):\n    @staticmethod\n    def made(x):\n        return {call}\n"
    assert reported(body(LINEAR[0]) + owner, tmp_path) == []


@pytest.mark.parametrize("call", ["Rebuilt(x, x)", "Rebuilt(*x)", "Rebuilt(x, **x)"])
def test_a_call_that_may_give_it_does(call: str, tmp_path: Path) -> None:
    owner = f"\nclass Owner(nn.Module):\n    @staticmethod\n    def made(x):\n        return {call}\n"
    assert reported(body(LINEAR[0]) + owner, tmp_path) == ["bias"]
