"""The reasons for which a fix is withheld, where no running code can show them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from regbuf_lint.model.finding import Finding

BEFORE = """
import torch
from torch import nn

class Sampler(nn.Module):
    def __init__(self, n):
        self.times = torch.linspace(0, 1, n)
"""


def findings(text: str) -> tuple[Finding, ...]:
    return check_source(SourceText.from_text(text), Path("sampler.py"), Settings(root=Path())).findings


def test_registration_needs_an_initialised_object() -> None:
    (finding,) = findings(BEFORE + "        if n:\n            super().__init__()\n")
    assert finding.fix is None
    reason = "it is assigned without `super().__init__()`, and the constructor has no plain call of it behind that"
    assert finding.help.endswith(f"fix withheld: {reason}")


def test_an_object_that_is_never_initialised_is_no_module() -> None:
    """What it is given stays with whoever gave it; what it makes is reported all the same."""
    given = BEFORE.replace("(self, n)", "(self, n: torch.Tensor)").replace("torch.linspace(0, 1, n)", "n")
    assert findings(given) == ()
    (finding,) = findings(BEFORE)
    assert finding.fix is None
    assert "fix withheld: it is assigned without `super().__init__()`" in finding.help
