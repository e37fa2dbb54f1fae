"""Nothing else that the module holds is changed."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.differing import difference, steady
from regbuf_lint.verify.checks.new_code import is_named_after
from regbuf_lint.verify.model import ORIGINAL, PASSED, failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject

_WHEN: dict[str, tuple[str, ...]] = {
    "": (),
    " after calls": ("", "", ""),
    " after calls in train()": ("train",) * 8,
    " after calls in eval()": ("eval",) * 4,
}
"""Calls after which a module is looked at, each by the mode that is set before it."""
_ITEM = re.compile(r"\['?([^\[\]']*)'?\]")
_NONE = [["", "NoneType None"]]
_OVERWRITTEN = "RBF106"
_REGISTERED = frozenset({"parameter", "buffer"})


class SameState(Check):
    """Parameters, buffers, modes, parts, hooks and plain attributes of a new module and of ones that were called."""

    name = "same-state"
    asserts = (
        "what the module holds stays: values, dtypes, `requires_grad` and order of Parameters and buffers, attributes "
        "with all that lies in them, also where a property gives them now, which of them share memory, `training`, "
        "submodules, hooks, settings of the program; of a new module and after calls in each mode"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Look at everything; in the original twice, since what is not the same each time tells nothing."""
        facts = _all_held(subject)
        return facts | {"again": _all_held(subject)} if subject.side == ORIGINAL else facts

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        facts = seen.facts_before or {}
        for when in _WHEN:
            before, again, now = facts["held"][when], facts["again"]["held"][when], seen.facts["held"][when]
            if "raises" in before or "raises" in again:
                continue
            if "raises" in now:
                return failed(f"a call raises {now['raises']}{when}")
            new = seen.facts["held"][""]
            found = [*differences(seen, before, now, again), ("new, and another", _counting(before, new, now))]
            for what, names in found:
                verdict = none_of(names, f"{what}{when}")
                if verdict is not PASSED:
                    return verdict
        settings = (facts["program"], seen.facts["program"], facts["again"]["program"])
        return none_of(_other_settings(*settings), "changed for the whole program")


def _counting(before: Facts, new: Facts, now: Facts) -> list[str]:
    """Return the plain attributes that only the fixed version has, and that calls change: no fix needs such."""
    kinds, known = now["kinds"], new.get("values", {})
    added = (name for name in kinds.keys() - before["kinds"].keys() if kinds[name] not in _REGISTERED and name in known)
    return sorted(name for name in added if difference(now["values"][name], known[name]))


def _all_held(subject: Subject) -> Facts:
    from regbuf_lint.verify.worker.program import program  # noqa: PLC0415  imports torch

    return {"held": {when: _held(subject, modes) for when, modes in _WHEN.items()}, "program": program()}


def _held(subject: Subject, modes: Iterable[str]) -> Facts:
    """Return what a module holds after calls in some modes, or what one of them raises."""
    from regbuf_lint.verify.worker.held import held_by  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.subject import NoInputsError  # noqa: PLC0415  imports torch

    module = subject.fresh()
    try:
        for mode in modes:
            subject.call(getattr(module, mode)() if mode else module)
    except NoInputsError:
        return {"raises": "no inputs"}
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
        return {"raises": type(error).__name__}
    return held_by(module, subject.places, subject.outside())


def differences(seen: Seen, before: Facts, now: Facts, again: Facts) -> Iterator[tuple[str, list[str]]]:
    """Yield what is held otherwise, with names; only what the original holds the same each time is compared."""
    about = _about(seen)
    belongs = _belongs(seen, about)
    kinds, kinds_before = now["kinds"], before["kinds"]
    for name in sorted((kinds_before.keys() & kinds.keys()) - _filled(seen)):
        if name in again["values"]:
            said = difference(now["values"][name], steady(before["values"][name], again["values"][name]))
            yield said, [name] if said else []
    yield "requires_grad, gradient or hooks changed", _unequal(before["asks"], now["asks"])
    lie = {
        name: one for name, one in before["strides"].items() if 0 not in one
    }  # fixes may part what lies in one place
    yield "another layout in memory", _unequal(lie, now["strides"])
    yield "other flags of its memory (conj, neg, shared memory)", _unequal(before["flags"], now["flags"])
    larger = (name for name, size in before["excess"].items() if now["excess"].get(name, 0) > size)
    yield "a part of a larger tensor now, which is saved as a whole", sorted(larger)
    yield (
        "missing",
        sorted(
            name
            for name, kind in kinds_before.items()
            if _is_missing(kind, kinds.get(name, "")) and name not in about and name not in seen.changes.gone
        ),
    )
    added = kinds.keys() - kinds_before.keys() - _empty_yet(seen, now)
    yield "new", sorted(name for name in added if not belongs(name))
    for what, key in (("train() or eval() changed", "training"), ("another class", "parts")):
        yield what, _unequal(before[key], now[key])
    yield "missing", sorted(before["parts"].keys() - now["parts"].keys())
    yield "new", sorted(name for name in now["parts"].keys() - before["parts"].keys() if not belongs(name))
    yield from sharing(before, now, again)
    for kind in sorted(_REGISTERED):  # optimizers know Parameters by their order, and averages of models their buffers
        yield f"{kind}s() has another order", _other_order(kinds_before, kinds, kind)
    yield "modules() has another order", [] if _in_order(before, now) else ["the module"]
    drawn = before["random"] if before["random"] == again["random"] else now["random"]
    yield "random numbers are drawn otherwise", [] if drawn == now["random"] else ["torch, numpy or Python"]


