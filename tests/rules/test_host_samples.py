"""Samples that go to methods whose source is not at hand, which no running code can show."""

from __future__ import annotations

from pathlib import Path

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

CHOOSING = """
import torch
from kornia.augmentation.auto.base import PolicyAugmentBase
from torch import nn
from torch.distributions import Categorical

class Choosing(PolicyAugmentBase):
    def __init__(self, layers):
        super().__init__(layers)
        self.layer = nn.Linear(3, 3)
        self.selector = Categorical(torch.ones(len(layers)))

    def get_forward_sequence(self):
        chosen = self.selector.sample((3,))
        return self.get_children_by_indices(chosen)
"""


def codes(text: str) -> list[str]:
    checked = check_source(SourceText.from_text(text), Path("choosing.py"), Settings(root=Path()))
    return [finding.rule.code for finding in checked.findings]


def test_a_call_that_cannot_be_read_is_no_reason_for_silence() -> None:
    """A list of Python may take the samples for indices there, and a layer may compute with them."""
    assert codes(CHOOSING) == ["RBF003"]
    assert codes(CHOOSING.replace("self.get_children_by_indices(", "self.layer(")) == ["RBF003"]


def test_numbers_made_of_samples_may_go_anywhere() -> None:
    assert codes(CHOOSING.replace("indices(chosen)", "indices(chosen.tolist())")) == []
