"""Outputs on a device are those of the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import META, Check, Seen, about_devices, error_text
from regbuf_lint.verify.checks.plain_tensors import plain
from regbuf_lint.verify.checks.tried_methods import broken, tried
from regbuf_lint.verify.model import CPU, PASSED, Outcome, Verdict, failed, not_run

if TYPE_CHECKING:
    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_OTHER_SEED = 54321


class OutputsDevice(Check):
    """A module that is moved when it is new, and one that was called before."""

    name = "outputs-device"
    asserts = (
        "on the device, moved new or after use, outputs equal those of the CPU (within tolerance; on meta in shape); "
        "methods beside `forward` that are changed, or ran there before, run there"
    )
    on_device = True

    def probe(self, subject: Subject, device: str) -> Facts:
        """Call on the CPU and on the device."""
        from regbuf_lint.verify.worker.subject import error_facts  # noqa: PLC0415  imports torch
        from regbuf_lint.verify.worker.values import differences, digest, moved  # noqa: PLC0415  imports torch

        on_cpu = subject.fresh()
        first = subject.call(on_cpu)
        second = subject.call(on_cpu)
        seen: Facts = {"draws": digest(first) != digest(subject.call(subject.fresh(), seed=_OTHER_SEED))}
        new, used = subject.fresh(), subject.fresh()
        subject.call(used)

        def compared(module: nn.Module, expected: object) -> Facts:
            try:
                return {"differs": differences(subject.call(module.to(device), device), expected, device)}
            except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
                return error_facts(error)

        uses = tried(subject, lambda module: module.to(device), lambda given: moved(given, device))
        return seen | {"new": compared(new, first), "used": compared(used, second), "uses": uses}

    def judge(self, seen: Seen) -> Verdict:
        """Both ways have to work, and so do methods."""
        wrong = self._wrong(seen)
        if wrong is PASSED:
            return self._with_methods(seen)
        left = plain(seen.inventory)
        on_purpose = seen.claims.withheld or any(map(seen.stays, left))
        if wrong.outcome is not Outcome.FAILED or seen.alone or not (on_purpose and left):
            return wrong
        return not_run(f"what no fix speaks of stays on {CPU}: {', '.join(sorted(left))}"[:200])

    def _with_methods(self, seen: Seen) -> Verdict:
        before = (seen.facts_before or {}).get("uses")
        said = "" if before is None else broken(seen.facts["uses"], [before], about_devices)
        return failed(f"once moved, {said}") if said else PASSED

    def _wrong(self, seen: Seen) -> Verdict:
        for what in ("new", "used"):
            facts = seen.facts[what]
            said = error_text(facts) if "error" in facts else facts["differs"]
            if not said:
                continue
            if seen.device == META and "error" in facts and not about_devices(facts):
                return not_run(f"meta tensors have no values: {said}")
            if seen.facts["draws"] and "error" not in facts:
                return not_run("outputs are random, and each device draws other numbers")
            return failed(f"moved when {what}: {said}")
        return PASSED
