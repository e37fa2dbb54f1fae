"""The verifier is verified: each check catches a wrong fix that no other check catches, and passes a right one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from mutants import FIXED, MUTANTS, Version, rows

from borrowed_workers import BorrowingWorker
from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.checks.check import Seen
from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.isolation.supervision import Limits
from regbuf_lint.verify.model import BUILDS, SHOWS_BUG, Claims, Machine, Outcome
from regbuf_lint.verify.runner import run_cases

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.verify.model import CaseReport, Facts

pytestmark = pytest.mark.torch
RIGHT = "right"
META = Machine("2.13.0", "3", {"meta": ""})


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CaseReport]:
    """All pairs verified, by name."""
    pytest.importorskip("torch")
    directory = tmp_path_factory.mktemp("mutants") / "RBF001"
    directory.mkdir()
    write_pair(directory, RIGHT, Version("self.scale = torch.ones(3)"), Version())
    for check, mutant in MUTANTS.items():
        write_pair(directory, check, mutant.original, mutant.fixed)
    with BorrowingWorker(Limits()) as worker:
        found = run_cases(list(pairs(directory)), META, [worker])
    return {report.case.name: report for report in found}


def write_pair(directory: Path, name: str, original: Version, fixed: Version) -> None:
    (directory / f"{name}.py").write_text(original.text(), encoding="utf-8")
    (directory / f"{name}.fixed.py").write_text(fixed.text(), encoding="utf-8")


def test_every_check_has_its_mutant() -> None:
    assert set(MUTANTS) == {BUILDS, SHOWS_BUG, *CHECKS}


@pytest.mark.parametrize("check", MUTANTS)
def test_a_wrong_fix_is_caught_by_its_check_alone(check: str, reports: dict[str, CaseReport]) -> None:
    failures = {
        (one.check, one.device): one.verdict.reason
        for one in reports[check].results
        if one.verdict.outcome is Outcome.FAILED
    }
    assert failures.keys() == {(check, MUTANTS[check].device)}, failures
    assert all(failures.values())


def test_a_right_fix_passes_every_check(reports: dict[str, CaseReport]) -> None:
    results = reports[RIGHT].results
    assert {one.verdict.outcome for one in results} == {Outcome.PASSED}
    assert [one.check for one in results] == [BUILDS, SHOWS_BUG, SHOWS_BUG, *CHECKS]


def test_the_original_shows_its_bug_on_the_device(reports: dict[str, CaseReport]) -> None:
    shown = {one.device: one.verdict.reason for one in reports[RIGHT].results if one.check == SHOWS_BUG}
    assert shown == {"cpu": "fails casts", "meta": "fails moves, moves-after-use, outputs-device"}


@pytest.mark.parametrize(
    ("fixed", "said"),
    [
        ('self.register_buffer("seen", torch.zeros(1))', "size mismatch for seen"),
        ('self.register_buffer("seen", torch.zeros(1), persistent=False)', ""),
    ],
)
def test_the_round_trip_comes_after_a_forward(fixed: str, said: str, tmp_path: Path) -> None:
    """What ``forward`` replaces in another shape cannot be loaded into a new object, where it is saved."""
    pytest.importorskip("torch")
    first = "self.seen = x.detach()"
    stored = rows("self.scale = torch.ones(3)", "self.seen = torch.zeros(1)")
    now = rows('self.register_buffer("scale", torch.ones(3), persistent=False)', fixed)
    write_pair(tmp_path, "replaced", Version(stored, first), Version(now, first))
    with BorrowingWorker(Limits()) as worker:
        (report,) = run_cases(list(pairs(tmp_path)), META, [worker])
    (result,) = [one for one in report.results if one.check == "round-trip"]
    assert result.verdict.outcome is (Outcome.FAILED if said else Outcome.PASSED)
    assert said in result.verdict.reason


@pytest.mark.parametrize(
    ("first", "declared", "expected"),
    [
        ("self.seen = x.detach().sum(0)", True, Outcome.NOT_RUN),
        ("self.seen = x.detach().sum(0)", False, Outcome.FAILED),
        ("pass", True, Outcome.FAILED),
    ],
)
def test_state_that_a_fix_declares_not_to_save(
    first: str, expected: Outcome, tmp_path: Path, *, declared: bool
) -> None:
    """What calls replace may be left out of checkpoints, as it was; what is drawn when the object is built may not."""
    pytest.importorskip("torch")
    stored = "self.scale = torch.ones(3)"
    original = Version(rows(stored, "self.seen = torch.rand(3)"), rows("x = x + self.seen", first))
    registered = 'self.register_buffer("seen", torch.rand(3), persistent=False)'
    fixed = Version(rows(registered, 'self.register_buffer("scale", torch.ones(3), persistent=False)'), original.first)
    write_pair(tmp_path, "state", original, fixed)
    (case,) = pairs(tmp_path)
    with BorrowingWorker(Limits()) as worker:
        (report,) = run_cases([replace(case, claims=Claims(declared=declared))], META, [worker])
    (result,) = [one for one in report.results if one.check == "round-trip"]
    assert result.verdict.outcome is expected, result.verdict.reason


@pytest.mark.parametrize(("stored", "expected"), [("None", Outcome.PASSED), ("2.0", Outcome.FAILED)])
def test_a_key_that_a_fix_declares_and_a_buffer_that_is_none(stored: str, expected: Outcome, tmp_path: Path) -> None:
    """A buffer is in ``state_dict()`` once it is a tensor: one that is None in this object breaks no promise."""
    pytest.importorskip("torch")
    plain, scale = f"self.seen = {stored}", "self.scale = torch.ones(3)"
    seen = plain if stored == "2.0" else f'self.register_buffer("seen", {stored})'
    write_pair(tmp_path, "none", Version(rows(scale, plain)), Version(rows(FIXED, seen)))
    (case,) = pairs(tmp_path)
    claims = Claims(declared=True, adds=(("", "seen"),))
    with BorrowingWorker(Limits()) as worker:
        (report,) = run_cases([replace(case, claims=claims)], META, [worker])
    (result,) = [one for one in report.results if one.check == "state-dict-keys"]
    assert result.verdict.outcome is expected, result.verdict.reason


def test_what_the_original_cannot_load_either_is_no_fault_of_the_fix(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    expanded = 'self.register_buffer("ids", torch.zeros(1).expand(3))'
    original, fixed = Version(rows(expanded, "self.scale = torch.ones(3)")), Version(rows(expanded, FIXED))
    write_pair(tmp_path, "expanded", original, fixed)
    with BorrowingWorker(Limits()) as worker:
        (report,) = run_cases(list(pairs(tmp_path)), META, [worker])
    (result,) = [one for one in report.results if one.check == "checkpoint-loads"]
    assert result.verdict.outcome is Outcome.NOT_RUN
    assert result.verdict.reason.startswith("the original cannot either: RuntimeError")


def test_what_comes_back_with_other_bits_is_told() -> None:
    """On a device with values, which ``meta`` is not."""
    inventory: Facts = {"parameters": {}, "buffers": {"scale": {}}, "stragglers": {}}
    seen = Seen(inventory, {"stays": [], "differs": ["scale"]}, "cuda", facts_before={"stays": [], "differs": []})
    assert CHECKS["moves"].verdict(seen).reason == "other bits after the way back: scale"
    assert CHECKS["moves"].faults(seen) == {"scale"}


def test_what_was_not_run_has_a_reason(reports: dict[str, CaseReport]) -> None:
    skipped = [one for report in reports.values() for one in report.results if one.verdict.outcome is Outcome.NOT_RUN]
    assert skipped
    assert all(one.verdict.reason for one in skipped)


@pytest.mark.parametrize(
    "name", [name for name, check in CHECKS.items() if check.needs_original and not check.on_demand]
)
def test_an_original_whose_process_ends_early_is_not_compared_with(name: str) -> None:
    verdict = CHECKS[name].verdict(Seen(inventory={}, facts={}, inventory_before={}, facts_before=None))
    assert (verdict.outcome, verdict.reason) == (Outcome.NOT_RUN, "the process of the original ended before")
