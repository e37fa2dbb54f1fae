"""What a call gives and leaves behind, and how that differs between two versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.differing import difference, steady
from regbuf_lint.verify.checks.moves import all_tensors

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch
    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject


def drawn(result: Any) -> Any:
    """Return what an iterator gives, and anything else as it is."""
    return list(result) if isinstance(result, Iterator) else result


def told(subject: Subject, module: nn.Module, inputs: Any, result: Any, *, graphs: bool, memory: bool = True) -> Facts:
    """Return what can be compared of a call, once it has returned.

    Args:
        subject: the version.
        module: the module that was called.
        inputs: what it was given, as it is now.
        result: what it gave.
        graphs: whether tensors have a graph where they had one; fixes may change that where gradients are recorded.
        memory: whether it is told how tensors lie in memory, and whose memory it is.
    """
    from regbuf_lint.verify.worker.values import digest, sketch, walked  # noqa: PLC0415  imports torch

    return {
        "result": sketch(walked(result, module.modules())),
        "inputs": digest(inputs),
        "tensors": _laid_out(subject, module, inputs, result) if memory else [],
        "graphs": _graphs(result) if graphs else "",
    }


def fixed_attributes(subject: Subject, module: nn.Module) -> Iterator[tuple[str, nn.Module, str, Any]]:
    """Yield the attributes that a fix is about and that are there: place, object, name, and what they hold."""
    for place in sorted(subject.places):
        way, _, name = place.rpartition(".")
        try:
            owner = module.get_submodule(way)
            held = getattr(owner, name)
        except Exception:  # noqa: BLE001, S112  whatever a property of the user's raises
            continue
        yield place, owner, name, held


def steady_of(one: Facts, again: Facts) -> Facts | None:
    """Return of what a call gives twice what is the same, None where nothing is."""
    if one == again:
        return one
    result = steady(one["result"], again["result"])
    if all(text is None for _, text in result["places"]):
        return None
    return {name: value if value == again[name] else None for name, value in one.items()} | {"result": result}


def unlike(ours: Facts, theirs: Facts) -> str:
    """Say how what a call gives differs from what ``steady_of`` gives of the original; empty where it does not."""
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


def _graphs(result: Any) -> str:
    """Return for each tensor whether it has a graph, and whether it is one of inference mode."""
    from regbuf_lint.verify.worker.values import tensors  # noqa: PLC0415  imports torch

    return str([(one.requires_grad, one.is_inference()) for one in tensors(result)])


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
