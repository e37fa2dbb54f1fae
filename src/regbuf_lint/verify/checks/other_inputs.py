"""Other inputs than those that were given are taken, and refused, as before."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen, looked_at
from regbuf_lint.verify.checks.results import drawn, steady_of, told, unlike
from regbuf_lint.verify.checks.runs import LONGEST_OF_OTHERS, TookLongError, time_limit
from regbuf_lint.verify.model import PASSED, RAISES, Verdict, failed, not_run

if TYPE_CHECKING:
    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_LOOKUPS = frozenset({"AttributeError", "IndexError", "KeyError"})
"""What is raised where something is not found: in a list, or in a module whose buffers have taken its place."""


class OtherInputs(Check):
    """Calls on inputs of other lengths, numbers of dimensions, dtypes and values, which the module may refuse."""

    name = "other-inputs"
    asserts = (
        "on inputs twice as long, the first alone, with a dimension more, with a longer last dimension, in float64, "
        "with a NaN, and on large numbers, it gives the same bit for bit, or raises an exception of the same class"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Call new modules; in the original twice, since what is not the same each time tells nothing."""
        subject.call(subject.fresh().eval())  # one that does not take what was given refuses all others rightly
        return looked_at(subject, "given", lambda: _results(subject))

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        before = seen.facts_before or {}
        if "error" in before:
            return not_run("the original cannot be called")
        curable = {RAISES[code] for code in seen.claims.codes & RAISES.keys()}
        for inputs, now in seen.facts["given"].items():
            if inputs in before["given"] and inputs in before["again"]:
                said = _differing(now, before["given"][inputs], before["again"][inputs], curable)
                if said:
                    return failed(f"on {inputs}, {said}")
        return PASSED


def _differing(now: Facts, before: Facts, again: Facts, curable: set[str]) -> str:
    """Say how a call differs from that of the original; empty where it does not.

    Args:
        now: what the call of the fixed version gives, or raises.
        before: what that of the original does.
        again: what that does once more.
        curable: exceptions that the fix is there to avoid.
    """
    ours, theirs = now.get("raises", ""), before.get("raises", "")
    if theirs != again.get("raises", ""):
        return ""
    if ours and theirs:
        return "" if ours == theirs or {ours, theirs} <= _LOOKUPS else f"it raises {ours}, not {theirs}"
    if ours or theirs:
        return f"it raises {ours}" if ours else "" if theirs in curable else f"it raises {theirs} no longer"
    known = steady_of(before, again)
    said = unlike(now, known) if known is not None else ""
    return f"it gives another output than that of the original: {said}" if said else ""


def _results(subject: Subject) -> Facts:
    """Return what calls on other inputs give, or the class of what they raise; those that take long are left out."""
    from regbuf_lint.verify.worker.other_inputs import OTHER_INPUTS, varied  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch

    found: Facts = {}
    end = time.monotonic() + LONGEST_OF_OTHERS
    for said in OTHER_INPUTS:
        inputs = varied(subject.given(), said)
        if inputs is None or time.monotonic() > end:
            continue
        module = subject.fresh().eval()
        with suppress(TookLongError):
            try:
                with time_limit():
                    result = drawn(called(module, inputs))
            except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
                found[said] = {"raises": type(error).__name__}
                continue
            _of_one_kind(result)
            found[said] = told(subject, module, inputs, result, graphs=False, memory=False)
    return found


def _of_one_kind(result: Any) -> None:
    """Let each NaN in a result have the same bits: which ones it gets depends on where tensors lie in memory."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import tensors  # noqa: PLC0415  imports torch

    with torch.no_grad():
        for one in tensors(result):
            with suppress(Exception):  # it has no NaN, or cannot be written
                one.masked_fill_(one.isnan(), torch.nan)
