"""Buffers can be written in place, as DDP's broadcast and ``load_state_dict`` do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


class DdpSafe(Check):
    """A view that ``expand`` made has several elements in one place of memory, and cannot be written."""

    name = "ddp-safe"
    asserts = "every buffer, also one that is not saved, can be written in place as DDP's broadcast does"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Write every buffer over itself."""

        def is_writable(buffer: torch.Tensor) -> bool:
            try:
                buffer.detach().copy_(buffer.detach().clone())
            except RuntimeError:
                return False
            return True

        named = subject.fresh().named_buffers(remove_duplicate=False)
        return {"unwritable": sorted(name for name, buffer in named if not is_writable(buffer))}

    def wrong(self, seen: Seen) -> Iterable[str]:
        """What cannot be written."""
        return set(seen.facts["unwritable"])

    def judge(self, seen: Seen) -> Verdict:
        """All can be written."""
        return none_of(seen.blamed(seen.facts["unwritable"], seen.before("unwritable")), "cannot be written in place")
