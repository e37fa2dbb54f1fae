"""No wrong fix is verified, and the check that is there for it speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mutants import Version
from wrong_fixes import OF_OTHER_RULES, ORIGINAL, WRONG
from wrong_fixes_beyond import BEYOND
from wrong_fixes_unrelated import RIGHT_BESIDE, UNRELATED
from wrong_fixes_unseen import RIGHT_ONES, UNSEEN

from borrowed_workers import BorrowingWorker
from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.isolation.supervision import Limits
from regbuf_lint.verify.model import SHOWS_BUG, Machine, Outcome
from regbuf_lint.verify.observing import CALLED
from regbuf_lint.verify.runner import run_cases

if TYPE_CHECKING:
    from regbuf_lint.verify.checks.check import Check
    from regbuf_lint.verify.model import CaseReport

pytestmark = [pytest.mark.torch, pytest.mark.slow]
RULE = "RBF001"
RIGHT = {
    f"{RULE}/right": (Version(), ORIGINAL),
    **{f"{RULE}/{name}": one for name, one in {**RIGHT_ONES, **RIGHT_BESIDE}.items()},
}
CASES = {f"{RULE}/{name}": one for name, one in {**WRONG, **UNSEEN, **UNRELATED, **BEYOND}.items()} | {
    f"{rule}/{name}": one for rule, found in OF_OTHER_RULES.items() for name, one in found.items()
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, device: str) -> dict[str, CaseReport]:
    machine = Machine("2.13.0", "3", {device: ""})
    directory = tmp_path_factory.mktemp("wrong")
    for name, (fixed, original) in {**{name: one[1:] for name, one in CASES.items()}, **RIGHT}.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / f"{name}.py").write_text(original.text(), encoding="utf-8")
        (directory / f"{name}.fixed.py").write_text(fixed.text(), encoding="utf-8")
    cases = {case.name: case for case in pairs(directory)}
    with pytest.MonkeyPatch.context() as patch, BorrowingWorker(Limits()) as first, BorrowingWorker(Limits()) as second:
        patch.chdir(tmp_path_factory.mktemp("empty"))  # of which each process gets a copy
        found = run_cases([cases[name] for name in RIGHT], machine, [first, second])
        for check in {check for check, *_ in CASES.values()}:
            own = [cases[name] for name, (expected, *_) in CASES.items() if expected == check]
            patch.setattr("regbuf_lint.verify.verifying.CHECKS", checks_for(check))
            found += run_cases(own, machine, [first, second])
    return {report.case.name: report for report in found}


def checks_for(check: str) -> dict[str, Check]:
    """Return the checks that run: what one speaks against is not verified, whatever others say."""
    return {name: one for name, one in CHECKS.items() if check == SHOWS_BUG or name in {check, CALLED}}


@pytest.mark.parametrize("name", CASES)
def test_it_is_not_verified(name: str, reports: dict[str, CaseReport]) -> None:
    report = reports[name]
    assert report.verdict.outcome is not Outcome.PASSED
    against = {one.check for one in report.results if one.verdict.outcome is Outcome.FAILED}
    unrun = {"same-code"} if report.unrun else set()
    assert CASES[name][0] in against | unrun


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_is(name: str, reports: dict[str, CaseReport]) -> None:
    assert reports[name].verdict.outcome is Outcome.PASSED, reports[name].verdict


def test_there_are_many() -> None:
    assert len(CASES) >= 440
