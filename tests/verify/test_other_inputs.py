"""Inputs that are made of those that were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mutants import Version, rows

from borrowed_workers import BorrowingWorker
from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.isolation.supervision import Limits
from regbuf_lint.verify.model import Machine, Outcome
from regbuf_lint.verify.runner import run_cases

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.torch
SHAPES = {
    "inputs twice as long": (4, 3),
    "the first of the inputs": (1, 3),
    "inputs with a dimension more": (1, 2, 3),
    "inputs with a longer last dimension": (2, 4),
    "inputs in float64": (2, 3),
    "inputs with a NaN": (2, 3),
    "large inputs": (2, 3),
    "large integers": None,
}


def test_each_is_another() -> None:
    torch = pytest.importorskip("torch")
    from regbuf_lint.verify.worker.other_inputs import OTHER_INPUTS, varied  # noqa: PLC0415  imports torch

    given = (torch.randn(2, 3, requires_grad=True), 4)
    found = {said: varied(given, said) for said in OTHER_INPUTS}
    assert {said: None if one is None else tuple(one[0].shape) for said, one in found.items()} == SHAPES
    assert all(one is None or (one[0].requires_grad and one[1] == 4) for one in found.values())
    assert found["inputs in float64"][0].dtype is torch.float64
    assert found["inputs with a NaN"][0].isnan().sum() == 1
    assert varied({"ids": torch.tensor([0, 1])}, "large integers")["ids"].tolist() == [100, 101]


def test_what_cannot_be_varied_is_left_out() -> None:
    torch = pytest.importorskip("torch")
    from regbuf_lint.verify.worker.other_inputs import OTHER_INPUTS, varied  # noqa: PLC0415  imports torch

    for given in (torch.eye(2).to_sparse(), torch.tensor(1), torch.zeros(0, dtype=torch.bool), "text", [None]):
        found = {said for said in OTHER_INPUTS if varied(given, said) is not None}
        assert found <= {"large integers", "inputs with a dimension more"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("self.scale[x]", "self.scale[x.clamp(0, 2)]", Outcome.FAILED),
        ("{0: self.scale}[int(x.sum())]", "getattr(self, f'scale{int(x.sum()) or str()}')", Outcome.PASSED),
    ],
)
def test_indices_that_are_out_of_range(before: str, after: str, expected: Outcome, tmp_path: Path) -> None:
    """What is not found raises what lists do, or what modules do."""
    pytest.importorskip("torch")
    plain, fixed = "self.scale = torch.ones(3)", 'self.register_buffer("scale", torch.ones(3), persistent=False)'
    for name, version in (
        ("index", Version(plain, rows(f"return {before}"))),
        ("index.fixed", Version(fixed, rows(f"return {after}"))),
    ):
        text = version.text().replace("torch.randn(2, 3)", "torch.tensor([0])")
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    with BorrowingWorker(Limits()) as worker:
        (report,) = run_cases(list(pairs(tmp_path)), Machine("2.13.0", "3", {}), [worker])
    (result,) = [one for one in report.results if one.check == "other-inputs"]
    assert result.verdict.outcome is expected, result.verdict.reason
