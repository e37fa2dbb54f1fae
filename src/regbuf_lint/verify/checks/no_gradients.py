"""No buffer requires a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


class NoGradients(Check):
    """A buffer with ``requires_grad`` collects gradients that no optimizer ever uses."""

    name = "no-gradients"
    asserts = "no buffer requires a gradient"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Ask each buffer."""
        named = subject.module.named_buffers(remove_duplicate=False)
        return {"requiring": sorted(name for name, buffer in named if buffer.requires_grad)}

    def wrong(self, seen: Seen) -> Iterable[str]:
        """The buffers that ask for one."""
        return set(seen.facts["requiring"])

    def judge(self, seen: Seen) -> Verdict:
        """None does, but for those of the original that the fix is not about."""
        requiring = seen.facts["requiring"]
        claims = seen.claims
        before = [name for name in seen.before("requiring") if name.rpartition(".")[2] not in claims.fixed]
        if not (claims.withheld or claims.fixed):
            before = []
        return none_of(seen.blamed(requiring, before), "requires a gradient")
