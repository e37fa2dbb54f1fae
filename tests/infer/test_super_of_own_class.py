"""``super(self.__class__, self)`` runs the base's constructor, as long as nobody inherits from the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
import torch
from torch import nn

class Steps(nn.Module):
    def __init__(self, count):
        super({owner}).__init__()
        self.steps = torch.arange(count)

    def forward(self, x):
        return x + self.steps
"""


@pytest.mark.parametrize(
    ("owner", "is_initialised"),
    [
        ("", True),
        ("Steps, self", True),
        ("self.__class__, self", True),
        ("type(self), self", True),
        ("count.__class__, self", False),
        ("count, self", False),
    ],
)
def test_the_constructor_of_the_base_has_run(owner: str, is_initialised: bool, tmp_path: Path) -> None:  # noqa: FBT001
    settings = Settings(root=tmp_path, select=("RBF001",))
    text = SourceText.from_text(TEXT.format(owner=owner))
    (finding,) = check_source(text, tmp_path / "net.py", settings).findings
    applicability = None if finding.fix is None else finding.fix.applicability
    assert applicability is (Applicability.SAFE if is_initialised else None)
