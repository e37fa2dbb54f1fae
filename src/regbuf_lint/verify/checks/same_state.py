"""Nothing else that the module holds is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.differing import difference
from regbuf_lint.verify.model import ORIGINAL, PASSED, failed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.verify.model import Facts, Verdict
    from regbuf_lint.verify.worker.subject import Subject

_CALLS = 3
_WHEN = {"new": "", "used": " after calls"}
_NONE = [["", "NoneType None"]]
_VALUE, _DTYPE, _GRADIENT = range(3)


class SameState(Check):
    """Parameters, buffers, modes, parts, hooks and plain attributes of a new module and of one that was called."""

    name = "same-state"
    asserts = (
        "what the fix is not about stays: values, dtypes, `requires_grad` and order of Parameters and buffers, "
        "`training`, submodules, hooks, other attributes; of a new module and after calls"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Look at everything; in the original twice, since what is not the same each time tells nothing."""
        from regbuf_lint.verify.worker.held import held_by  # noqa: PLC0415  imports torch

        def seen() -> Facts:
            return {"new": held_by(subject.fresh()), "used": _used(subject)}

        facts = seen()
        if subject.side == ORIGINAL:
            facts["again"] = seen()
        return facts

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        for when, said in _WHEN.items():
            before, now = (seen.facts_before or {}).get(when), seen.facts[when]
            if before and now:
                again = (seen.facts_before or {})["again"][when] or before
                for what, names in _differing(seen, before, now, again):
                    verdict = none_of(names, f"{what}{said}")
                    if verdict is not PASSED:
                        return verdict
        return _same_order(seen)


def _used(subject: Subject) -> Facts:
    """Return what a module holds after some calls, nothing where it cannot be called."""
    from regbuf_lint.verify.worker.held import held_by  # noqa: PLC0415  imports torch
    from regbuf_lint.verify.worker.subject import NoInputsError  # noqa: PLC0415  imports torch

    module = subject.fresh()
    try:
        for _ in range(_CALLS):
            subject.call(module)
    except (Exception, SystemExit) as error:  # another check says so
        if not isinstance(error, NoInputsError) and subject.side != ORIGINAL:
            raise
        return {}
    return held_by(module)


def _differing(seen: Seen, before: Facts, now: Facts, again: Facts) -> Iterator[tuple[str, list[str]]]:
    """Yield what is wrong, with names; only what the original holds the same each time is compared."""
    held = {kind: names for kind, names in before.items() if isinstance(names, dict)}
    stable = {
        kind: {name: one for name, one in names.items() if again[kind].get(name) == one} for kind, names in held.items()
    }
    for kind in ("parameters", "buffers"):
        for number, what in ((_DTYPE, "another dtype"), (_VALUE, "another value")):
            yield what, _other(stable[kind], now[kind], number)
    yield "requires_grad changed", _other(stable["parameters"], now["parameters"], _GRADIENT)
    registered = now["parameters"].keys() | now["buffers"].keys()
    yield "missing", sorted(before["buffers"].keys() - registered)
    yield "train() or eval() changed", _unequal(stable["training"], now["training"])
    yield "another class", _unequal(stable["parts"], now["parts"])
    yield "missing", sorted(before["parts"].keys() - now["parts"].keys())
    about = _about(seen)
    for kind in ("parameters", "buffers", "parts"):
        known = before["parameters"].keys() | before["buffers"].keys() | before[kind].keys()
        yield "new", sorted(name for name in now[kind].keys() - known if not _belongs(name, before, about))
    yield "random numbers are drawn otherwise", [] if before["random"] == now["random"] else ["torch, numpy or Python"]
    yield "changed for the whole program", _other_globals(before["globals"], now["globals"])
    yield from _attributes(seen, before["attributes"], stable["attributes"], now)


def _attributes(seen: Seen, before: Facts, stable: Facts, now: Facts) -> Iterator[tuple[str, list[str]]]:
    """Yield what became of plain attributes that the fix is not about."""
    about = _about(seen)
    registered = {name: one[_VALUE] for kind in ("parameters", "buffers") for name, one in now[kind].items()}
    held = {name for name in before if name not in about}
    missing = held - now["attributes"].keys()
    missing -= {name for name in missing if before[name]["digest"] == registered.get(name)}
    missing -= {name for name in missing.intersection(now["none"]) if before[name]["places"] == _NONE}
    yield "missing", sorted(missing)
    added = now["attributes"].keys() - before.keys()
    yield "new", sorted(name for name in added if not any(_names_of(one, name) for one in about))
    for name in sorted(held & stable.keys() & now["attributes"].keys()):
        said = difference(now["attributes"][name], stable[name])
        yield f"another attribute: {said}", [name] if said else []


def _about(seen: Seen) -> set[str]:
    """Return the attributes, with the way to their module, whose plain tensors the fix has changed.

    What became of the tensors themselves is another check's to say; one that is still plain is not among them.
    """
    before = seen.inventory_before or seen.inventory
    kept = before["stragglers"].keys() & seen.inventory["stragglers"].keys()
    return {one["place"] for path, one in before["stragglers"].items() if path not in kept}


def _belongs(added: str, before: Facts, about: set[str]) -> bool:
    """Whether what is registered now was a plain attribute, or is named after one that was fixed."""
    return added in before["attributes"] or added in before["none"] or any(_names_of(one, added) for one in about)


def _other_globals(before: Facts, now: Facts) -> list[str]:
    return [name for name, one in before.items() if now[name] != one]


def _names_of(fixed: str, added: str) -> bool:
    """Whether an attribute belongs to one that was fixed, as ``_masks_count`` does to ``masks``."""
    path, _, name = fixed.rpartition(".")
    path_added, _, name_added = added.rpartition(".")
    return path == path_added and name in name_added


def _other(before: Facts, now: Facts, number: int) -> list[str]:
    return [name for name in before.keys() & now.keys() if before[name][number] != now[name][number]]


def _unequal(before: Facts, now: Facts) -> list[str]:
    return [name or "the module" for name in before.keys() & now.keys() if before[name] != now[name]]


def _same_order(seen: Seen) -> Verdict:
    """Optimizers know Parameters by their order, and averages of models their buffers."""
    now, before = seen.facts["new"], (seen.facts_before or {})["new"]
    for kind in ("parameters", "buffers"):
        if [name for name in now[kind] if name in before[kind]] != [name for name in before[kind] if name in now[kind]]:
            return failed(f"{kind}() has another order")
    return PASSED
