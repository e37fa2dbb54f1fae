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


PASSED = Verdict(Outcome.PASSED)


def failed(reason: str) -> Verdict:
    """Return a verdict against the code."""
    return Verdict(Outcome.FAILED, reason)


def not_run(reason: str) -> Verdict:
    """Return a verdict that says nothing about the code."""
    return Verdict(Outcome.NOT_RUN, reason)


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
    """

    name: str
    original: Build
    fixed: Build | None = None
    claims: Claims = field(default_factory=Claims)
    rule: str = ""
    targets: tuple[str, ...] = ()
    is_defect: bool = False


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
    """

    case: Case
    results: tuple[CheckResult, ...]
    covers: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Failed if any check failed, passed if any passed, not run where none was run."""
        return worst(result.verdict.outcome for result in self.results)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of several: failed if any failed, else passed if any passed."""
    seen = set(outcomes)
    for outcome in (Outcome.FAILED, Outcome.PASSED):
        if outcome in seen:
            return outcome
    return Outcome.NOT_RUN


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
