"""All state goes to a device with the module, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import META, Check, Seen, none_of
from regbuf_lint.verify.model import CPU, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import torch
    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject


class Moves(Check):
    """``.to(device)``, ``.cuda()`` where there is CUDA, and the way back."""

    name = "moves"
    asserts = "after `.to(device)` (and `.cuda()`) all state is on the device, and back on the CPU with the same bits"
    on_device = True

    def probe(self, subject: Subject, device: str) -> Facts:
        """Move fresh modules and see where each tensor is."""
        from regbuf_lint.verify.worker.values import digest, on  # noqa: PLC0415  imports torch

        ways: list[Callable[[nn.Module], nn.Module]] = [lambda module: module.to(device)]
        if device.startswith("cuda"):
            number = int(device.partition(":")[2] or 0)
            ways.append(lambda module: module.cuda(number))
        stays, differs = set(), set()
        for way in ways:
            module = subject.fresh()
            before = {name: digest(tensor) for name, tensor in subject.tensors(module).items()}
            way(module)
            stays |= {name for name, tensor in all_tensors(subject, module).items() if not on(tensor, device)}
            module = module.to_empty(device=CPU) if device == META else module.to(CPU)
            stays |= {name for name, tensor in all_tensors(subject, module).items() if not on(tensor, CPU)}
            if device != META:
                now = {name: digest(tensor) for name, tensor in subject.tensors(module).items()}
                differs |= {name for name, bits in before.items() if now.get(name) != bits}
        return {"stays": sorted(stays), "differs": sorted(differs)}

    def wrong(self, seen: Seen) -> Iterable[str]:
        """What stays, and what comes back with other bits."""
        return seen.counted().intersection(seen.facts["stays"]) | {*seen.facts["differs"]}

    def judge(self, seen: Seen) -> Verdict:
        """Nothing stays and nothing differs."""
        stays = seen.blamed(seen.counted().intersection(seen.facts["stays"]), seen.before("stays"))
        if stays:
            return none_of(stays, f"not moved to {seen.device} or not back")
        return none_of(seen.blamed(seen.facts["differs"], seen.before("differs")), "other bits after the way back")


def all_tensors(subject: Subject, module: nn.Module) -> dict[str, torch.Tensor]:
    """Return Parameters and buffers by name and all other tensors by the way to them."""
    from regbuf_lint.verify.stragglers import found  # noqa: PLC0415  imports torch

    return {**{one.path: tensor for one, tensor in found(module)}, **subject.tensors(module)}
