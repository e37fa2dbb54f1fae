"""Constructed with other arguments than those of the factory, objects hold what they did before."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, looked_at
from regbuf_lint.verify.checks.differing import difference, steady
from regbuf_lint.verify.checks.runs import LONGEST_OF_OTHERS, TookLongError, time_limit
from regbuf_lint.verify.model import PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.other_arguments import Construction, Variation
    from regbuf_lint.verify.worker.subject import Subject

_AS_GIVEN = ""
"""The key of what is held with the factory's own arguments."""


class OtherArguments(Check):
    """Objects of the classes that had plain tensors, with one argument of the constructor being another."""

    name = "other-arguments"
    asserts = (
        "constructed again with one argument being another integer, float, flag, dtype, device, or text that is "
        "compared with, classes that had plain tensors hold the same Parameters, buffers and fixed attributes, where "
        "the original can be constructed so"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Construct with each; in the original twice, since what is not the same each time tells nothing."""
        from regbuf_lint.verify.worker.other_arguments import constructions  # noqa: PLC0415  imports torch

        found = constructions(subject)
        return looked_at(subject, "made", lambda: _all_made(subject, found))

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        facts = seen.facts_before or {}
        if "error" in facts:
            return not_run("the original cannot be constructed again")
        gone = {name.rpartition(".")[2] for name in seen.changes.gone}
        for kind, now in seen.facts["made"].items():
            before, again = (facts[key].get(kind, {}) for key in ("made", "again"))
            for arguments, said in _differing(now, before, again, gone):
                return failed(f"{kind}({arguments}) {said}")
        return PASSED


def _differing(now: Facts, before: Facts, again: Facts, gone: set[str]) -> Iterator[tuple[str, str]]:
    """Yield arguments with what is otherwise.

    What already is with the factory's own arguments, as a Parameter that is a part of another now, is for other checks.

    Args:
        now: what objects of the fixed version hold, by arguments.
        before: what those of the original do.
        again: what they do once more.
        gone: names of Parameters that the fix has taken away.
    """
    as_given = [one.get(_AS_GIVEN, {"raises": ""}) for one in (now, before, again)]
    if any("raises" in one for one in as_given):
        return
    agreed = {name for name in as_given[1]["held"] if not _unlike(name, *(one["held"] for one in as_given))}
    for arguments in (one for one in now if one in before and one in again):
        ours, theirs, theirs_again = now[arguments], before[arguments], again[arguments]
        if "raises" in theirs or "raises" in theirs_again:
            continue
        if "raises" in ours:
            yield arguments, f"raises {ours['raises']}"
            continue
        for name, one in theirs["held"].items():
            known = name in agreed if name in as_given[1]["held"] else one["registered"] or name in ours["held"]
            follows = ours["held"].get(name, one)["follows"]
            is_better = theirs["moves"] and follows and not one["follows"]
            if known and not is_better and name.rpartition(".")[2] not in gone:
                is_worse = theirs["moves"] and one["follows"] and not follows
                said = _unlike(name, ours["held"], theirs["held"], theirs_again["held"])
                if said:
                    yield arguments, f"holds something else: {f'{name} does not follow it' if is_worse else said}"


def _unlike(name: str, now: Facts, before: Facts, again: Facts) -> str:
    """Say how what is held by a name is otherwise; empty where it is not."""
    if name not in again:
        return ""
    if name not in now:
        return f"{name} is missing"
    said = difference(now[name]["value"], steady(before[name]["value"], again[name]["value"]))
    if not said and now[name]["flags"] != before[name]["flags"]:
        said = "other flags of its memory (conj, neg, shared memory)"
    return f"{said} in {name}" if said else ""


def _all_made(subject: Subject, constructions: Iterable[Construction]) -> Facts:
    """Return what objects hold that are constructed anew, by class and arguments."""
    end = time.monotonic() + LONGEST_OF_OTHERS
    found: Facts = {}
    for one in constructions:
        variations = list(one.variations())
        for variation in (None, *variations) if variations else ():
            if time.monotonic() < end:
                with suppress(TookLongError):
                    said = _AS_GIVEN if variation is None else str(variation)
                    found.setdefault(one.kind.__qualname__, {})[said] = _made(subject, one, variation)
    return found


def _made(subject: Subject, construction: Construction, variation: Variation | None) -> Facts:
    try:
        with time_limit():
            module = construction.again(variation)
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
        return {"raises": type(error).__name__}
    return {"held": _held(subject, module), "moves": variation is not None and variation.moves}


def _held(subject: Subject, module: nn.Module) -> Facts:
    """Return what is registered, and what lies at attributes that had plain tensors, by name."""
    from regbuf_lint.verify.worker.held import ATTRIBUTE, held_by  # noqa: PLC0415  imports torch

    attributes = {place.rpartition(".")[2] for place in subject.places}
    paths = [f"{path}." if path else "" for path, _ in module.named_modules()]
    held = held_by(module, [path + name for path in paths for name in sorted(attributes)])
    return {
        name: {
            "value": held["values"][name],
            "flags": held["flags"].get(name, []),
            "registered": kind != ATTRIBUTE,
            "follows": _follows(module, name),
        }
        for name, kind in held["kinds"].items()
        if kind != ATTRIBUTE or name.rpartition(".")[2] in attributes
    }


def _follows(module: nn.Module, name: str) -> bool:
    """Whether what lies at an attribute is on ``meta`` or in double precision."""
    import torch  # noqa: PLC0415

    from regbuf_lint.verify.worker.values import tensors  # noqa: PLC0415  imports torch

    path, _, attribute = name.rpartition(".")
    value = getattr(module.get_submodule(path), attribute, None)
    return all(one.is_meta or one.dtype is torch.float64 for one in tensors(value))
