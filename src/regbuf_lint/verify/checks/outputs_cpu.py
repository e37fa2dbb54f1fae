"""Outputs on the CPU are equal bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen
from regbuf_lint.verify.checks.differing import difference, steady
from regbuf_lint.verify.checks.moves import all_tensors
from regbuf_lint.verify.model import ORIGINAL, PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch
    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_WITHOUT_GRADIENTS = "without gradients"
_OTHER_INPUTS = "on other inputs"
"""The first call is on those that were given: what is kept of it must not stand in for the others."""
_ASSIGNED = "once other tensors were assigned"
_MODES = {
    "in train()": ["train"] * 8,
    "in eval()": ["eval"] * 4,
    "in turns": ["eval", "train", "eval"],
    _WITHOUT_GRADIENTS: ["eval"],
    "under autocast": ["eval"],
    _OTHER_INPUTS: ["eval", "train", "eval"],
    _ASSIGNED: ["eval"],
}
"""Several calls in a row, since each may change the state; in both modes, and in one after the other."""

_NO_CALL = "what an earlier call raised"


class OutputsCpu(Check):
    """Results of calls in the mode in which the module is built and in both modes, and the inputs afterwards."""

    name = "outputs-cpu"
    asserts = (
        "outputs of several calls in a row on the CPU, in `train()`, in `eval()` and in turns, without gradients, "
        "under autocast, on other inputs and once other tensors were assigned, are equal bit for bit, with their "
        "types, keys, dtypes, shapes and strides; they share memory with inputs, state and each other as before, and "
        "the inputs are left as they were"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:
        """Call; in the original twice, since what is not the same each time tells nothing."""
        subject.call(subject.fresh(), device)  # what it raises is what building says
        facts: Facts = {"outputs": _results(subject)}
        if subject.side == ORIGINAL:
            facts["again"] = _results(subject)
        return facts

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        before = seen.facts_before or {}
        if "error" in before:
            return not_run("the original cannot be called")
        known = _steady(before["outputs"], before["again"])
        if not known:
            return not_run("the original gives other outputs each time")
        for call, theirs in known.items():
            ours = seen.facts["outputs"].get(call, _NO_CALL)
            said = f"raises {ours}" if isinstance(ours, str) != isinstance(theirs, str) else _differing(ours, theirs)
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
            result = steady(one["result"], other["result"])
            if any(text is not None for _, text in result["places"]):
                same = {name: value if value == other[name] else None for name, value in one.items()}
                found[call] = same | {"result": result}
    return found


def _differing(ours: Any, theirs: Any) -> str:
    if isinstance(ours, str):
        return "" if ours == theirs else f"raises {ours}, not {theirs}"
    said = difference(ours["result"], theirs["result"])
    if not said and theirs["inputs"] not in {None, ours["inputs"]}:
        said = "the inputs are changed"
    if not said and theirs["graphs"] not in {None, ours["graphs"]}:
        said = "it has a graph, or is one of inference, otherwise"
    return said or _laid_out_otherwise(ours["tensors"], theirs["tensors"] or [])


def _laid_out_otherwise(ours: list[Facts], theirs: list[Facts]) -> str:
    """Say how tensors lie in memory otherwise; where several elements were in one place, fixes may part them."""
    for number, (now, before) in enumerate(zip(ours, theirs, strict=False), 1):
        if now["strides"] != before["strides"] and 0 not in before["strides"]:
            return f"the strides of tensor {number} are {now['strides']}, not {before['strides']}"
        if now["shares"] != before["shares"]:
            now_with, before_with = (", ".join(one["shares"]) or "nothing" for one in (now, before))
            return f"tensor {number} shares memory with {now_with}, not with {before_with}"
    return ""


def _results(subject: Subject) -> Facts:
    """Return what each call gives; a call that raises ends its mode."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.values import (  # noqa: PLC0415  imports torch
        digest,
        other_values,
        replaced,
        sketch,
        walked,
    )

    contexts: dict[str, Any] = {
        _WITHOUT_GRADIENTS: torch.no_grad,
        "under autocast": partial(torch.autocast, "cpu", torch.bfloat16),
    }
    found: Facts = {}
    for said, modes in _MODES.items():
        module = subject.fresh()
        if said == _ASSIGNED:
            _assign_others(subject, module)
        for number, mode in enumerate(modes, 1):
            inputs = subject.given()
            if said == _OTHER_INPUTS and number > 1:
                inputs = replaced(inputs, other_values)
            try:
                with contexts.get(said, nullcontext)():
                    result = _drawn(called(getattr(module, mode)(), inputs))
            except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
                found[f"call {number} {said}"] = _told(error)
                break
            found[f"call {number} {said}"] = {
                "result": sketch(walked(result)),
                "inputs": digest(inputs),
                "tensors": _laid_out(subject, module, inputs, result) if number in {1, len(modes)} else [],
                "graphs": _graphs(result) if said == _WITHOUT_GRADIENTS else "",
            }
    return found


def _graphs(result: Any) -> str:
    """Return for each tensor whether it has a graph, and whether it is one of inference mode."""
    from regbuf_lint.verify.worker.values import tensors  # noqa: PLC0415  imports torch

    return str([(one.requires_grad, one.is_inference()) for one in tensors(result)])


def _assign_others(subject: Subject, module: nn.Module) -> None:
    """Give the attributes that a fix is about other tensors, as a user may; what cannot be assigned stays."""
    from torch import nn  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import other_values  # noqa: PLC0415  imports torch

    others: list[tuple[nn.Module, str, torch.Tensor]] = []
    for place in sorted(subject.places):
        way, _, name = place.rpartition(".")
        with suppress(Exception):
            owner = module.get_submodule(way)
            others.append((owner, name, other_values(getattr(owner, name))))
    for owner, name, value in others:
        with suppress(Exception):
            held = getattr(owner, name)
            if isinstance(held, nn.Parameter):
                held.data = value
            else:
                setattr(owner, name, value)


def _told(error: BaseException) -> str:
    from regbuf_lint.verify.worker.subject import error_facts  # noqa: PLC0415  imports torch

    told = error_facts(error)["error"]
    return f"{told['type']}: {told['message']}"


def _laid_out(subject: Subject, module: nn.Module, inputs: Any, result: Any) -> list[Facts]:
    """Return how the tensors of a result lie in memory, and whose memory it is."""
    from regbuf_lint.verify.worker.values import memory, strides, tensors  # noqa: PLC0415  imports torch

    owners: dict[int, list[str]] = {}

    def own(name: str, held: Iterable[torch.Tensor]) -> None:
        for place in {memory(one) for one in held} - {0}:
            owners.setdefault(place, []).append(name)

    outputs = tensors(result)
    if outputs:
        own("the inputs", tensors(inputs))
        own("the module's state", all_tensors(subject, module).values())
    found = []
    for number, one in enumerate(outputs, 1):
        found.append({"strides": strides(one), "shares": list(owners.get(memory(one), ()))})
        own(f"tensor {number}", [one])
    return found


def _drawn(result: Any) -> Any:
    """Return what an iterator gives, and anything else as it is."""
    return list(result) if isinstance(result, Iterator) else result
