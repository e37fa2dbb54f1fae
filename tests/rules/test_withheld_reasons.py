"""The reasons for which a fix is withheld, where no running code can show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

BEFORE = """
import torch
from torch import nn

class Sampler(nn.Module):
    def __init__(self, n):
        self.times = torch.linspace(0, 1, n)
"""


@pytest.mark.parametrize(
    ("behind", "reason"),
    [
        ("", "it is assigned without `super().__init__()`, where a registration raises AttributeError"),
        (
            "        super().__init__()\n",
            "it is assigned before `super().__init__()`, where a registration raises AttributeError",
        ),
    ],
)
def test_registration_needs_an_initialised_object(behind: str, reason: str) -> None:
    source = SourceText.from_text(BEFORE + behind)
    (finding,) = check_source(source, Path("sampler.py"), Settings(root=Path())).findings
    assert finding.fix is None
    assert finding.help.endswith(f"fix withheld: {reason}")
