"""Buffers can be written in place, as DDP's broadcast and ``load_state_dict`` do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of

if TYPE_CHECKING:
    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


class DdpSafe(Check):
    """A view that ``expand`` made has several elements in one place of memory, and cannot be written."""

    name = "ddp-safe"
    asserts = "every buffer, also one that is not saved, can be written in place as DDP's broadcast does"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Write every buffer over itself."""
        import torch  # noqa: PLC0415

        unwritable = []
        for name, buffer in subject.fresh().named_buffers(remove_duplicate=False):
            try:
                with torch.no_grad():
                    buffer.detach().copy_(buffer.detach().clone())
            except RuntimeError:
                unwritable.append(name)
        return {"unwritable": sorted(unwritable)}

    def judge(self, seen: Seen) -> Verdict:
        """All can be written."""
        return none_of(seen.blamed(seen.facts["unwritable"], seen.before("unwritable")), "cannot be written in place")
