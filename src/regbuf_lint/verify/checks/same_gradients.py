"""Gradients flow as they did."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.results import fixed_attributes
from regbuf_lint.verify.model import ORIGINAL, PASSED, failed, not_run

if TYPE_CHECKING:
    import torch
    from torch import nn

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


_MODES = ("train", "train", "eval", "eval")


class SameGradients(Check):
    """Backward through the outputs of two calls in each mode, with every input of floating type asking for a gradient.

    What a buffer collects is no gradient that anybody uses, and the graph of a plain tensor lasts for one backward:
    both are detached before, in both versions.
    """

    name = "same-gradients"
    asserts = (
        "backward gives inputs and Parameters the same gradients, bit for bit: in each mode, after other calls, "
        "through two calls at once, and through gradients; and to other tensors that were assigned"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Run backward; in the original twice, since what is not the same each time tells nothing."""
        facts: Facts = {"calls": _gradients(subject), "ways": _of_ways(subject)}
        if subject.side == ORIGINAL:
            facts["stable"] = facts["calls"] == _gradients(subject)
            again = _of_ways(subject)
            facts["ways"] = {way: one for way, one in facts["ways"].items() if one is not None and one == again[way]}
        return facts

    def judge(self, seen: Seen) -> Verdict:
        """Compare what both versions have."""
        before = seen.facts_before or {}
        if "error" in before:
            return not_run("the original cannot be differentiated")
        if not before["stable"]:
            return not_run("the original gives other gradients each time")
        if len(seen.facts["calls"]) < len(before["calls"]):
            return failed(f"backward raises after {len(seen.facts['calls'])} calls, and did not")
        for ours, theirs in zip(seen.facts["calls"], before["calls"], strict=False):
            if ours["inputs"] != theirs["inputs"]:
                return failed("the inputs get other gradients, or none")
            if ours["outputs"] != theirs["outputs"]:
                return failed("outputs ask for a gradient that did not, or no longer do")
            both = ours["parameters"].keys() & theirs["parameters"].keys()
            wrong = [name for name in both if ours["parameters"][name] != theirs["parameters"][name]]
            if wrong:
                return none_of(wrong, "another gradient, or none")
        return _of_other_ways(seen.facts["ways"], before["ways"])


def _of_other_ways(facts: Facts, before: Facts) -> Verdict:
    for way, theirs in before.items():
        ours = facts[way]
        if ours is None:
            return failed(f"{way} raises, and did not")
        common = ours["parameters"].keys() & theirs["parameters"].keys()
        same = all(ours["parameters"][name] == theirs["parameters"][name] for name in common)
        if not same or ours["inputs"] != theirs["inputs"]:
            return failed(f"{way} gives other gradients, or none")
    return PASSED


def _of_ways(subject: Subject) -> dict[str, Facts | None]:
    """Return the gradients of further ways to differentiate, None of one that raises."""
    found: dict[str, Facts | None] = dict.fromkeys(_WAYS)
    for way, gradients in _WAYS.items():
        with suppress(Exception, SystemExit):
            found[way] = gradients(subject)
    return found


def _of_two_calls(subject: Subject) -> Facts:
    """One backward through the outputs of two calls."""
    module = subject.fresh().train()
    _detach_constants(module)
    (first, leaves), (second, more) = _called(subject, module), _called(subject, module)
    return _gradients_of(_losses([*first, *second]), [*leaves, *more], module)


def _of_gradients(subject: Subject) -> Facts:
    """Backward through the gradients of inputs, as a penalty on them does."""
    import torch  # noqa: PLC0415

    module = subject.fresh().train()
    _detach_constants(module)
    outputs, leaves = _called(subject, module)
    found: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
        _losses(outputs), leaves, create_graph=True, allow_unused=True
    )
    penalties = [one.square().sum() for one in found if one is not None and one.requires_grad]
    if not penalties:
        return {"inputs": [None for _ in leaves], "parameters": {}}
    return _gradients_of(penalties, leaves, module)


