"""Buffers are no Parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.model import PASSED, Verdict, failed

if TYPE_CHECKING:
    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

TRAINABLE = "RBF005"


class NotParameters(Check):
    """What the fix registers is in ``buffers()`` and not in ``parameters()``, but for what is meant to be trained."""

    name = "not-parameters"
    asserts = "what was registered is in `buffers()` and not in `parameters()`; for RBF005 the other way round"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Ask the lists that optimizers and other tools use."""
        module = subject.module
        parameters = {id(one) for one in module.parameters()}
        named = dict(module.named_buffers(remove_duplicate=False))
        return {
            "parameters": sorted(dict(module.named_parameters(remove_duplicate=False))),
            "both": sorted(name for name, buffer in named.items() if id(buffer) in parameters),
            "listed": len({id(one) for one in named.values()}) == len(list(module.buffers())),
        }

    def judge(self, seen: Seen) -> Verdict:
        """Compare with what the rule asks for."""
        parameters = set(seen.facts["parameters"])
        if TRAINABLE in seen.claims.codes:
            untrained = (seen.changes.parameters - parameters) | _untrained(seen)
            verdict = none_of(untrained, "no Parameter, so it is never trained")
        else:
            verdict = none_of(seen.changes.parameters & parameters, "a Parameter, not a buffer")
        if verdict is not PASSED:
            return verdict
        verdict = none_of(seen.changes.gone & parameters, "still a Parameter")
        if verdict is not PASSED:
            return verdict
        if not seen.facts["listed"]:
            return failed("buffers() does not list what named_buffers() does")
        return none_of(seen.blamed(seen.facts["both"], seen.before("both")), "buffer and Parameter at once")


def _untrained(seen: Seen) -> set[str]:
    """Return the buffers that were plain tensors to be trained; where other rules have a say, they may be theirs."""
    before = (seen.inventory_before or {}).get("stragglers", {})
    asking = {path for path, one in before.items() if one["asks"]}
    return asking & seen.changes.buffers if seen.claims.codes == {TRAINABLE} else set()
