"""A step of an optimizer changes Parameters and leaves buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.not_parameters import TRAINABLE
from regbuf_lint.verify.model import PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch
    from torch import nn

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject


class OptimizerStep(Check):
    """Forward, backward, and one step of SGD with weight decay over ``parameters()``."""

    name = "optimizer-step"
    asserts = "a step of SGD over `parameters()` leaves every buffer as it is, and changes what RBF005 made a Parameter"

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Take the step and compare bits."""
        import torch  # noqa: PLC0415

        from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

        module = subject.fresh()
        trained = [one for one in module.parameters() if one.requires_grad and one.is_floating_point()]
        if not trained:
            return {"not_run": "there are no Parameters to train"} if not subject.routes else _step_of(set())
        _backward(subject, module)
        for one in trained:
            one.grad = torch.ones_like(one) if one.grad is None else one.grad
        before = {name: digest(tensor) for name, tensor in subject.tensors(module).items()}
        torch.optim.SGD(trained, lr=0.1, weight_decay=0.1).step()
        now = subject.tensors(module)
        changed = {name for name, tensor in now.items() if digest(tensor) != before.get(name)}
        buffers = set(dict(module.named_buffers(remove_duplicate=False)))
        return {"buffers": sorted(changed & buffers), "parameters": sorted(changed - buffers)}

    def wrong(self, seen: Seen) -> Iterable[str]:
        """The buffers that the step changed; what it should have changed has no other check."""
        return [*seen.facts["buffers"], *(seen.changes.parameters - set(seen.facts["parameters"]))]

    def judge(self, seen: Seen) -> Verdict:
        """No buffer changes, and what is to be trained does."""
        if TRAINABLE in seen.claims.codes:
            verdict = none_of(seen.changes.parameters - set(seen.facts["parameters"]), "not changed by the optimizer")
            if verdict is not PASSED:
                return verdict
        return none_of(seen.blamed(seen.facts["buffers"], seen.before("buffers")), "a buffer that the step changed")


def _step_of(nothing: set[str]) -> Facts:
    return {"buffers": sorted(nothing), "parameters": sorted(nothing)}


def _backward(subject: Subject, module: nn.Module) -> None:
    """Run backward where outputs have a graph; other Parameters get gradients of ones."""
    from regbuf_lint.verify.worker.subject import NoInputsError  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.values import tensors  # noqa: PLC0415  imports torch

    try:
        outputs = tensors(subject.call(module))
    except NoInputsError:
        return
    losses: list[torch.Tensor] = [(one + 1).abs().square().sum() for one in outputs if one.requires_grad]
    if losses:
        sum(losses[1:], losses[0]).backward()  # type: ignore[no-untyped-call]
