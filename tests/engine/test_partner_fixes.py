"""Attributes that methods compute together are registered by one edit, whichever of their findings it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.fixing import FixMode, edited
from regbuf_lint.engine.run import check_source
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.model.finding import Finding

SCHEDULER = """\
import torch
from torch import nn


class Scheduler(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.alphas = torch.linspace(0.1, 0.9, n)
        self.betas = 1 - torch.linspace(0.1, 0.9, n)
        self.noise = {noise}
        self.alone = torch.arange(n)

    def forward(self, x):
        x = x + (self.alphas * self.betas).to(x.device) + (self.betas - self.noise).to(x.device)
        return x + self.alone
"""
CONSTANT = "torch.ones(n)"
RANDOM = "torch.randn(n)"


def found(text: str, tmp_path: Path, settings: Settings | None = None) -> dict[str, Finding]:
    """The findings of a text by attribute."""
    settings = settings or Settings(root=tmp_path)
    result = check_source(SourceText.from_text(text), tmp_path / "example.py", settings)
    assert result.errors == ()
    return {str(one.attribute): one for one in result.findings}


def registered(text: str, finding: Finding) -> set[str]:
    """What the fix of one finding registers."""
    after = edited(SourceText.from_text(text), [finding])
    return {name for name in ("alphas", "betas", "noise", "alone") if f'register_buffer("{name}"' in after}


@pytest.mark.parametrize("attribute", ["alphas", "betas", "noise"])
def test_each_fix_registers_the_whole_group(attribute: str, tmp_path: Path) -> None:
    text = SCHEDULER.format(noise=CONSTANT)
    finding = found(text, tmp_path)[attribute]
    assert registered(text, finding) == {"alphas", "betas", "noise"}
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.SAFE


def test_who_has_no_partners_is_registered_alone(tmp_path: Path) -> None:
    text = SCHEDULER.format(noise=CONSTANT)
    assert registered(text, found(text, tmp_path)["alone"]) == {"alone"}


def test_one_unsafe_member_makes_the_fix_unsafe_and_is_named(tmp_path: Path) -> None:
    text = SCHEDULER.format(noise=RANDOM)
    finding = found(text, tmp_path)["alphas"]
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.UNSAFE
    assert finding.fix.adds == ("noise",)
    assert "it registers `noise`, too: `state_dict()` gains `noise`" in finding.help
    assert registered(text, finding) == {"alphas", "betas", "noise"}
    assert "`state_dict()` does not save it" not in finding.message  # that is the partner's affair


def test_fixes_that_share_edits_make_them_once_and_count_for_each_finding(tmp_path: Path) -> None:
    source = SourceText.from_text(SCHEDULER.format(noise=CONSTANT))
    fixed = check_source(source, tmp_path / "example.py", Settings(root=tmp_path), fix=FixMode.SAFE).fixed
    assert fixed is not None
    assert fixed.after.count("register_buffer(") == 4
    assert len(fixed.applied) == 4


def test_a_comment_on_one_member_keeps_the_whole_group_plain(tmp_path: Path) -> None:
    text = SCHEDULER.format(noise=f"{CONSTANT}  # noqa: RBF001")
    findings = found(text, tmp_path)
    assert {name: one.fix.applicability.value for name, one in findings.items() if one.fix is not None} == {
        "alphas": "display",
        "betas": "display",
        "alone": "safe",
    }
    assert "it registers `noise`, too, which a comment leaves as it is" in findings["betas"].help


def test_an_index_needs_its_table_and_no_table_needs_its_index(tmp_path: Path) -> None:
    """Torch takes an index on the CPU for a table on an accelerator, and not the other way round."""
    text = SCHEDULER.format(noise=CONSTANT).replace("self.alphas * self.betas", "self.alphas[self.alone]")
    text = text.replace("return x + self.alone", "return x")
    findings = found(text, tmp_path)
    assert registered(text, findings["alone"]) == {"alone", "alphas"}
    assert registered(text, findings["alphas"]) == {"alphas"}


STAYING = """\
import torch
from torch import nn


class Staying(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.alphas = torch.linspace(0.1, 0.9, n)
        self.betas = torch.eye(n).to_sparse()

    def forward(self, x):
        return x + (self.alphas * self.betas).to(x.device)
"""


def test_a_partner_without_a_fix_leaves_half_of_the_change(tmp_path: Path) -> None:
    finding = found(STAYING, tmp_path)["alphas"]
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.DISPLAY
    assert "half of the change: `forward` (line 12) combines it with `self.betas`, which stays behind" in finding.help


BASE = """\
import torch
from torch import nn


class _Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.alphas = torch.linspace(0.1, 0.9, n)
        self.betas = self.make_betas(n)

    def forward(self, x):
        return x + (self.alphas * self.betas).to(x.device)


class First(_Base):
    def make_betas(self, n):
        return torch.ones(n)


class Second(_Base):
    def make_betas(self, n):
        return {second}


models = [First(3), Second(3)]
"""


@pytest.mark.parametrize(
    ("second", "alphas", "betas"), [("torch.zeros(n)", "safe", "safe"), ("'none'", "display", None)]
)
def test_a_partner_about_which_subclasses_differ_is_not_registered(
    second: str, alphas: str, betas: str | None, tmp_path: Path
) -> None:
    findings = found(BASE.format(second=second), tmp_path)
    words = {name: one.fix.applicability.value for name, one in findings.items() if one.fix is not None}
    assert (words.get("alphas"), words.get("betas")) == (alphas, betas)


MEETING = """\
import torch
from torch import nn


class Meeting(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.alphas = [0.1, 0.9]
        self.betas = torch.ones(len(self.alphas))
        self.alphas = torch.tensor(self.alphas)

    def forward(self, x):
        return x + (self.alphas * self.betas).to(x.device)
"""


def test_fixes_of_partners_whose_edits_meet_are_shown_alone(tmp_path: Path) -> None:
    findings = found(MEETING, tmp_path)
    assert {one.fix.applicability.value for one in findings.values() if one.fix is not None} == {"display"}
    assert "methods combine it with `betas`, which another fix registers" in findings["alphas"].help
    assert "methods combine it with `alphas`, which another fix registers" in findings["betas"].help


EARLY = """\
import torch
from torch import nn


class Early(nn.Module):
    def __init__(self, n):
        self.alphas = torch.linspace(0.1, 0.9, n)
        self.betas = 1 - self.alphas
        super().__init__()

    def forward(self, x):
        return x + (self.alphas * self.betas).to(x.device)
"""


def test_partners_before_the_super_call_move_behind_it_together(tmp_path: Path) -> None:
    finding = found(EARLY, tmp_path)["betas"]
    assert finding.fix is not None
    after = edited(SourceText.from_text(EARLY), [finding])
    super_call = after.index("super().__init__()")
    assert super_call < after.index('register_buffer("alphas"') < after.index('register_buffer("betas"')
    assert "self.alphas = " not in after
