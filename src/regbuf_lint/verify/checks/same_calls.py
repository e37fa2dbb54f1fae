"""The parts of the module are called as before."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen
from regbuf_lint.verify.checks.watching import profiled
from regbuf_lint.verify.model import ORIGINAL, PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_MODES = ("train", "eval")
_MOST = 2000
"""Calls that are compared."""


class SameCalls(Check):
    """Calls of parts, which hooks, adapters, quantizers and FSDP rely on where outputs do not tell."""

    name = "same-calls"
    asserts = (
        "a call, and going back through its graph, calls the same parts in the same order, with arguments of the same "
        "names, types, dtypes and shapes, and the same classes' `forward`"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Note the calls in both modes; in the original twice, since what is not the same each time tells nothing."""
        facts: Facts = {mode: _calls(subject, mode) for mode in _MODES}
        if subject.side == ORIGINAL:
            facts["again"] = {mode: _calls(subject, mode) for mode in _MODES}
        return facts

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        before = seen.facts_before or {}
        if "error" in before:
            return not_run("the original cannot be called")
        for mode in _MODES:
            if before[mode] != before["again"][mode]:
                continue
            for theirs, ours in zip_longest(before[mode], seen.facts[mode], fillvalue="nothing"):
                if ours != theirs:
                    return failed(f"in {mode}(), it calls {ours}, not {theirs}")
        return PASSED


def _calls(subject: Subject, mode: str) -> list[str]:
    """Return what a call calls, in its order."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import tensors  # noqa: PLC0415  imports torch

    module = getattr(subject.fresh(), mode)()
    noted: list[str] = []
    with _hooked(module, noted), _watched(module, noted), suppress(Exception, SystemExit):  # others tell what is raised
        outputs = [one for one in tensors(subject.call(module)) if one.requires_grad]
        if outputs:  # going back computes activations again that were not kept
            torch.autograd.backward([one.sum() for one in outputs])
    return noted[:_MOST]


@contextmanager
def _hooked(module: nn.Module, noted: list[str]) -> Iterator[None]:
    """Note the calls of all parts."""

    def note(name: str, _part: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        told = [_told(one) for one in given] + [f"{key}={_told(one)}" for key, one in named.items()]
        noted.append(f"{name}({', '.join(told)})")

    handles = []
    for name, part in module.named_modules():
        with suppress(Exception):  # compiled parts take no hooks
            if name:
                handles.append(part.register_forward_pre_hook(partial(note, name), with_kwargs=True))
    try:
        yield
    finally:
        for one in handles:
            one.remove()


@contextmanager
def _watched(module: nn.Module, noted: list[str]) -> Iterator[None]:
    """Note which classes' ``forward`` runs, those of bases included."""
    known: dict[Any, str] = {}
    for part in module.modules():
        for kind in type(part).__mro__:
            known[getattr(vars(kind).get("forward"), "__code__", None)] = f"forward of {kind.__qualname__}"
    known.pop(None, None)

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in known:
            noted.append(known[frame.f_code])

    with profiled(watch):
        yield


def _told(value: Any) -> str:
    """Return what an argument is, whatever its values."""
    import torch  # noqa: PLC0415

    if isinstance(value, torch.Tensor):
        return f"{type(value).__name__} {str(value.dtype).removeprefix('torch.')} {list(value.shape)}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(map(_told, value))})"
    if isinstance(value, dict):
        return f"{type(value).__name__}({', '.join(f'{key}={_told(one)}' for key, one in value.items())})"
    return type(value).__name__
