"""The module still works in other dtypes."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen, error_text
from regbuf_lint.verify.checks.tried_methods import broken, tried
from regbuf_lint.verify.model import ORIGINAL, PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import torch
    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_DOUBLE = "double"
_USES = "uses"
_CASTS = {_DOUBLE: "float64", "bfloat16": "bfloat16"}
_WAYS = ("", " with plain tensors cast by hand")


class OutputsCast(Check):
    """Calls of modules that were cast, on inputs that were cast.

    A tensor that was plain kept its dtype, and a right fix has it cast. So the original is looked at in two ways: as it
    is, and with its plain tensors cast by hand. Values are compared in double precision alone, which loses nothing.
    """

    name = "outputs-cast"
    asserts = (
        "after `.double()` and `.bfloat16()` it runs where the original does, whose plain tensors are cast by hand or "
        "not, with outputs of the same dtypes, and after `.double()` of the same values within tolerance; methods "
        "beside `forward` run after `.double()` where they did"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Call a new module, and others after each cast."""
        reference = subject.call(subject.fresh().eval())
        facts: Facts = {}
        for cast in _CASTS:
            for way in _WAYS if subject.side == ORIGINAL else _WAYS[:1]:
                facts[cast + way] = _of_cast(subject, cast, reference, by_hand=bool(way))
        for way in _WAYS if subject.side == ORIGINAL else _WAYS[:1]:
            facts[_USES + way] = _methods_in_double(subject, by_hand=bool(way))
        return facts

    def judge(self, seen: Seen) -> Verdict:
        """Compare where the original runs in both ways."""
        before = seen.facts_before or {}
        common = [cast for cast in _CASTS if not any("error" in before.get(cast + way, {"error": 1}) for way in _WAYS)]
        if not common:
            return not_run("the original does not run after a cast")
        if seen.inventory["stragglers"] and any("error" in seen.facts[cast] for cast in common):
            return not_run("what is still plain is not cast")
        for cast in common:
            said = _differing(cast, seen.facts[cast], [before[cast + way] for way in _WAYS])
            if said:
                return failed(f"after {cast}(): {said}")
        said = broken(seen.facts[_USES], [before[_USES + way] for way in _WAYS])
        return failed(f"after {_DOUBLE}(), {said}") if said else PASSED


def _differing(cast: str, ours: Facts, originals: Sequence[Facts]) -> str:
    if "error" in ours:
        return error_text(ours)
    known = [one["dtypes"] for one in originals]
    if len(ours["dtypes"]) not in map(len, known):
        return f"{len(ours['dtypes'])} tensors are returned, not {len(known[0])}"
    for now, *before in zip(ours["dtypes"], *known, strict=False):
        if now not in {*before, f"torch.{_CASTS[cast]}"}:
            return f"an output is {now}, not {before[0]}"
    if ours["differs"] and not any(one["differs"] for one in originals):
        return f"an output is not what it was before: {ours['differs']}"
    return ""


def _of_cast(subject: Subject, cast: str, reference: Any, *, by_hand: bool) -> Facts:
    from regbuf_lint.verify.worker.subject import error_facts  # noqa: PLC0415  imports torch

    try:
        return _called(subject, cast, reference, by_hand=by_hand)
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
        return error_facts(error)


def _called(subject: Subject, cast: str, reference: Any, *, by_hand: bool) -> Facts:
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.values import close, in_dtype, replaced, tensors  # noqa: PLC0415  imports torch

    cast_one = partial(in_dtype, getattr(torch, _CASTS[cast]))
    module = getattr(subject.fresh().eval(), cast)()
    with _cast_by_hand(module, cast_one) if by_hand else nullcontext():
        outputs = tensors(called(module, replaced(subject.given(), cast_one)))
    facts: Facts = {"dtypes": [str(one.dtype) for one in outputs], "differs": ""}
    if cast == _DOUBLE:
        pairs = zip(outputs, tensors(reference), strict=False)
        facts["differs"] = next(filter(None, (close(one.to(other.dtype), other) for one, other in pairs)), "")
    return facts


def _methods_in_double(subject: Subject, *, by_hand: bool) -> Facts:
    """Return which methods beside ``forward`` run in double precision."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import in_dtype, replaced  # noqa: PLC0415  imports torch

    cast_one = partial(in_dtype, torch.float64)
    return tried(
        subject,
        lambda module: module.double(),
        lambda given: replaced(given, cast_one),
        lambda module: _cast_by_hand(module, cast_one) if by_hand else nullcontext(),
    )


@contextmanager
def _cast_by_hand(module: nn.Module, in_dtype: Callable[[torch.Tensor], torch.Tensor]) -> Iterator[None]:
    """Let the plain tensors of a module be cast for a while; those of a class belong to other modules, too."""
    from regbuf_lint.verify.stragglers import found  # noqa: PLC0415  imports torch

    plain = [(tensor, tensor.data) for _, tensor in found(module)]
    try:
        for tensor, data in plain:
            tensor.data = in_dtype(data)
        yield
    finally:
        for tensor, data in plain:
            tensor.data = data
