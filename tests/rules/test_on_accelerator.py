"""On an accelerator that the code names a tensor stays behind; on a device that somebody chose nothing comes of it.

Fixtures are built on machines without an accelerator, so these classes are no fixtures.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

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
        ("table.cuda()", "RBF001"),
        ("table.cuda().repeat(batch_size, 1)", "RBF001"),
        ("table.to('cuda')", "RBF001"),
        ("torch.ones(n, device='cuda:0')", "RBF001"),
        ("torch.ones(n, device=torch.device('cuda'))", "RBF001"),
        ("table.to(device)", "RBF006"),
        ("table.to('cuda' if torch.cuda.is_available() else 'cpu')", "RBF006"),
    ],
)
def test_who_chose_the_device(table: str, expected: str) -> None:
    settings = Settings(root=Path("nowhere"), select=("RBF001", "RBF006"))
    source = SourceText.from_text(NET.format(table=table))
    found = check_source(source, Path("nowhere", "net.py"), settings).findings
    assert [one.code for one in found] == [expected]
