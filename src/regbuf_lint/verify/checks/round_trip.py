"""What a version saves restores it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen
from regbuf_lint.verify.model import PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_OTHER_SEED = 12345


class RoundTrip(Check):
    """A module that was used, and one built with other random values that loads what the first one saved."""

    name = "round-trip"
    asserts = "saved after use and loaded with `strict=True` into a module with other random values, outputs are equal"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Call, save, load elsewhere, call both; where they differ, see what a call gives another value."""
        from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

        used, other = subject.fresh(), subject.fresh(seed=_OTHER_SEED)
        subject.call(used)
        other.load_state_dict(used.state_dict(), strict=True)
        differing = subject.differing(used, other)
        same = _outputs(subject, used, digest) == _outputs(subject, other, digest)
        return {"same": same, "differing": differing, "replaced": [] if same else _replaced(subject)}

    def judge(self, seen: Seen) -> Verdict:
        """Outputs are equal, or else differ for no reason of the fix."""
        if seen.facts["same"]:
            return PASSED
        guilty = seen.changes.state.intersection(seen.facts["differing"]) or seen.changes.state - seen.registered()
        guilty -= _left_out_on_purpose(seen)
        if guilty:
            return failed(f"not restored by what is saved: {', '.join(sorted(guilty))}")
        if seen.alone and seen.inventory["stragglers"]:
            return failed("outputs differ; the tensors that are not registered are not saved")
        if (seen.facts_before or {}).get("same"):
            return failed("outputs differ, and those of the original do not")
        return not_run("outputs depend on more than is saved, in the original too")


def _replaced(subject: Subject) -> list[str]:
    """Return the names of what a call gives another value."""
    used = subject.fresh()
    subject.call(used)
    return subject.differing(used, subject.fresh())


def _left_out_on_purpose(seen: Seen) -> set[str]:
    """Return the names of what a call gives another value, and the fix declares not to save."""
    unsaved = {name for name, one in seen.inventory["buffers"].items() if not one["saved"]}
    return unsaved.intersection(seen.facts["replaced"]) if seen.claims.declared else set()


def _outputs(subject: Subject, module: nn.Module, digest: object) -> object:
    return digest(subject.call(module))  # type: ignore[operator]
