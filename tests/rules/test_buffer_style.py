"""What findings advise under each style of registration."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import BufferStyle, Settings
from regbuf_lint.source.text import SourceText

TEXT = """
import torch
{imports}

class Norm(torch.nn.Module):
    def __init__(self, flag):
        super().__init__()
        self.mean = {value}

    def forward(self, x):
        return x - self.mean
"""


@pytest.mark.parametrize(
    ("style", "imports", "value", "advice"),
    [
        (BufferStyle.REGISTER_BUFFER, "", "torch.ones(3)", '`self.register_buffer("mean", ...)`'),
        (BufferStyle.NN_BUFFER, "", "torch.ones(3)", "`self.mean = torch.nn.Buffer(...)`"),
        (BufferStyle.NN_BUFFER, "from torch import nn", "torch.ones(3)", "`self.mean = nn.Buffer(...)`"),
        (BufferStyle.NN_BUFFER, "", "torch.ones(3) if flag else None", '`self.register_buffer("mean", ...)`'),
    ],
)
def test_advice_is_what_the_fix_writes(style: BufferStyle, imports: str, value: str, advice: str) -> None:
    source = SourceText.from_text(TEXT.format(imports=imports, value=value))
    (finding,) = check_source(source, Path("norm.py"), Settings(root=Path(), buffer_style=style)).findings
    assert finding.help == f"register it: {advice}"
    assert finding.fix is not None
    assert advice.strip("`").removesuffix("...)") in finding.fix.edits[-1].content
