"""A checkpoint that the original saved still loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.model import FIXED, ORIGINAL, PASSED

if TYPE_CHECKING:
    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject

_FILE = "checkpoint.pt"


class CheckpointLoads(Check):
    """``load_state_dict(strict=True)`` of the fixed version with the original's ``state_dict()``."""

    name = "checkpoint-loads"
    asserts = "a checkpoint of the original loads with `strict=True`, but for the keys that the fix adds and removes"
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Save in the original; load in both versions."""
        import torch  # noqa: PLC0415

        file = subject.exchange / _FILE
        if subject.side == ORIGINAL:
            torch.save(subject.fresh().state_dict(), file)
        if subject.side == FIXED and not file.exists():
            return {"not_run": "the original saved no checkpoint"}
        saved = torch.load(file, weights_only=False)
        answer = subject.fresh().load_state_dict(saved, strict=False)
        return {"missing": sorted(answer.missing_keys), "unexpected": sorted(answer.unexpected_keys)}

    def judge(self, seen: Seen) -> Verdict:
        """Only keys of what the fix registered are missing, only those of what it took away are left over."""
        verdict = none_of(set(seen.facts["missing"]) - seen.changes.state, "missing in the checkpoint")
        if verdict is not PASSED:
            return verdict
        return none_of(set(seen.facts["unexpected"]) - seen.changes.removed, "not expected in the checkpoint")