def _empty_yet(seen: Seen, now: Facts) -> set[str]:
    """Return the buffers that hold None, of which the original has plain attributes once it was called."""
    later = (seen.facts_before or {}).get("held", {}).get(" after calls", {}).get("kinds", {})
    empty = (name for name, kind in now["kinds"].items() if kind in _REGISTERED and name in later)
    return {name for name in empty if now["values"][name]["places"] == _NONE}


def _filled(seen: Seen) -> set[str]:
    """Return what was None since a registration was assigned, and what the fix has given its buffer back."""
    before, now = (one["marks"][_OVERWRITTEN] for one in (seen.inventory_before or seen.inventory, seen.inventory))
    return {name.removeprefix(".") for name in before if name not in now and _OVERWRITTEN in seen.claims.codes}


def _is_missing(before: str, now: str) -> bool:
    return not now or (before in _REGISTERED and now not in _REGISTERED)


def _belongs(seen: Seen, about: set[str]) -> Callable[[str], bool]:
    """Return what tells whether something belongs to an attribute that was fixed, as ``_masks_count`` to ``masks``."""
    before = (seen.inventory_before or seen.inventory)["stragglers"]
    items = {_ITEM.sub(r"_\1", path).strip(".") for path in before}

    def belongs(added: str) -> bool:
        path, _, name = added.rpartition(".")
        parts = (one.rpartition(".") for one in about)
        return added in items or any(path == way and is_named_after(name, attribute) for way, _, attribute in parts)

    return belongs


def sharing(before: Facts, now: Facts, again: Facts) -> Iterator[tuple[str, list[str]]]:
    """Yield which places shared memory or an object and do not any longer, or the other way round."""
    common = _places(before) & _places(now) & _places(again)
    ours, theirs, theirs_again = (_pairs(one["shared"], common) for one in (now, before, again))
    theirs &= theirs_again
    yield "no longer shared", sorted(map(" and ".join, theirs - ours))
    yield "shared now", sorted(map(" and ".join, ours - theirs))


def _places(held: Facts) -> set[str]:
    return {name + step for name, one in held["values"].items() for step, _ in one["places"]} | set(held["outside"])


def _pairs(groups: list[list[str]], among: set[str]) -> set[tuple[str, str]]:
    """Return the neighbours in each group, of some places alone: they stand for the whole group."""
    kept = (sorted(one for one in group if one in among) for group in groups)
    return {pair for group in kept for pair in pairwise(group)}


def _about(seen: Seen) -> set[str]:
    """Return the attributes, with the way to their module, whose plain tensors the fix has changed.

    What became of the tensors themselves is another check's to say; one that is still plain is not among them.
    """
    before = seen.inventory_before or seen.inventory
    kept = before["stragglers"].keys() & seen.inventory["stragglers"].keys()
    return {one["place"] for path, one in before["stragglers"].items() if path not in kept}


def _unequal(before: Facts, now: Facts) -> list[str]:
    return [name or "the module" for name in before.keys() & now.keys() if before[name] != now[name]]


def _other_order(before: Facts, now: Facts, kind: str) -> list[str]:
    both = [name for name, one in now.items() if one == kind == before.get(name)]
    return [] if both == [name for name in before if name in set(both)] else both


def _in_order(before: Facts, now: Facts) -> bool:
    return [one for one in now["parts"] if one in before["parts"]] == list(before["parts"])


def _other_settings(before: Facts, now: Facts, again: Facts) -> list[str]:
    names = (name for name in before.keys() | now.keys() if before.get(name) == again.get(name))
    return [name for name in names if before.get(name) != now.get(name)]
