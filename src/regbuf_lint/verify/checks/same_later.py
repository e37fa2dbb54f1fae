"""What a module shares with others stays so, and what is done with it later changes nothing else."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen, looked_at, none_of
from regbuf_lint.verify.checks.differing import difference, steady
from regbuf_lint.verify.checks.same_state import sharing
from regbuf_lint.verify.checks.watching import profiled
from regbuf_lint.verify.model import PASSED, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_NEW, _CALLED, _HALF, _CAST, _LOADED = (
    "when new",
    "after two calls",
    "after a call on inputs in bfloat16",
    "after double()",
    "after load_state_dict() of other values",
)


class SameLater(Check):
    """What the caller gave, constants of files and classes, and earlier outputs, in the course of a module's life."""

    name = "same-later"
    asserts = (
        "what shares memory with the constructor's arguments still does, and so does after `.double()` what calls "
        "write into; calls leave arguments and earlier outputs as they are, `load_state_dict()` of other values leaves "
        "constants of files and classes; a call on inputs in bfloat16 leaves the same values"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Do each with a module of its own; in the original twice, since only what is the same each time tells."""
        return looked_at(subject, "after", lambda: _all(subject))

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        facts = seen.facts_before or {}
        for when, now in seen.facts["after"].items():
            before, again = facts["after"][when], facts["again"][when]
            if "raises" in before or "raises" in again or "raises" in now:  # others do the same, and tell
                continue
            for what, names in _differing(when, before, now, again):
                verdict = none_of(names, f"{what} {when}")
                if verdict is not PASSED:
                    return verdict
        return PASSED


def _differing(when: str, before: Facts, now: Facts, again: Facts) -> Iterator[tuple[str, list[str]]]:
    """Yield what is otherwise, with names."""
    theirs, ours = before["outside"], now["outside"]
    known = {name for name, one in theirs.items() if one == again["outside"].get(name)}
    yield "another value", sorted(name for name in known & ours.keys() if ours[name] != theirs[name])
    held = (before["held"], now["held"], again["held"])
    if when == _NEW:
        yield from sharing(*held)
    if when == _CAST:  # what is registered leaves what lies outside, as it has to
        written = set(now["written"])
        for what, pairs in sharing(*({**one, "outside": []} for one in held)):
            yield what, [one for one in pairs if not written.isdisjoint(one.split(" and "))]
    if when == _HALF:
        values, values_again, values_now = before["held"]["values"], again["held"]["values"], now["held"]["values"]
        for name in sorted(values.keys() & values_again.keys() & values_now.keys()):
            said = difference(values_now[name], steady(values[name], values_again[name]))
            yield said, [name] if said else []


def _all(subject: Subject) -> Facts:
    return {when: _after(subject, when) for when in (_NEW, _CALLED, _HALF, _CAST, _LOADED)}


def _after(subject: Subject, when: str) -> Facts:
    """Return what a module holds once something was done with it, and what lies outside of it then."""
    from regbuf_lint.verify.worker.held import held_by  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

    with _arguments() as given:
        module = subject.fresh()
    outside = subject.outside() | (given if when != _LOADED else {})  # what is registered is loaded, whose it may be
    written: list[str] = []
    with _kept(outside):
        try:
            outside |= _done(subject, module, when)
            if when == _CAST:
                written = _written(subject, module)
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
            return {"raises": type(error).__name__}
        told = {name: digest(value) for name, value in outside.items()}
        return {"held": held_by(module, subject.places, outside), "outside": told, "written": written}


def _done(subject: Subject, module: nn.Module, when: str) -> dict[str, Any]:
    """Do something with a module; return whether what it gave earlier has stayed."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker import values  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch

    if when == _CALLED:
        earlier = subject.call(module.train())
        before = values.digest(earlier)
        subject.call(module)
        return {"an earlier output": values.digest(earlier) == before}
    if when == _HALF:
        called(module, values.replaced(subject.given(), partial(values.in_dtype, torch.bfloat16)))
    elif when == _CAST:
        module.double()
    elif when == _LOADED:
        module.load_state_dict({name: values.other_values(one) for name, one in module.state_dict().items()})
    return {}


def _written(subject: Subject, module: nn.Module) -> list[str]:
    """Return the tensors that calls in double precision give other values; of others nobody sees that they parted."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.held import held_by  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.values import in_dtype, replaced  # noqa: PLC0415  imports torch

    before = held_by(module, subject.places)["values"]
    with suppress(Exception, SystemExit):  # the original may not run, whose tensors share memory all the same
        called(module.train(), replaced(subject.given(), partial(in_dtype, torch.float64)))
    after = held_by(module, subject.places)["values"]
    return [name for name, one in before.items() if name in after and after[name]["digest"] != one["digest"]]


@contextmanager
def _arguments() -> Iterator[dict[str, Any]]:
    """Collect the tensors that constructors of modules are given meanwhile, by argument and class."""
    import torch  # noqa: PLC0415
    from torch import nn  # noqa: PLC0415

    found: dict[str, Any] = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_name != "__init__" or not code.co_argcount:
            return
        own, *names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        owner = frame.f_locals.get(own)
        for name in names if isinstance(owner, nn.Module) else ():
            value = frame.f_locals.get(name)
            if isinstance(value, torch.Tensor):
                found.setdefault(f"{name} of {type(owner).__qualname__}()", value)

    with profiled(watch):
        yield found


@contextmanager
def _kept(outside: dict[str, Any]) -> Iterator[None]:
    """Give tensors that outlive a module their values back, which others are compared with."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import tensors  # noqa: PLC0415  imports torch

    found = [(one, one.detach().clone()) for value in outside.values() for one in tensors(value)]
    try:
        yield
    finally:
        with torch.no_grad():
            for one, value in found:
                with suppress(Exception):  # it lies on meta, or several elements in one place
                    one.copy_(value)
