"""The negative control: a check that cannot fail is none, so each original has to show its bug.

Original and fixed version are asked the same question, each by itself: what is wrong with it? The bug that was fixed
is what is wrong with the original, and no longer with the fixed version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Changes, Seen, error_text
from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.model import CPU, RAISES, SHOWS_BUG, CheckResult, Outcome, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.verify.model import Case
    from regbuf_lint.verify.observing import Observation

MOVING = frozenset({"RBF001", "RBF002", "RBF003", "RBF004", "RBF005", "RBF105"})
"""Rules about tensors that stay behind when the module moves."""
_SAME = "the fixed version has the same faults"


def control(
    case: Case, original: Observation, fixed: Observation | None, changes: Changes, devices: Sequence[str]
) -> list[CheckResult]:
    """Judge whether the original shows its bug, on the CPU and on each device.

    Args:
        case: what is verified.
        original: what was seen of the version before the fix.
        fixed: what was seen of the version after it; None where there is none.
        changes: what the fix changed.
        devices: the devices beside the CPU.
    """
    raised = _raised(case, original)
    if raised is not None:
        return [CheckResult(SHOWS_BUG, CPU, raised)]
    if original.inventory is None:
        return [CheckResult(SHOWS_BUG, CPU, not_run("the original cannot be built"))]
    if fixed is not None and fixed.inventory is None:
        return [CheckResult(SHOWS_BUG, CPU, not_run("the fixed version cannot be built, so nothing was compared"))]
    faults = {device: _faults(case, original, changes, device) for device in (CPU, *devices)}
    cured = {
        device: [name for name, wrong in found.items() if fixed is None or wrong - now.get(name, frozenset())]
        for device, found in faults.items()
        for now in ((_faults(case, fixed, changes, device),) if fixed is not None else ({},))
    }
    if not case.rule:
        return [_of_unknown_rule(faults, cured)]
    results = [CheckResult(SHOWS_BUG, CPU, _on_cpu(case.rule, cured[CPU], has_faults=bool(faults[CPU])))]
    return results + [
        CheckResult(SHOWS_BUG, device, _on_device(case.rule, cured[device], has_faults=bool(faults[device])))
        for device in devices
    ]


def _raised(case: Case, original: Observation) -> Verdict | None:
    expected = {RAISES[code] for code in case.claims.codes if code in RAISES}
    if not expected:
        return None
    if not original.error:
        silent = case.rule in RAISES and not (original.inventory and original.inventory["marks"].get(case.rule))
        return failed(f"the original raises no {' or '.join(sorted(expected))}") if silent else None
    if expected.intersection(original.error["error"]["bases"]):
        return Verdict(Outcome.PASSED, error_text(original.error))
    return failed(f"the original raises something else: {error_text(original.error)}")


def _faults(case: Case, seen: Observation, changes: Changes, device: str) -> dict[str, frozenset[str]]:
    """Return what is wrong with a version by itself on a device, by check, or by the rule that speaks of it."""
    found: dict[str, frozenset[str]] = {}
    for name, check in CHECKS.items():
        facts = seen.facts.get((name, device))
        if check.shows_bug and facts is not None and seen.inventory is not None:
            judged = Seen(seen.inventory, facts, device, changes=changes, claims=case.claims, alone=True)
            found[name] = check.faults(judged)
    if device == CPU and seen.inventory is not None:
        marks = seen.inventory["marks"]
        found |= {code: frozenset(marks[code]) for code in sorted(case.claims.codes & marks.keys())}
    return {name: wrong for name, wrong in found.items() if wrong}


def _shown(evidence: Sequence[str]) -> Verdict:
    return Verdict(Outcome.PASSED, f"fails {', '.join(evidence)}")


def _on_cpu(rule: str, cured: Sequence[str], *, has_faults: bool) -> Verdict:
    if cured:
        return _shown(cured)
    if rule in MOVING:
        return not_run("it shows when the module moves")
    return failed(_SAME if has_faults else "the original passes every check that could show its bug")


def _on_device(rule: str, cured: Sequence[str], *, has_faults: bool) -> Verdict:
    if cured:
        return _shown(cured)
    if rule in MOVING:
        return failed(_SAME if has_faults else "the original moves and works on the device")
    return not_run("what is wrong has nothing to do with devices")


def _of_unknown_rule(faults: dict[str, dict[str, frozenset[str]]], cured: dict[str, list[str]]) -> CheckResult:
    for device, names in cured.items():
        if names:
            return CheckResult(SHOWS_BUG, device, _shown(names))
    if any(faults.values()):
        return CheckResult(SHOWS_BUG, CPU, failed(_SAME))
    return CheckResult(SHOWS_BUG, CPU, not_run("the original passes every check, so there was nothing to be fixed"))
