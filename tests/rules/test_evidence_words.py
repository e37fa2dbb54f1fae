"""What findings say that methods do with a tensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.engine.session import Session
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

NET = """\
import torch
from elsewhere import scaled
from torch import nn


class Net(nn.Module):
    def __init__(self, mask: torch.Tensor):
        super().__init__()
        self.mask = mask

    def forward(self):
        {statement}
"""


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("return self.mask", "returns it"),
        ("return torch.sum(self.mask) / 2", "returns what it computes from it"),
        ("scaled(self.mask)", "passes it to `elsewhere.scaled`"),
        ("scaled(self.mask.exp())", "passes what it computes from it to `elsewhere.scaled`"),
        ("scaled(self.mask.view(-1))", "passes it to `elsewhere.scaled`"),
    ],
)
def test_what_is_handed_on_is_the_tensor_or_what_is_computed_from_it(statement: str, words: str) -> None:
    source = SourceText.from_text(NET.format(statement=statement))
    (finding,) = Session(Settings(root=Path.cwd())).check(Path("net.py"), source).findings
    assert finding.evidence[0].message == f"`forward` (line 12) {words}"
