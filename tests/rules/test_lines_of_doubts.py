"""A fix that needs a look, or is withheld, names the line that is the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    {body}
    def __init__(self, n, w: torch.Tensor):
        super().__init__()
        {first}
        {then}

    def forward(self, x):
        {later}
        return x + self.x
"""
DEFAULTS = {"body": "eps = 1", "first": "self.x = torch.ones(3)", "then": "self.n = n", "later": "n = 1"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            {"then": "if n: self.x = n"},
            "`__init__` (line 9) may assign it something else than a tensor, which raises TypeError for a buffer",
        ),
        (
            {"later": "if n: self.x = torch.ones(1).expand(3)"},
            "`forward` (line 12) replaces it by an expanded tensor, which",
        ),
        ({"body": "x = None"}, "`x = None` in the class body (line 5) becomes an annotation; reading `Net.x` from the"),
        (
            {"later": "if n: self.x = 3"},
            "fix withheld: `forward` (line 12) assigns it something that is no tensor, which",
        ),
        ({"first": "self.x = w"}, "it is what the caller gives as `w`; check that this is never a Parameter, which"),
        (
            {"first": "self.x = torch.rand(3)", "then": 'self.register_buffer("x", self.x * 2)'},
            "fix withheld: it is read before it is registered",
        ),
        (
            {"first": "self.x = torch.rand(3)", "then": 'self.register_buffer("x", torch.ones(2))'},
            "the fix needs a look: it drops what `__init__` (line 8) assigns",
        ),
    ],
)
def test_the_line_is_named(changed: dict[str, str], expected: str) -> None:
    source = SourceText.from_text(NET.format(**{**DEFAULTS, **changed}))
    (finding,) = check_source(source, Path("net.py"), Settings(root=Path())).findings
    assert expected in finding.help
