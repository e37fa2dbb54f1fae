"""Where a tensor lies that the constructor puts somewhere: on an accelerator by name, or on a device that was chosen.

Fixtures are built on machines without an accelerator, so these classes are no fixtures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.findings.inert import CHOSEN_DEVICE, NAMED_DEVICE
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, n, batch_size, device):
        super().__init__()
        table = torch.linspace(0.0, 1.0, n)
        self.table = {table}

    def forward(self, x):
        return x * self.table
"""


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("table.cuda()", NAMED_DEVICE),
        ("table.cuda().repeat(batch_size, 1)", NAMED_DEVICE),
        ("table.to('cuda')", NAMED_DEVICE),
        ("torch.ones(n, device='cuda:0')", NAMED_DEVICE),
        ("torch.ones(n, device=torch.device('cuda'))", NAMED_DEVICE),
        ("table.to(device)", CHOSEN_DEVICE),
        ("table.to('cuda' if torch.cuda.is_available() else 'cpu')", CHOSEN_DEVICE),
    ],
)
def test_who_chose_the_device(table: str, expected: str, tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, select=("RBF001", "RBF006"))
    source = SourceText.from_text(NET.format(table=table))
    (found,) = check_source(source, tmp_path / "net.py", settings).findings
    assert found.code == "RBF006"
    assert expected in found.message


def test_a_device_of_its_own_is_chosen_by_nobody(tmp_path: Path) -> None:
    """Where the object's own parts lie when it is built, nobody has put them yet."""
    settings = Settings(root=tmp_path, select=("RBF001", "RBF006"))
    source = SourceText.from_text(NET.format(table="table.to(nn.Linear(n, n).weight.get_device())"))
    (found,) = check_source(source, tmp_path / "net.py", settings).findings
    assert found.code == "RBF001"
