"""The reasons for which a fix is withheld, where no running code can show them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.fix import Applicability
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
FORWARD = "    def forward(self, x):\n        return x * self.times\n"


def findings(text: str) -> tuple[Finding, ...]:
    return check_source(SourceText.from_text(text), Path("sampler.py"), Settings(root=Path())).findings


def test_registration_needs_an_initialised_object() -> None:
    (finding,) = findings(BEFORE + "        if n:\n            super().__init__()\n" + FORWARD)
    assert finding.fix is None
    reason = "it is assigned without `super().__init__()`, and no plain call of it follows in the constructor"
    assert finding.help.endswith(f"fix withheld: {reason}")


def test_an_object_that_is_never_initialised_cannot_be_moved() -> None:
    """``.to()`` and ``state_dict()`` raise AttributeError (torch 2.13), so that they leave nothing behind."""
    text = BEFORE + FORWARD
    given = text.replace("(self, n)", "(self, n: torch.Tensor)").replace("torch.linspace(0, 1, n)", "n")
    assert findings(given) == findings(text) == ()


def test_what_another_name_registers_is_read_by_that_name() -> None:
    """Until it is moved the tensor is the buffer itself: nothing shows in an object that has just been built."""
    init = BEFORE.replace("        self.times", "        super().__init__()\n        self._times").rstrip()
    same, copy = (
        f'{init}\n        self.register_buffer("times", self._times{end})\n{FORWARD.replace("times", "_times")}'
        for end in ("", ".to(n.dtype)")
    )
    (finding,) = findings(same)
    assert finding.fix is None
    assert "leave it behind while the buffer `times`, now the same, moves" in finding.message
    assert finding.help == "read `self.times` instead; fix withheld: the buffer `times` is this very tensor"
    (finding,) = findings(copy)
    assert finding.fix is not None
    assert "now the same" not in finding.message
    assert finding.help.startswith('register it: `self.register_buffer("_times", ...)`')


def test_a_subclass_that_stores_the_name_first() -> None:
    """``register_buffer`` raises KeyError over an attribute that is there (torch 2.13)."""
    base = BEFORE.replace("        self.times", "        super().__init__()\n        self.times") + FORWARD
    (finding,) = findings(base)
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.SAFE
    early = (
        "class Early(Sampler):\n    def __init__(self, n):\n        self.times = None\n        super().__init__(n)\n"
    )
    late = "class Late(Sampler):\n    def __init__(self, n):\n        super().__init__(n)\n        self.n = n\n"
    (finding,) = findings(base + early)
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.DISPLAY
    assert "`Early` stores it before `super().__init__()`, and over that `register_buffer` raises" in finding.help
    (finding,) = findings(base + late)
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.SAFE


def test_a_local_beside_an_attribute_is_no_second_name() -> None:
    """Only attributes are loaded from a checkpoint."""
    init = BEFORE.replace("        self.times", "        super().__init__()\n        {others}self.times")
    update = "    def forward(self, x):\n        self.times = torch.maximum(self.times, x)\n        return self.times\n"
    (one,) = findings(init.format(others="start = ") + update)
    assert one.fix is not None
    assert one.fix.applicability is Applicability.UNSAFE
    for other in findings(init.format(others="self.first = ") + update.replace("return", "return self.first +")):
        assert other.fix is not None
        assert other.fix.applicability is Applicability.DISPLAY
        assert "it is one tensor under two names" in other.help


@pytest.mark.parametrize(
    ("assignment", "is_withheld"), [("model.fit.masks = masks", True), ("print(model.fit.masks)", False)]
)
def test_other_files_assign_what_would_be_a_property(tmp_path: Path, assignment: str, is_withheld: bool) -> None:  # noqa: FBT001
    """They need not name the class: a property without a setter raises AttributeError whoever assigns it."""
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    training = f"def train(model, masks):\n    {assignment}\n"
    (tmp_path / "training.py").write_text(training, encoding="utf-8")
    net = BEFORE.replace("self.times = ", "super().__init__()\n        self.masks = [torch.ones(n)]  # ")
    text = net + "    def forward(self, x):\n        return [x * one for one in self.masks]\n"
    (tmp_path / "net.py").write_text(text, encoding="utf-8")
    checked = check_source(SourceText.from_text(text), tmp_path / "net.py", Settings(root=tmp_path))
    (finding,) = checked.findings
    assert (finding.fix is None) is is_withheld
    reason = "code outside of the class (line 2 of training.py) assigns it, too"
    assert finding.help.endswith(f"fix withheld: {reason}") is is_withheld
