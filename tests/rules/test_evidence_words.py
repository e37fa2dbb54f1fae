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

    def forward(self, kept, name):
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
        ("return kept[self.mask]", "uses it as an index, which a tensor on another device has to copy each time"),
        ("kept[name + '.mask'] = self.mask", "stores it in `kept` too"),
        ("kept[name] = self.mask", "combines it with `kept`, which comes from the caller"),
        ("return kept.type_as(self.mask) + self.mask", "returns what it computes from it"),
        (
            "return kept.to(self.part.device) + self.mask",
            "combines it with what is computed from `kept`, which comes from the caller",
        ),
        ("return self.mask[kept.to(self.mask.device)]", "returns it"),
        ("return self.mask[kept.to(self.mask)].to(name)", "returns it, once it has been moved by hand"),
    ],
)
def test_what_is_handed_on_is_the_tensor_or_what_is_computed_from_it(statement: str, words: str) -> None:
    source = SourceText.from_text(NET.format(statement=statement))
    (finding,) = Session(Settings(root=Path.cwd())).check(Path("net.py"), source).findings
    assert finding.evidence[0].message == f"`forward` (line 12) {words}"


MOVING = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.linspace(0, 1, 3)

    def moved(self, x):
        return self.mask.to(x.device)

    def forward(self, x):
{body}
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "        mask = self.mask.to(x)\n        y = mask.exp()\n        return x * y",
            "`forward` (line 14) moves it by hand, to combine it with `x`, which comes from the caller",
        ),
        (
            "        return x * torch.exp(\n            self.mask.to(x)\n        )",
            "`forward` (line 15) moves it by hand, to combine it with `x`, which comes from the caller",
        ),
        (
            "        return x * self.moved(x)",
            "`forward` (line 14) combines it with `x`, which comes from the caller, to which it is moved by hand",
        ),
        (
            "        scaled(self.mask.to(x))",
            "`forward` (line 14) passes it to `scaled`, once it has been moved by hand",
        ),
        ("        return x * self.mask", "`forward` (line 14) combines it with `x`, which comes from the caller"),
    ],
    ids=["before", "within", "in another method", "before it is passed on", "no move"],
)
def test_who_moves_it_by_hand_does_so_where_it_is_moved(body: str, words: str) -> None:
    source = SourceText.from_text(MOVING.format(body=body))
    (finding,) = Session(Settings(root=Path.cwd())).check(Path("net.py"), source).findings
    assert finding.evidence[0].message == words


LATE = """\
import torch
from torch import nn


class Net(nn.Module):
    def setup(self, n):
        self.mask = torch.ones(n)

    def forward(self, x):
        return x * self.mask
"""


def test_the_first_value_that_a_method_gives_replaces_nothing() -> None:
    source = SourceText.from_text(LATE)
    (finding,) = Session(Settings(root=Path.cwd())).check(Path("net.py"), source).findings
    told = ["`forward` (line 10) combines it with `x`, which comes from the caller"]
    assert [one.message for one in finding.evidence] == told
    assert finding.method == "setup"
    assert "declare it in the constructor" in finding.help
