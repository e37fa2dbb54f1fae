"""Outputs on the CPU are equal bit for bit."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen, looked_at
from regbuf_lint.verify.checks.results import drawn, fixed_attributes, steady_of, told, unlike
from regbuf_lint.verify.model import PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import torch
    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_WITHOUT_GRADIENTS = "without gradients"
_IN_INFERENCE = "in inference mode, and once after it"
_UNDER_AUTOCAST = "under autocast"
_OTHER_INPUTS = "on other inputs"
"""The first call is on those that were given: what is kept of it must not stand in for the others."""
_OTHER_STRIDES = "on inputs with other strides"
_OTHER_DTYPE = "on inputs in bfloat16"
_ASSIGNED = "once other tensors were assigned"
_EMPTIED = "once None was assigned"
_MODES = {
    "in train()": ["train"] * 8,
    "in eval()": ["eval"] * 4,
    "in turns": ["eval", "train", "eval"],
    _WITHOUT_GRADIENTS: ["eval", "train"],
    _IN_INFERENCE: ["eval", "train", "train"],
    _UNDER_AUTOCAST: ["eval", "train"],
    _OTHER_INPUTS: ["eval", "train", "eval"],
    _OTHER_STRIDES: ["eval"],
    _OTHER_DTYPE: ["eval"],
    _ASSIGNED: ["eval"],
    _EMPTIED: ["eval"],
}
"""Several calls in a row, since each may change the state; in both modes, and in one after the other."""

_NO_CALL = "what an earlier call raised"


class OutputsCpu(Check):
    """Results of calls in the mode in which the module is built and in both modes, and the inputs afterwards."""

    name = "outputs-cpu"
    asserts = (
        "outputs of several calls in a row on the CPU, in `train()`, in `eval()` and in turns, without gradients, "
        "in inference mode and after it, under autocast, on other inputs, of other strides or in bfloat16, and once "
        "other tensors, or None, were assigned, are equal bit for bit, with their types, keys, dtypes, shapes and "
        "strides; they share memory with inputs, state and each other as before, and the inputs are left as they were"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Call; in the original twice, since what is not the same each time tells nothing."""
        subject.call(subject.fresh())  # what it raises is what building says
        return looked_at(subject, "outputs", lambda: _results(subject))

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        before = seen.facts_before or {}
        if "error" in before:
            return not_run("the original cannot be called")
        known = _steady(before["outputs"], before["again"])
        if not known:
            return not_run("the original gives other outputs each time")
        for call, theirs in known.items():
            if call.endswith(_EMPTIED) and isinstance(theirs, str):
                continue  # what cannot do without the tensor may say so in other words
            ours = seen.facts["outputs"].get(call, _NO_CALL)
            said = _differing(ours, theirs)
            if said:
                return failed(f"{call} gives another output than that of the original: {said}")
        return PASSED


def _steady(outputs: Facts, again: Facts) -> Facts:
    """Return of each call what is the same each time; calls of which nothing is are left out."""
    found: Facts = {}
    for call, one in outputs.items():
        other = again.get(call, _NO_CALL)
        if one == other:
            found[call] = one
        elif not isinstance(one, str) and not isinstance(other, str):
            same = steady_of(one, other)
            found |= {call: same} if same is not None else {}
    return found


def _differing(ours: Any, theirs: Any) -> str:
    """Say how what a call gives differs; a text stands for what it raises."""
    if isinstance(ours, str) and isinstance(theirs, str):
        return "" if ours == theirs else f"raises {ours}, not {theirs}"
    if isinstance(ours, str):
        return f"raises {ours}"
    return f"no longer raises {theirs}" if isinstance(theirs, str) else unlike(ours, theirs)


def _results(subject: Subject) -> Facts:
    """Return what each call gives; a call that raises ends its mode."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker import values  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch

    changes: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        _OTHER_INPUTS: values.other_values,
        _OTHER_STRIDES: values.other_strides,
        _OTHER_DTYPE: partial(values.in_dtype, torch.bfloat16),
    }
    found: Facts = {}
    for said, modes in _MODES.items():
        module = subject.fresh()
        if said == _ASSIGNED:
            _assign_others(subject, module)
        elif said == _EMPTIED:
            _assign_none(subject, module)
        for number, mode in enumerate(modes, 1):
            inputs = subject.given()
            if said in changes and (said != _OTHER_INPUTS or number > 1):
                inputs = values.replaced(inputs, changes[said])
            try:
                with _around(said, is_last=number == len(modes)):
                    result = drawn(called(getattr(module, mode)(), inputs))
            except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
                found[f"call {number} {said}"] = _raised(error)
                break
            ends = number in {1, len(modes)}
            graphs = said == _WITHOUT_GRADIENTS
            found[f"call {number} {said}"] = told(subject, module, inputs, result, graphs=graphs, memory=ends)
    return found


def _around(said: str, *, is_last: bool) -> AbstractContextManager[object]:
    """What holds while a call runs, by what is said of it and whether it is the last one of its kind."""
    import torch  # noqa: PLC0415

    if said == _WITHOUT_GRADIENTS:
        return torch.no_grad()
    if said == _IN_INFERENCE and not is_last:
        return torch.inference_mode()
    return torch.autocast("cpu", torch.bfloat16) if said == _UNDER_AUTOCAST else nullcontext()


def _assign_others(subject: Subject, module: nn.Module) -> None:
    """Give the attributes that a fix is about other tensors, as a user may; what cannot be assigned stays."""
    from torch import nn  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import other_values  # noqa: PLC0415  imports torch

    others: list[tuple[nn.Module, str, torch.Tensor]] = []
    for _, owner, name, held in fixed_attributes(subject, module):
        with suppress(Exception):
            others.append((owner, name, other_values(held)))
    for owner, name, value in others:
        with suppress(Exception):
            held = getattr(owner, name)
            if isinstance(held, nn.Parameter):
                held.data = value
            else:
                setattr(owner, name, value)


def _assign_none(subject: Subject, module: nn.Module) -> None:
    """Take away the tensors that a fix is about, as ``module.scale = None`` does."""
    import torch  # noqa: PLC0415

    for _, owner, name, held in fixed_attributes(subject, module):
        with suppress(Exception):
            if isinstance(held, torch.Tensor):
                setattr(owner, name, None)


def _raised(error: BaseException) -> str:
    from regbuf_lint.verify.worker.subject import error_facts  # noqa: PLC0415  imports torch

    raised = error_facts(error)["error"]
    return f"{raised['type']}: {raised['message']}"
