"""A tensor on a device that was chosen or named stays behind where replicas of its object are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """
import torch
from torch import nn

class Scaled(nn.Module):
    def __init__(self, size{argument}):
        super().__init__()
        self.scale = torch.ones(size, device={device})

    def forward(self, x):
        return x * self.scale
"""
REPLICAS = "from torch.nn import DataParallel\nwrapped = DataParallel(model)\n"


@pytest.mark.parametrize(("argument", "device"), [(", device", "device"), ("", '"cuda"')])
@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, 0),
        ({"net/train.py": REPLICAS}, 0),
        ({"net/train.py": "from net.model import Scaled\n" + REPLICAS}, 1),
        ({"net/train.py": "import net.model\n" + REPLICAS}, 1),
        ({"net/train.py": "from .model import Scaled\nmodel = Scaled(3)\n" + REPLICAS}, 1),
        ({"net/train.py": "import model\n" + REPLICAS}, 1),
        ({"net/train.py": "def run():\n    from net import model\n" + REPLICAS}, 1),
        ({"train.py": "from net.zoo import build\n" + REPLICAS, "net/zoo.py": "from . import model\n"}, 1),
        ({"train.py": "from net.zoo import build\n" + REPLICAS, "net/zoo.py": "def build(): ...\n"}, 0),
    ],
)
def test_who_makes_replicas(argument: str, device: str, files: dict[str, str], found: int, tmp_path: Path) -> None:
    text = MODEL.format(argument=argument, device=device)
    for name, content in {"pyproject.toml": "", "net/__init__.py": "", "net/model.py": text, **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    settings = Settings(root=tmp_path, select=("RBF001",))
    checked = check_source(SourceText.from_text(text), tmp_path / "net" / "model.py", settings)
    assert len(checked.findings) == found
