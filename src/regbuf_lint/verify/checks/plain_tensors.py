"""No tensor is left that the module does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.model import Verdict, not_run

if TYPE_CHECKING:
    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_OWN_CHECK = "requires-grad"


class PlainTensors(Check):
    """The audit of the fixed version finds nothing but what the fix leaves on purpose."""

    name = "plain-tensors"
    asserts = "no tensor is left, in attributes, containers or distributions, that the module does not know"
    shows_bug = False

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """See the inventory."""
        return {"module": type(subject.module).__name__}

    def judge(self, seen: Seen) -> Verdict:
        """Compare what is left with what was there."""
        left = plain(seen.inventory)
        before = plain(seen.inventory_before) if seen.inventory_before else {}
        stay = {path for path in left if seen.stays(path)}
        said = f"no fix speaks of what stays plain: {', '.join(sorted(stay))}"[:200]
        left = {path: one for path, one in left.items() if path not in stay}
        if stay and not left:
            return not_run(said)
        if seen.claims.withheld and left and left.keys() <= before.keys():
            return not_run(f"fixes were withheld, and {len(left)} stay plain: {', '.join(sorted(left))}"[:200])
        return none_of(left.values(), "left")


def plain(inventory: Facts) -> dict[str, str]:
    """Return the tensors that are not registered, with what is said of each."""
    return {path: one["said"] for path, one in inventory["stragglers"].items() if one["kind"] != _OWN_CHECK}
