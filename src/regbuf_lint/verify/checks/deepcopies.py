"""The module can be copied, and the copy is its own."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.model import PASSED, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject


class DeepCopies(Check):
    """``copy.deepcopy``, as EMA, ensembles and early stopping use it."""

    name = "deepcopy"
    asserts = "`copy.deepcopy` works, after a call too: equal state and outputs, no memory shared"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Copy a fresh module and compare."""
        module = subject.fresh()
        twin = deepcopy(module)
        ours, theirs = subject.tensors(module), subject.tensors(twin)
        memory = {one.data_ptr() for one in ours.values() if one.numel()}
        shared = [name for name, one in theirs.items() if one.numel() and one.data_ptr() in memory]
        return compared(subject, module, twin, deepcopy) | {"shared": sorted(shared)}

    def wrong(self, seen: Seen) -> Iterable[str]:
        """What differs or is shared."""
        return [*seen.facts["differing"], *seen.facts["shared"]]

    def judge(self, seen: Seen) -> Verdict:
        """State and outputs are equal, memory is not shared."""
        verdict = judge_twin(seen)
        return (
            none_of(seen.blamed(seen.facts["shared"], seen.before("shared")), "shared")
            if verdict is PASSED
            else verdict
        )


def compared(subject: Subject, module: nn.Module, twin: nn.Module, copied: Callable[[nn.Module], object]) -> Facts:
    """Return where a copy differs from a module, in state and in the output of a call, and what copying raises then.

    Args:
        subject: the version.
        module: the module.
        twin: its copy.
        copied: what made that.
    """
    from regbuf_lint.verify.worker.subject import NoInputsError  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

    facts: Facts = {"differing": subject.differing(module, twin)}
    try:
        facts["same"] = digest(subject.call(module)) == digest(subject.call(twin))
    except NoInputsError:
        facts["same"] = True
    try:
        copied(module)
    except Exception as error:  # noqa: BLE001  whatever the module holds now
        facts["used"] = type(error).__name__
    return facts


def judge_twin(seen: Seen) -> Verdict:
    """State and outputs are equal."""
    verdict = none_of(seen.blamed(seen.facts["differing"], seen.before("differing")), "differs in the copy")
    if verdict is PASSED and not seen.facts["same"] and (seen.facts_before or {}).get("same", True):
        return failed("the copy gives another output")
    if verdict is PASSED and "used" in seen.facts and "used" not in (seen.facts_before or {"used": ""}):
        return failed(f"copying it after a call raises {seen.facts['used']}")
    return verdict
