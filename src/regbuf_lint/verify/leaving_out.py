"""Several fixed files verified together, those that fail left out.

What a fix makes of one file may rest on what another one makes of another, so files are verified as they would stand
beside each other. What fails is left out for the others, and tried once more beside those that have passed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from regbuf_lint.verify.declared import SEPARATOR
from regbuf_lint.verify.model import BUILDS, CPU, CaseReport, CheckResult, Outcome, not_run
from regbuf_lint.verify.report import target_verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from regbuf_lint.verify.declared import Declaring
    from regbuf_lint.verify.model import Case

    Running = Callable[[Sequence[Case]], list[CaseReport]]

_NOT_BESIDE_ALL = "it verifies beside some of the other files, and not beside all"


def leaving_out(cases: Sequence[Case], declared: Declaring, run: Running) -> list[CaseReport]:
    """Verify cases about the same fixed files, and leave out files that fail until the others verify together.

    Cases that build no class of a file are not run for its sake, so that the work grows as the files do.

    Args:
        cases: one for each factory.
        declared: gives what is said of the fixes of some of the files (see ``Case.claims``).
        run: verifies cases.

    Returns:
        The reports of the files that verify together, and those of each other file when it was looked at last.
    """
    return _Verification(cases, declared, run).reports()


@dataclass(frozen=True, slots=True)
class _Part:
    """Files that verify together, their reports, and what was left out for that, each with its own."""

    files: list[str]
    reports: list[CaseReport]
    refused: dict[str, list[CaseReport]]


class _Verification:
    """One search."""

    def __init__(self, cases: Sequence[Case], declared: Declaring, run: Running) -> None:
        self._cases = cases
        self._declared = declared
        self._run = run
        self._first: dict[str, CaseReport] = {}

    def reports(self) -> list[CaseReport]:
        """Return what is told in the end."""
        part = self._largest(list(dict.fromkeys(_file(target) for case in self._cases for target in case.targets)))
        trials = self._tried(part) if part.files else {}
        refused = {**part.refused, **trials}
        joining = [file for file, reports in trials.items() if not _failing(reports, [file])]
        if joining:
            wider = self._largest([*part.files, *joining])
            refused |= wider.refused
            if set(part.files) <= set(wider.files):
                part = wider
            else:
                refused |= {file: [self._against(file)] for file in joining}
        return part.reports + [one for file, own in refused.items() if file not in part.files for one in own]

    def _largest(self, files: list[str]) -> _Part:
        """Verify files, and the rest of them again until none fails."""
        refused: dict[str, list[CaseReport]] = {}
        while files:
            reports = self._run(self._beside(files, files))
            self._first = self._first or {report.case.name: report for report in reports}
            failing = _failing(reports, files)
            if not failing:
                return _Part(files, reports, refused)
            refused |= {file: self._about(file, reports) for file in failing}
            files = [file for file in files if file not in failing]
        return _Part([], [], refused)

    def _tried(self, part: _Part) -> dict[str, list[CaseReport]]:
        """Verify each file that was left out, and that something builds, beside those that verify."""
        cases = {file: self._beside([*part.files, file], [file]) for file in part.refused}
        some = [case for own in cases.values() for case in own]
        reports = iter(self._run(some) if some else ())
        return {file: [next(reports) for _ in own] for file, own in cases.items() if own}

    def _beside(self, files: Collection[str], asked: Collection[str]) -> list[Case]:
        """Return the cases for some files, where certain ones are fixed."""
        return [self._of(case, files, asked) for case in self._cases if self._concerns(case.name, asked)]

    def _of(self, case: Case, files: Collection[str], asked: Collection[str]) -> Case:
        if case.fixed is None:
            return case
        pairs = tuple(pair for pair in case.fixed.replaced if pair[0] in files)
        targets = tuple(target for target in case.targets if _file(target) in asked)
        return replace(case, fixed=replace(case.fixed, replaced=pairs), claims=self._declared(pairs), targets=targets)

    def _concerns(self, name: str, asked: Collection[str]) -> bool:
        """Whether a case builds a class of some files, or may do so where it could build nothing as yet."""
        first = self._first.get(name)
        return first is None or not _is_built(first) or any(_file(target) in asked for target in first.covers)

    def _about(self, file: str, reports: Sequence[CaseReport]) -> list[CaseReport]:
        """Return what concerns a file, and everything where nothing does."""
        own = [report for report in reports if self._concerns(report.case.name, [file])] or reports
        return [_narrowed(report, file) for report in own]

    def _against(self, file: str) -> CaseReport:
        case = next(case for case in self._cases if self._concerns(case.name, [file]))
        verdict = not_run(_NOT_BESIDE_ALL, blocks=True)
        return _narrowed(CaseReport(case, (CheckResult(BUILDS, CPU, verdict),), case.targets), file)


def _failing(reports: Sequence[CaseReport], files: Sequence[str]) -> list[str]:
    """Return those of some files that are not verified."""
    verdicts = target_verdicts(reports)
    told = {_file(target) for target in verdicts}
    wrong = {_file(target) for target, verdict in verdicts.items() if verdict.outcome is not Outcome.PASSED}
    return [file for file in files if file in wrong or file not in told]


def _narrowed(report: CaseReport, file: str) -> CaseReport:
    """Return what a report says of one file."""
    targets = tuple(target for target in report.case.targets if _file(target) == file)
    covers = tuple(target for target in report.covers if target in targets)
    return replace(report, case=replace(report.case, targets=targets), covers=covers)


def _is_built(report: CaseReport) -> bool:
    return any(one.check == BUILDS and one.verdict.outcome is Outcome.PASSED for one in report.results)


def _file(target: str) -> str:
    return target.rpartition(SEPARATOR)[0]
