"""What a later assignment says of an attribute: moved, computed from its own value, or replaced."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from regbuf_lint.class_context.change import Change
from regbuf_lint.class_context.context import ClassContext
from regbuf_lint.index.project import Project
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.infer.construction import construct, start
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

HEAD = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.x = torch.ones(n)
        self.register_buffer("y", torch.ones(n))

    def fit(self, d, y):
"""


def change(body: str) -> Change:
    """What a method with this body does to ``self.x``."""
    settings = Settings(root=Path("nowhere"))
    project = Project([settings.root], settings)
    inference = start(project, project.outlined(), settings)
    path = Path("nowhere/main.py").absolute()
    facts = project.add(path, SourceText.from_text(HEAD + textwrap.indent(body, " " * 8), str(path)))
    symbol = ClassSymbol(next(facts.class_scopes()))
    construction = construct(inference, symbol)
    assert construction is not None
    return ClassContext(inference, symbol, construction).change_of("x")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.x = self.x.to(d)", Change.NONE),
        ("self.x = torch.as_tensor(self.x, device=d)", Change.NONE),
        ("self.x = self.x.half() if self.x is not None else None", Change.NONE),
        ("x = self.x\nself.x = x.to(d)", Change.NONE),
        ("self.x = self.y.to(d)", Change.REPLACED),
        ("self.x = 0.9 * self.x + y", Change.STATE),
        ("new = self.x * 2; mixed = new + 1; self.x = mixed", Change.STATE),
        ("new = y; self.x = new * 2; new = self.x + 1", Change.REPLACED),
        ("new = self.x\nfor i in y:\n    self.x = new * 2\n    new = self.x + 1", Change.STATE),
        ("new = y\nfor i in y:\n    self.x = new * 2\n    new = self.x + 1", Change.REPLACED),
        ("for i in y:\n    z = i\nnew = y\nself.x = new * 2\nnew = self.x + 1", Change.REPLACED),
        ("self.x = self.x.lerp(y, 0.1)", Change.STATE),
        ("self.x, n = self.x + 1, 2", Change.STATE),
        ("self.x += 1", Change.STATE),
        ("self.x[0] = 1", Change.STATE),
        ("torch.add(y, 1, out=self.x)", Change.STATE),
        ("self.x.data.copy_(y)", Change.STATE),
        ("x = self.x\nx.mul_(2)", Change.STATE),
        ("self.x = f(y)", Change.REPLACED),
        ("self.x = torch.zeros(self.x.shape)", Change.REPLACED),
        ("self.x = torch.zeros_like(self.x)", Change.REPLACED),
        ("self.x = torch.ones(max(d, self.x.size(0)))", Change.REPLACED),
        ("for self.x in y: pass", Change.REPLACED),
        ("self.x = None", Change.NONE),
    ],
)
def test_what_an_assignment_does(body: str, expected: Change) -> None:
    assert change(body) is expected
