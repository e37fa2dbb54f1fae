"""What a call stores follows the module too."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.moves import all_tensors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


class MovesAfterUse(Check):
    """Lazily made tables and caches, which exist only after a call."""

    name = "moves-after-use"
    asserts = "after a call on the CPU and `.to(device)` nothing stays behind, caches included"
    on_device = True

    def probe(self, subject: Subject, device: str) -> Facts:
        """Call, move, and see what stays, though another call may replace it: that would be a temporary."""
        from regbuf_lint.verify.worker.values import on  # noqa: PLC0415  imports torch

        def elsewhere() -> set[str]:
            return {name for name, one in all_tensors(subject, module).items() if not on(one, device)}

        module = subject.fresh()
        subject.call(module)
        module.to(device)
        stays = elsewhere()
        if stays:
            with suppress(Exception, SystemExit):  # where it cannot be called, little is replaced either
                subject.call(module, device)
            stays &= elsewhere()
        return {"stays": sorted(stays)}

    def wrong(self, seen: Seen) -> Iterable[str]:
        """What stays."""
        return set(seen.facts["stays"])

    def judge(self, seen: Seen) -> Verdict:
        """Only what stays in the original as well, and was not fixed, may stay."""
        return none_of(seen.blamed(seen.facts["stays"], seen.before("stays")), f"not on {seen.device}")
