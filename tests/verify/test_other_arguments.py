"""Constructing the objects of a class with other arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mutants import PLAIN, WITH_PART, Version, sized

from borrowed_workers import BorrowingWorker
from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.isolation.supervision import Limits
from regbuf_lint.verify.model import Build, Machine, Outcome
from regbuf_lint.verify.runner import run_cases

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.torch
ALL_KINDS = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n, /, rate=0.0, *rest, device=None, pretrained=False, mode="one", table=None, **more):
        super().__init__()
        self.mode, self.rest, self.more = mode, rest, more
        self.scale = torch.full((n,), rate, device=device)
        more.pop("bias", None)

    def extra_repr(self):
        return "" if self.mode in ("one", "two") else self.mode


def make():
    return Net(3, 0.5, 7, bias=True, table=torch.ones(1))
"""


def test_arguments_of_all_kinds_are_varied_one_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from regbuf_lint.verify.worker.other_arguments import constructions  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.subject import Subject  # noqa: PLC0415  imports torch

    file = tmp_path / "arguments_of_all_kinds.py"
    file.write_text(ALL_KINDS, encoding="utf-8")
    subject = Subject(Build(str(file), make=f"{file}::make"), "original", tmp_path, changed={"files": [str(file)]})
    (one,) = constructions(subject)
    assert list(map(str, one.variations())) == [
        "n=4",
        "n=6",
        "rate=1.0",
        "mode='another'",
        "mode='two'",
        "bias=False",
        "device='meta'",
    ]
    assert one.again().rest == (7,)
    assert one.given["more"] == {"bias": True}
    shapes = [one.again(variation).scale.shape for variation in one.variations()]
    assert shapes == [(4,), (6,), (3,), (3,), (3,), (3,), (3,)]


@pytest.mark.parametrize(
    ("arguments", "before", "after"),
    [
        ("device=None", "torch.ones(3)", "torch.ones(3, device=device)"),
        ("n=3", "torch.ones([3][n - 3])", "torch.ones(n)"),
        ("n=3", "torch.rand(n)", "torch.rand(n)"),
    ],
)
def test_a_fix_may_follow_arguments_better(arguments: str, before: str, after: str, tmp_path: Path) -> None:
    """What the original does not do, or raises, is nothing to compare with."""
    pytest.importorskip("torch")
    fixed = f'self.register_buffer("scale", {after}, persistent=False)'
    for name, version in (
        ("part", Version(PLAIN, top=sized(f"self.scale = {before}", arguments), made=WITH_PART)),
        ("part.fixed", Version(top=sized(fixed, arguments), made=WITH_PART)),
    ):
        (tmp_path / f"{name}.py").write_text(version.text(), encoding="utf-8")
    with BorrowingWorker(Limits()) as worker:
        (report,) = run_cases(list(pairs(tmp_path)), Machine("2.13.0", "3", {}), [worker])
    (result,) = [one for one in report.results if one.check == "other-arguments"]
    assert result.verdict.outcome is Outcome.PASSED, result.verdict.reason
