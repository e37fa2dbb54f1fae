"""Which of several fixed files are verified, and how much is run for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.verify.leaving_out import leaving_out
from regbuf_lint.verify.model import (
    BUILDS,
    CPU,
    PASSED,
    SHOWS_BUG,
    Build,
    Case,
    CaseReport,
    CheckResult,
    Claims,
    Outcome,
    failed,
)
from regbuf_lint.verify.report import target_verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Passing = Callable[[str, frozenset[str]], bool]
    """Whether the class of a file passes, by the file's name and those of the files in fixed form."""
MANY = [f"f{number}" for number in range(8)]
CHECK = "casts"


class Verifier:
    """Stands in for the real one; counts what it runs."""

    def __init__(self, files: Sequence[str], passes: Passing, builds: dict[str, str] | None = None) -> None:
        self.runs: list[list[tuple[str, frozenset[str]]]] = []
        self._passes = passes
        self._builds = builds or {f"make_{file}": file for file in files}
        targets = tuple(f"{file}::Net" for file in files)
        after = Build("f", replaced=tuple((file, f"{file}.fixed") for file in files))
        cases = [Case(name, Build("f"), after, targets=targets) for name in self._builds]
        self.verdicts = target_verdicts(leaving_out(cases, self._claims, self._run))

    @property
    def verified(self) -> list[str]:
        return [name.partition("::")[0] for name, one in self.verdicts.items() if one.outcome is Outcome.PASSED]

    @staticmethod
    def _claims(pairs: tuple[tuple[str, str], ...]) -> Claims:
        return Claims(fixed=frozenset(before for before, _ in pairs))

    def _run(self, cases: Sequence[Case]) -> list[CaseReport]:
        reports = list(map(self._report, cases))
        self.runs.append([(case.name, case.claims.fixed) for case in cases])
        return reports

    def _report(self, case: Case) -> CaseReport:
        assert case.fixed is not None
        fixed = frozenset(before for before, _ in case.fixed.replaced)
        assert case.claims.fixed in {fixed, frozenset()}
        built = self._builds[case.name]
        verdict = PASSED if self._passes(built, fixed) else failed(f"beside {len(fixed) - 1}")
        results = [CheckResult(name, CPU, PASSED) for name in (BUILDS, SHOWS_BUG)]
        covers = tuple({f"{built}::Net"}.intersection(case.targets))
        return CaseReport(case, (*results, CheckResult(CHECK, CPU, verdict)), covers)


def test_where_nothing_fails_each_case_is_run_once() -> None:
    verifier = Verifier(MANY, lambda *_: True)
    assert verifier.verified == MANY
    assert [len(run) for run in verifier.runs] == [8]


@pytest.mark.parametrize("wrong", [1, 4, 7])
def test_the_work_grows_as_the_files_do(wrong: int) -> None:
    """Cases that fail are tried once more, those of the other files are run again, and no case is run for another."""
    verifier = Verifier(MANY, lambda file, _: file not in MANY[:wrong])
    assert verifier.verified == MANY[wrong:]
    assert [len(run) for run in verifier.runs] == [8, 8 - wrong, wrong]
    assert set(verifier.verdicts) == {f"{file}::Net" for file in MANY}


def test_where_everything_fails_nothing_is_tried_again() -> None:
    verifier = Verifier(MANY, lambda *_: False)
    assert verifier.verified == []
    assert [len(run) for run in verifier.runs] == [8]


def test_what_fails_for_the_sake_of_another_is_verified_without_it() -> None:
    verifier = Verifier(["a", "b", "c"], lambda file, fixed: file != "b" and not (file == "a" and "b" in fixed))
    assert sorted(verifier.verified) == ["a", "c"]
    assert verifier.runs[-1] == [(name, frozenset({"a", "c"})) for name in ("make_a", "make_c")]
    assert verifier.verdicts["b::Net"].reason.endswith("beside 1")  # of the run in which it was looked at last


def test_what_passed_is_not_given_up_for_what_is_tried_again() -> None:
    """Each of ``a`` and ``b`` verifies beside ``c``, which does not verify beside both."""

    def passes(file: str, fixed: frozenset[str]) -> bool:
        if file == "c":
            return "d" in fixed or not fixed >= {"a", "b"}
        return file != "d" and "d" not in fixed

    verifier = Verifier(["a", "b", "c", "d"], passes)
    assert verifier.verified == ["c"]
    assert "not beside all" in verifier.verdicts["a::Net"].reason


def test_a_class_that_nothing_builds_is_named() -> None:
    verifier = Verifier(["a", "b"], lambda *_: True, builds={"make_a": "a"})
    assert verifier.verified == ["a"]
    assert verifier.verdicts["b::Net"].reason == "no factory builds it"
    assert [len(run) for run in verifier.runs] == [1, 1]
