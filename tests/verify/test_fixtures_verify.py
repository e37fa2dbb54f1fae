"""Every fixture under the verifier, on the CPU and on ``meta``: originals show their bugs, fixes do what they claim."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from borrowed_workers import borrow_workers, verified_fixtures
from fixture_cases import FIXTURES, all_cases, session_with
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.report.json_format import finding_record
from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.declared import declared_in
from regbuf_lint.verify.model import BUILDS, SHOWS_BUG, Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.verify.model import CaseReport

pytestmark = [pytest.mark.torch, pytest.mark.slow]
NAMES = [case.name for case in pairs(FIXTURES)]
LEAST_PASSED = 0.8
"""The part of all checks that has to pass: reasons not to run one must stay exceptions."""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the linter says of all fixtures, each with the settings beside it."""
    records = []
    for case in all_cases():
        session = session_with(case.settings)
        fixed = check_source(case.source(), case.place, case.settings, fix=FixMode.UNSAFE, session=session).fixed
        records += [finding_record(str(case.path), finding) for finding in (fixed.applied if fixed else ())]
    path = tmp_path_factory.mktemp("findings") / "findings.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def reports(findings: Path, device: str) -> dict[str, CaseReport]:
    pytest.importorskip("torch")
    with pytest.MonkeyPatch.context() as patch:
        borrow_workers(patch)
        patch.chdir(findings.parent)  # each process gets a copy of the working directory: nearly nothing here
        return verified_fixtures(pairs(FIXTURES, declared_in(str(findings))), device)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_fails(name: str, reports: dict[str, CaseReport]) -> None:
    results = reports[name].results
    failures = [one for one in results if one.verdict.outcome is Outcome.FAILED]
    assert failures == []
    lacking = [one.verdict.reason for one in results if one.check == BUILDS and one.verdict.outcome is Outcome.NOT_RUN]
    if lacking:
        pytest.skip(lacking[0])


def test_every_check_is_run_for_most(reports: dict[str, CaseReport]) -> None:
    results = [one for report in reports.values() for one in report.results]
    for check in (BUILDS, SHOWS_BUG, *CHECKS):
        own = [one.verdict.outcome for one in results if one.check == check]
        assert own.count(Outcome.PASSED) > LEAST_PASSED * len(own), check


def test_originals_fail_on_the_device(reports: dict[str, CaseReport], device: str) -> None:
    """Of those whose tensors stay behind, most also stop working there; some operations take tensors of two devices."""
    shown = [
        one.verdict.reason
        for report in reports.values()
        for one in report.results
        if one.check == SHOWS_BUG and one.device == device and one.verdict.outcome is Outcome.PASSED
    ]
    assert len(shown) > 200
    assert sum("outputs-device" in said for said in shown) > 0.75 * len(shown)
    assert all("moves" in said or "outputs-device" in said for said in shown)
