"""Verifying one case: both versions are looked at, and the checks judge."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Changes, Seen
from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.checks.same_code import SameCode, unrun
from regbuf_lint.verify.code_changes import code_changes
from regbuf_lint.verify.control import control
from regbuf_lint.verify.model import (
    BUILDS,
    CPU,
    FIXED,
    ORIGINAL,
    PASSED,
    RAISES,
    CaseReport,
    CheckResult,
    Outcome,
    Verdict,
    failed,
    not_run,
)
from regbuf_lint.verify.observing import CALLED, observe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.verify.isolation.client import Worker
    from regbuf_lint.verify.model import Build, Case, Machine
    from regbuf_lint.verify.observing import Observation

_ENDED = "the process ended before it"
_NO_OTHER_DEVICE = "no device other than the CPU was asked for"


def verify(case: Case, worker: Worker, machine: Machine) -> CaseReport:
    """Verify a case.

    Args:
        case: what is verified.
        worker: what starts processes.
        machine: torch's release and the devices.
    """
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="regbuf-verify-", ignore_cleanup_errors=True) as exchange:
        run = _Run(case, worker, machine, Path(exchange))
        if case.lacks:
            results = [CheckResult(BUILDS, CPU, not_run(case.lacks, blocks=True))]
        elif case.fixed is not None:
            results = run.pair(case.fixed)
        elif case.is_defect:
            results = run.defect()
        else:
            results = run.single()
    return CaseReport(
        case,
        tuple(results),
        tuple(sorted(run.covered)),
        frozenset(run.unrun),
        tuple(run.tracebacks),
        time.monotonic() - begin,
        run.memory,
    )


class _Run:
    """The verification of one case."""

    def __init__(self, case: Case, worker: Worker, machine: Machine, exchange: Path) -> None:
        self._case = case
        self._worker = worker
        self._devices = [device for device in machine.devices if device != CPU]
        self._absent = machine.absent
        self._torch = machine.torch
        self._exchange = exchange
        self._code = code_changes(case.fixed.replaced if case.fixed is not None else ())
        self.covered: set[str] = set()
        self.unrun = set(self._code.changed)
        self.tracebacks: list[str] = []
        self.memory = 0

    def pair(self, build: Build) -> list[CheckResult]:
        """Compare two versions."""
        original = self._look(
            self._case.original, ORIGINAL, (name for name, one in CHECKS.items() if not one.on_demand)
        )
        lacking = self._lacking(original)
        if lacking is not None:
            return [CheckResult(BUILDS, CPU, lacking)]
        fixed = self._look(build, FIXED, CHECKS, original.plain)
        lacking = self._lacking(fixed)
        if lacking is not None:
            return [CheckResult(BUILDS, CPU, lacking)]
        facts = fixed.facts.get((SameCode.name, CPU), {})
        self.unrun = unrun(self._code, facts) if "ran" in facts else self.unrun
        original = self._on_demand(original, fixed)
        changes = _changes(original, fixed)
        judged = list(self._judged(fixed, original, changes)) if fixed.inventory is not None else []
        shown = control(self._case, original, fixed, changes, self._devices)
        return [CheckResult(BUILDS, CPU, self._built(original, fixed)), *shown, *judged]

    def defect(self) -> list[CheckResult]:
        """See whether code that is known to be wrong shows it."""
        original = self._look(self._case.original, ORIGINAL, CHECKS)
        lacking = self._lacking(original)
        if lacking is not None:
            return [CheckResult(BUILDS, CPU, lacking)]
        own = [] if not original.problem else [CheckResult(BUILDS, CPU, failed(original.problem))]
        return own + control(self._case, original, None, Changes(), self._devices)

    def single(self) -> list[CheckResult]:
        """Judge one version by itself."""
        seen = self._look(self._case.original, FIXED, CHECKS)
        lacking = self._lacking(seen)
        verdict = lacking or seen.verdict() or PASSED
        results = [CheckResult(BUILDS, CPU, verdict)]
        if lacking is None and seen.inventory is not None:
            results += self._judged(seen, None, Changes())
        return results

    def _look(
        self, build: Build, side: str, checks: Iterable[str], routes: dict[str, str] | None = None
    ) -> Observation:
        seen = observe(
            self._worker,
            build,
            side,
            checks=list(checks),
            devices=self._devices,
            exchange=self._exchange,
            routes=routes,
            changed=self._changed(build, side),
        )
        self.memory = max(self.memory, seen.memory)
        classes = set(seen.inventory["classes"]) if seen.inventory else set()
        self.covered |= classes.intersection(self._case.targets)
        if seen.error:
            self.tracebacks.append(f"{side} version of {self._case.name}:\n{seen.error['error']['traceback']}")
        return seen

    def _changed(self, build: Build, side: str) -> dict[str, Any]:
        """Return what the fix changes in the code, as one version has it."""
        pairs = self._case.fixed.replaced if self._case.fixed is not None else ((build.file, build.file),)
        return {
            "files": [before for before, _ in pairs],
            "texts": [after if side == FIXED else before for before, after in pairs],
            "functions": self._code.lines(side) if self._code.changed else {},
        }

    def _on_demand(self, original: Observation, fixed: Observation) -> Observation:
        """Look at the original again for slow checks that the fixed version fails."""
        wanted = [
            name for name, check in CHECKS.items() if check.on_demand and "error" in fixed.facts.get((name, CPU), {})
        ]
        if not wanted or original.inventory is None:
            return original
        more = self._look(self._case.original, ORIGINAL, wanted)
        return replace(original, facts={**original.facts, **more.facts})

    def _lacking(self, seen: Observation) -> Verdict | None:
        directories = {Path(self._case.original.file).parent, *map(Path, self._case.original.paths)}
        own = {path.stem for directory in directories for path in directory.iterdir()}
        return seen.lacks(self._torch, own)

    def _built(self, original: Observation, fixed: Observation) -> Verdict:
        raises = not original.problem and self._case.claims.codes & RAISES.keys()  # as what such a rule is about does
        before = None if raises else original.verdict()
        against = fixed.verdict()
        if against is not None:
            return failed(f"{against.reason}; the original does not work either") if before else against
        if before is not None:
            return failed(f"original: {before.reason}")
        said = fixed.does_more(original)
        if said and not original.error:
            again = self._look(self._case.original, ORIGINAL, [CALLED])
            if again.does_more(original):  # what is not the same each time tells nothing
                return PASSED
        return failed(said) if said else PASSED

    def _judged(self, seen: Observation, original: Observation | None, changes: Changes) -> Iterator[CheckResult]:
        exempt = dict(self._case.claims.exempt)
        for name, check in CHECKS.items():
            if check.on_device and not (self._devices or self._absent):
                yield CheckResult(name, CPU, not_run(_NO_OTHER_DEVICE))
            for device, reason in self._absent.items() if check.on_device else ():
                yield CheckResult(name, device, not_run(f"there is no such device: {reason}"))
            for device in self._devices if check.on_device else (CPU,):
                verdict = self._verdict(name, device, seen, original, changes)
                if verdict.outcome is Outcome.FAILED and name in exempt:
                    verdict = not_run(f"stated beside the code: {exempt[name]}")
                yield CheckResult(name, device, verdict)

    def _verdict(
        self, name: str, device: str, seen: Observation, original: Observation | None, changes: Changes
    ) -> Verdict:
        facts = seen.facts.get((name, device))
        if facts is None or seen.inventory is None:
            return not_run(_ENDED)
        if "error" in seen.facts.get((CALLED, CPU), {}) and "error" in facts:
            return not_run("it cannot be called on the CPU")
        return CHECKS[name].verdict(
            Seen(
                inventory=seen.inventory,
                facts=facts,
                device=device,
                inventory_before=original.inventory if original else None,
                facts_before=original.facts.get((name, device)) if original else None,
                changes=changes,
                claims=self._case.claims,
                alone=original is None,
                code=self._code,
            )
        )


def _changes(original: Observation, fixed: Observation) -> Changes:
    if original.inventory is None or fixed.inventory is None:
        return Changes()
    before, after = original.inventory, fixed.inventory
    held = {name for name, one in before["buffers"].items() if not one.get("none")}
    held |= {name for name, one in after["buffers"].items() if one.get("none") and name in before["buffers"]}
    return Changes(
        buffers=frozenset(after["buffers"].keys() - held),
        parameters=frozenset(after["parameters"].keys() - before["parameters"].keys()),
        gone=frozenset(before["parameters"].keys() - after["parameters"].keys()),
    )
