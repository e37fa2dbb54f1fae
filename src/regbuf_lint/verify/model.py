"""Data of the verifier: verdicts, what is built, what a fix declares."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Facts = dict[str, Any]
"""What a probe saw, as JSON knows it; ``{"error": {...}}`` where it raised."""

ORIGINAL = "original"
FIXED = "fixed"
CPU = "cpu"
_LONGEST = 200


BUILDS = "builds"
"""The check that stands before all others: the version is built, called, and behaves as a guest should."""
SHOWS_BUG = "shows-bug"
"""The negative control: the original fails where it is said to be wrong, and the fixed version does not."""
RAISES = {"RBF102": "KeyError", "RBF103": "AttributeError", "RBF104": "TypeError", "RBF106": "TypeError"}
"""What torch raises while code that these rules find is built or called."""


class CaseError(Exception):
    """What the user asks for is not there; the message is one line."""


class Outcome(str, Enum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a check ended, and why; what was not run always has its reason."""

    outcome: Outcome
    reason: str = ""
    blocks: bool = False
    """Whether nothing counts as verified as long as the check was not run."""


PASSED = Verdict(Outcome.PASSED)


def failed(reason: str) -> Verdict:
    """Return a verdict against the code."""
    return Verdict(Outcome.FAILED, printable(reason))


def not_run(reason: str, *, blocks: bool = False) -> Verdict:
    """Return a verdict that says nothing about the code."""
    return Verdict(Outcome.NOT_RUN, printable(reason), blocks)


def printable(text: str) -> str:
    """Return a text without characters that a terminal would obey."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)


@dataclass(frozen=True, slots=True)
class Build:
    """How one version of a module is built; paths are absolute.

    Attributes:
        file: the file with the class, or with ``make()``.
        make: the function that returns the module, as ``FILE::FUNCTION``; empty where ``init`` says how.
        init: an expression that gives the module, evaluated among the names of ``file`` and torch.
        inputs: an expression that gives the inputs, evaluated likewise, or a function as ``FILE::FUNCTION``; empty
            where there are none.
        paths: directories put first on ``sys.path``.
        replaced: pairs of a file and of the file whose text is read instead.
    """

    file: str
    make: str = ""
    init: str = ""
    inputs: str = ""
    paths: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON knows them."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Build:
        """Undo ``as_json``."""
        pairs = tuple((str(before), str(after)) for before, after in data["replaced"])
        return Build(**{**data, "paths": tuple(data["paths"]), "replaced": pairs})


@dataclass(frozen=True, slots=True)
class Claims:
    """What is said of a fix before it runs.

    Attributes:
        codes: the rules that the fix answers to, such as ``RBF001``.
        declared: whether ``adds`` and ``removes`` are known.
        adds: names (last parts of keys, ``*`` stands for anything) that ``state_dict()`` gains where it holds an object
            of a class, each after that class as ``FILE::NAME``, or after an empty text for any.
        removes: names that it loses, likewise.
        withheld: whether some tensors stay plain on purpose, since their fix was withheld.
        stays: attributes that stay plain on purpose.
        fixed: attributes that the fixes are about; where there are any, nothing is said of others.
        exempt: checks that do not count, each with the reason.
    """

    codes: frozenset[str] = frozenset()
    declared: bool = False
    adds: tuple[tuple[str, str], ...] = ()
    removes: tuple[tuple[str, str], ...] = ()
    withheld: bool = False
    stays: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    exempt: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """What is verified: two versions to be compared, or one.

    Attributes:
        name: what the report calls it.
        original: the version before the fix.
        fixed: the version after it; None where there is one version only.
        claims: what is said of the fix.
        rule: the one rule that the case is about; empty where it is not known.
        targets: classes that the user asked about, as ``FILE::NAME``.
        is_defect: with one version: whether it is known to be wrong, so that it has to show its bug.
        lacks: what keeps the case from being looked at, such as that there is no ``make()``; empty where nothing.
    """

    name: str
    original: Build
    fixed: Build | None = None
    claims: Claims = field(default_factory=Claims)
    rule: str = ""
    targets: tuple[str, ...] = ()
    is_defect: bool = False
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one check of one case ended on one device."""

    check: str
    device: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class CaseReport:
    """How a case ended.

    Attributes:
        case: what was verified.
        results: all checks, in the order of the registry.
        covers: those of the case's targets of which the module that was built holds an object.
        unrun: functions that the fix changes and the case has not run, as ``FILE::NAME``.
        tracebacks: of what building or calling a version raised.
        seconds: how long it took.
        memory: the most MiB that one of its processes held, torch included; 0 where that is not known.
    """

    case: Case
    results: tuple[CheckResult, ...]
    covers: tuple[str, ...] = ()
    unrun: frozenset[str] = frozenset()
    tracebacks: tuple[str, ...] = ()
    seconds: float = 0.0
    memory: int = 0

    @property
    def verdict(self) -> Verdict:
        """Failed if any check failed; passed if some passed, and the bug was seen; else not run."""
        return self.judged(self.unrun)

    def judged(self, unrun: Iterable[str]) -> Verdict:
        """Return the verdict.

        Args:
            unrun: changed functions that neither this case has run nor another one that counts.
        """
        for one in self.results:
            if one.verdict.outcome is Outcome.FAILED:
                return failed(f"{one.check} on {one.device}: {one.verdict.reason}")
        for one in self.results:
            if one.verdict.blocks:
                return not_run(f"{one.check} on {one.device}: {one.verdict.reason}")
        if unrun:
            return not_run(f"changed or broken, and nothing runs it: {_listed(unrun)}")
        passed = {one.check for one in self.results if one.verdict.outcome is Outcome.PASSED}
        has_original = self.case.fixed is not None or self.case.is_defect
        if has_original and SHOWS_BUG not in passed:
            reasons = [one.verdict.reason for one in self.results if one.check == SHOWS_BUG]
            return not_run(f"the bug did not show: {'; '.join(dict.fromkeys(reasons)) or 'nothing was compared'}")
        if not passed - {BUILDS}:
            return not_run("no check was run")
        return PASSED


def _listed(places: Iterable[str]) -> str:
    return ", ".join(sorted(place.rpartition("::")[2] for place in places))[:_LONGEST]


@dataclass(frozen=True, slots=True)
class Machine:
    """What a run had.

    Attributes:
        torch: torch's release.
        python: Python's release.
        devices: the devices with their descriptions (``{"cuda": "NVIDIA H100"}``).
        absent: devices that were asked for and are not there, with the reason.
        accelerated: whether this torch was built for any accelerator.
    """

    torch: str
    python: str
    devices: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    accelerated: bool = False