def _of_assigned(subject: Subject) -> Facts:
    """Backward to tensors that a user assigns in the place of those that a fix is about."""
    import torch  # noqa: PLC0415
    from torch import nn  # noqa: PLC0415

    module = subject.fresh().train()
    _detach_constants(module)
    leaves: dict[str, torch.Tensor] = {}
    for place, owner, name, held in fixed_attributes(subject, module):
        if isinstance(held, torch.Tensor) and not isinstance(held, nn.Parameter) and held.is_floating_point():
            with suppress(Exception):
                leaves[place] = held.detach().clone().requires_grad_()
                setattr(owner, name, leaves[place])
    there = {place: held for place, *_, held in fixed_attributes(subject, module)}
    assigned = {place: leaf for place, leaf in leaves.items() if there.get(place) is leaf}
    losses = _losses(_called(subject, module)[0])
    # A Parameter takes no tensor, and shallow copies have their buffers in common.
    said = _digests_of(losses, list(assigned.values())) if assigned else []
    return {"inputs": [], "parameters": dict(zip(assigned, said, strict=True))}


def _gradients_of(losses: list[torch.Tensor], leaves: list[torch.Tensor], module: nn.Module) -> Facts:
    trained = {name: one for name, one in module.named_parameters() if one.requires_grad}
    said = _digests_of(losses, [*leaves, *trained.values()])
    return {"inputs": said[: len(leaves)], "parameters": dict(zip(trained, said[len(leaves) :], strict=True))}


def _digests_of(losses: list[torch.Tensor], asking: list[torch.Tensor]) -> list[str | None]:
    """Return what the gradients of some tensors are, None of those that have none."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

    given: tuple[torch.Tensor | None, ...] = torch.autograd.grad(losses, asking, allow_unused=True)
    return [None if one is None else digest(one) for one in given]


_WAYS = {
    "one backward through two calls": _of_two_calls,
    "backward through gradients": _of_gradients,
    "backward to other tensors that were assigned": _of_assigned,
}


def _called(subject: Subject, module: nn.Module) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return the outputs of a call, and the inputs that ask for a gradient."""
    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.values import replaced, tensors  # noqa: PLC0415  imports torch

    leaves: list[torch.Tensor] = []
    outputs = tensors(called(module, replaced(subject.given(), partial(_asking, leaves))))
    return outputs, leaves


def _losses(outputs: list[torch.Tensor]) -> list[torch.Tensor]:
    return [_weighed(one) for one in outputs if one.requires_grad]


def _asking(leaves: list[torch.Tensor], tensor: torch.Tensor) -> torch.Tensor:
    """Return what asks for a gradient in the place of an input of floating type, and note its leaf."""
    import torch  # noqa: PLC0415

    if not (tensor.is_floating_point() or tensor.is_complex()) or tensor.layout is not torch.strided:
        return tensor
    leaves.append(tensor.detach().clone().requires_grad_())
    return leaves[-1].clone()  # no leaf, since the module may write it in place


def _gradients(subject: Subject) -> list[Facts]:
    """Return what each of some calls in a row gives; one that raises after the first ends them."""
    module = subject.fresh()
    found = [_of_call(subject, getattr(module, _MODES[0])())]
    with suppress(Exception, SystemExit):
        found.extend(_of_call(subject, getattr(module, mode)()) for mode in _MODES[1:])
    return found


def _of_call(subject: Subject, module: nn.Module) -> Facts:
    from torch import nn  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

    _detach_constants(module)
    outputs, leaves = _called(subject, module)
    losses = _losses(outputs)
    if losses:
        sum(losses[1:], losses[0]).backward()  # type: ignore[no-untyped-call]

    def said(tensor: torch.Tensor) -> Any:
        return None if tensor.grad is None else digest(tensor.grad)

    parameters = dict(module.named_parameters(remove_duplicate=False))
    found = {
        "outputs": [one.requires_grad for one in outputs],
        "inputs": list(map(said, leaves)),
        "parameters": {name: said(one) for name, one in parameters.items()},
    }
    nn.Module.zero_grad(module)
    return found


def _weighed(output: torch.Tensor) -> torch.Tensor:
    """Return a number that depends on each element by another weight; gradients do not depend on the output's value."""
    import torch  # noqa: PLC0415

    flat = torch.view_as_real(output.resolve_conj()) if output.is_complex() else output
    flat = (flat.to_dense() if flat.layout is not torch.strided else flat).reshape(-1)
    return (flat * torch.arange(1, flat.numel() + 1, dtype=flat.dtype).cos()).sum()


def _detach_constants(module: nn.Module) -> None:
    import torch  # noqa: PLC0415
    from torch import nn  # noqa: PLC0415

    for owner in module.modules():
        for held in (vars(owner), vars(owner).get("_buffers") or {}):
            for name, value in list(held.items()):
                if isinstance(value, torch.Tensor) and value.requires_grad and not isinstance(value, nn.Parameter):
                    held[name] = value.detach()
