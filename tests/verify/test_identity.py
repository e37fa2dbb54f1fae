"""An unchanged file is no fix: each pair of the fixtures, with the original once more in the fixed version's place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from borrowed_workers import borrow_workers, verified_fixtures
from fixture_cases import FIXTURES
from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from regbuf_lint.verify.model import Case, CaseReport

pytestmark = [pytest.mark.torch, pytest.mark.slow]
PAIRS = [case for case in pairs(FIXTURES) if case.fixed is not None]
COMMENT = "\n# read again\n"
CHEAP = ("plain-tensors",)
"""What speaks against nearly all of them. What one check speaks against is not verified, whatever others say."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CaseReport]:
    """Verify each original against itself, with another comment at its end: by cheap checks, and else by all."""
    pytest.importorskip("torch")
    directory = tmp_path_factory.mktemp("identity")
    cases = [unchanged(case, directory / str(number)) for number, case in enumerate(PAIRS)]
    with pytest.MonkeyPatch.context() as patch:
        borrow_workers(patch)
        patch.chdir(tmp_path_factory.mktemp("empty"))  # of which each process gets a copy
        found = verified(patch, cases, CHEAP)
        left = [one for one in cases if found[one.name].verdict.outcome is not Outcome.FAILED]
        return {**found, **verified(patch, left, CHECKS)}


def verified(patch: pytest.MonkeyPatch, cases: Sequence[Case], checks: Iterable[str]) -> dict[str, CaseReport]:
    patch.setattr("regbuf_lint.verify.verifying.CHECKS", {name: CHECKS[name] for name in checks})
    return verified_fixtures(cases, "meta")


def unchanged(case: Case, directory: Path) -> Case:
    assert case.fixed is not None
    directory.mkdir()
    pairs_now = []
    for number, (before, _) in enumerate(case.fixed.replaced):
        copy = directory / f"{number}.py"
        with open(before, "rb") as file:  # noqa: PTH123  bytes, since line ends count
            copy.write_bytes(file.read() + COMMENT.encode())
        pairs_now.append((before, str(copy)))
    return replace(case, fixed=replace(case.fixed, replaced=tuple(pairs_now)))


@pytest.mark.parametrize("name", [case.name for case in PAIRS])
def test_nothing_is_verified(name: str, reports: dict[str, CaseReport]) -> None:
    assert reports[name].verdict.outcome is not Outcome.PASSED
    assert reports[name].verdict.reason
