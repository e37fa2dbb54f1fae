"""Outputs on the CPU are equal bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen
from regbuf_lint.verify.model import PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject


class OutputsCpu(Check):
    """Two calls in a row, since the first may change the state."""

    name = "outputs-cpu"
    asserts = "outputs of two calls in a row on the CPU are equal bit for bit"
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:
        """Call twice."""
        from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

        module = subject.fresh()
        first = digest(subject.call(module, device))
        return {"outputs": [first, digest(subject.call(module, device))]}

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        if "error" in (seen.facts_before or {}):
            return not_run("the original cannot be called")
        for number, (ours, theirs) in enumerate(zip(seen.facts["outputs"], seen.before("outputs"), strict=False), 1):
            if ours != theirs:
                return failed(f"call {number} gives another output than that of the original")
        return PASSED
