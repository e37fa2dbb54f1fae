"""The negative control: a check that cannot fail is none, so each original has to show its bug."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Changes, Seen, error_text
from regbuf_lint.verify.checks.registry import CHECKS, SHOWS_BUG
from regbuf_lint.verify.model import CPU, CheckResult, Outcome, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from regbuf_lint.verify.model import Case
    from regbuf_lint.verify.observing import Observation

RAISES = {"RBF102": "KeyError", "RBF103": "AttributeError", "RBF104": "TypeError", "RBF106": "TypeError"}
"""What torch raises while code that these rules find is built or called."""
MOVING = frozenset({"RBF001", "RBF002", "RBF003", "RBF004", "RBF005", "RBF105"})
"""Rules about tensors that stay behind when the module moves."""
STYLE = frozenset({"RBF202", "RBF203", "RBF204", "RBF901"})
"""Rules about code that works and could be written better."""


def control(
    case: Case,
    original: Observation,
    changes: Changes,
    devices: Sequence[str],
    cured: Container[tuple[str, str]] | None = None,
) -> list[CheckResult]:
    """Judge whether the original shows its bug, on the CPU and on each device.

    Args:
        case: what is verified.
        original: what was seen of the version before the fix.
        changes: what the fix changed.
        devices: the devices beside the CPU.
        cured: the checks, with devices, that the fixed version passes: no other failure is the bug that was fixed;
            None where there is no fixed version.
    """
    codes = frozenset({case.rule} if case.rule else ())
    raised = _raised(case, original)
    if raised is not None:
        return [CheckResult(SHOWS_BUG, CPU, raised)]
    if original.inventory is None:
        return [CheckResult(SHOWS_BUG, CPU, not_run("the original cannot be built"))]
    if case.is_defect and codes == {"RBF201"}:
        return [CheckResult(SHOWS_BUG, CPU, not_run("no fix says which Parameter is meant to be a constant"))]
    if codes and codes <= STYLE:
        return [CheckResult(SHOWS_BUG, CPU, not_run("a style rule: the original is right"))]
    evidence = {
        device: [
            name for name in _failures(case, original, changes, device) if cured is None or (name, device) in cured
        ]
        for device in (CPU, *devices)
    }
    if not codes:
        return [_of_unknown_rule(evidence)]
    results = [CheckResult(SHOWS_BUG, CPU, _on_cpu(codes, evidence[CPU]))]
    return results + [CheckResult(SHOWS_BUG, device, _on_device(codes, evidence[device])) for device in devices]


def _raised(case: Case, original: Observation) -> Verdict | None:
    expected = {RAISES[code] for code in case.claims.codes if code in RAISES}
    if not expected:
        return None
    if not original.error and case.is_defect and case.rule == "RBF106":
        return not_run("what is read is None, and may well be")
    if not original.error:
        return failed(f"the original raises no {' or '.join(sorted(expected))}") if case.rule in RAISES else None
    if expected.intersection(original.error["error"]["bases"]):
        return Verdict(Outcome.PASSED, error_text(original.error))
    return failed(f"the original raises something else: {error_text(original.error)}")


def _failures(case: Case, original: Observation, changes: Changes, device: str) -> Iterator[str]:
    """Yield the checks that the original fails on a device, when it is judged as if it were the fixed version."""
    for name, check in CHECKS.items():
        facts = original.facts.get((name, device))
        if not check.shows_bug or facts is None or original.inventory is None:
            continue
        seen = Seen(original.inventory, facts, device, changes=changes, claims=case.claims, alone=True)
        if check.verdict(seen).outcome is Outcome.FAILED:
            yield name


def _shown(evidence: Sequence[str]) -> Verdict:
    return Verdict(Outcome.PASSED, f"fails {', '.join(evidence)}")


def _on_cpu(codes: frozenset[str], evidence: Sequence[str]) -> Verdict:
    if evidence:
        return _shown(evidence)
    if codes & MOVING:
        return not_run("it shows when the module moves")
    return failed("the original passes every check that could show its bug")


def _on_device(codes: frozenset[str], evidence: Sequence[str]) -> Verdict:
    if evidence:
        return _shown(evidence)
    if codes & MOVING:
        return failed("the original moves and works on the device")
    return not_run("what is wrong has nothing to do with devices")


def _of_unknown_rule(evidence: dict[str, list[str]]) -> CheckResult:
    for device, names in evidence.items():
        if names:
            return CheckResult(SHOWS_BUG, device, _shown(names))
    return CheckResult(SHOWS_BUG, CPU, not_run("the original passes every check, so there was nothing to be fixed"))
