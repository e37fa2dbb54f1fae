"""Code that the fix is not about stays, and what it changes is run with the same result."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.new_code import not_needed, telling
from regbuf_lint.verify.checks.results import steady_of, unlike
from regbuf_lint.verify.checks.runs import runs
from regbuf_lint.verify.checks.same_state import differences
from regbuf_lint.verify.model import ORIGINAL, PASSED, Verdict, failed, not_run
from regbuf_lint.verify.statements import unrelated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.verify.code_changes import CodeChanges
    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_ABOUT_BUFFERS = ("RBF1", "RBF2")
"""Rules about what is registered already; all others are about plain tensors."""


class SameCode(Check):
    """Functions, bases, class attributes and constants of the files that are changed."""

    name = "same-code"
    asserts = (
        "no function, class, import or constant of the changed files is gone or another, decorators, arguments and "
        "bases included, and no docstring or comment is; what is inherited is not replaced; statements that are others "
        "have to do with what was fixed; what is changed or speaks of the plain tensors is run, setters too, with the "
        "same result and state afterwards"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Look at classes, see which changed functions run, and run the methods among them."""
        from regbuf_lint.verify.worker.code import bases, fixed_by_class, hidden, names_of_files, special  # noqa: PLC0415  imports torch

        uses, ran = runs(subject)
        fixed = fixed_by_class(subject)
        facts: Facts = {"uses": uses, "ran": sorted(ran), "fixed": fixed, "hidden": hidden(subject, fixed)}
        if subject.side == ORIGINAL:  # what is not the same each time tells nothing
            facts |= {"again": runs(subject)[0], "names": names_of_files(subject)}
        return facts | {"bases": bases(subject), "special": special(subject)}

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        before = seen.facts_before or {}
        if "error" in before:
            return not_run("the original cannot be built")
        about = _about(seen)
        for said, places in _strange(seen, before, about):
            verdict = none_of(_names(places), said)
            if verdict is not PASSED:
                return verdict
        verdict = _same_names(seen, before, about)
        return verdict if verdict is not PASSED else _same_results(seen, before)


def _strange(seen: Seen, before: Facts, about: set[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield what the texts of both versions have differently that has nothing to do with what was fixed."""
    code = seen.code
    yield "gone", [*code.removed, *code.lost]
    yield "another decorator, argument, annotation or base", list(code.headed)
    yield "new, and not needed by the fix", [*code.imported, *not_needed(code, about)]
    run = {place for place in code.stated if place not in code.changed or place in seen.facts["ran"]}  # else told below
    yield "changed, and has nothing to do with what was fixed", list(_unrelated(code, run, about))
    yield "a class attribute of a subclass, in whose place nothing is registered", seen.facts["hidden"]
    new = [place for place in seen.facts["special"] if place not in before["special"]]
    yield (
        "new, and takes the place of what is inherited",
        [place for place in new if place.rpartition(".")[2] not in about],
    )


def _unrelated(code: CodeChanges, among: Iterable[str], about: set[str]) -> Iterator[str]:
    """Yield where, among some places, statements are changed that have nothing to do with what was fixed."""
    is_about = telling(code, about)
    for place in among:
        line = unrelated(*code.stated[place], is_about)
        if line is not None:
            yield f"{place}, {line}"


def _same_results(seen: Seen, before: Facts) -> Verdict:
    """Compare what methods give and leave behind, and say which changed functions nothing runs."""
    for use, theirs in before["uses"].items():
        ours, again = seen.facts["uses"].get(use), before["again"].get(use, {})
        if ours is None or "error" in theirs or "error" in again:
            continue
        if "error" in ours:
            return failed(f"{use} raises {ours['error']}")
        known = steady_of(theirs, again) if "result" in theirs else None
        said = unlike(ours, known) if known is not None else ""
        if said:
            return failed(f"{use} gives another result: {said}")
        held = differences(seen, theirs["held"], ours["held"], again["held"]) if "held" in theirs else ()
        for what, names in held:
            verdict = none_of(names, f"{what} after {use}")
            if verdict is not PASSED:
                return verdict
    left = sorted(_names(unrun(seen.code, seen.facts)))
    return not_run(f"changed or broken, and nothing runs it: {', '.join(left)}"[:200]) if left else PASSED


def unrun(code: CodeChanges, facts: Facts) -> set[str]:
    """Return the functions that are changed, or rely on what was fixed being plain, and that nothing runs."""
    left = (code.changed.keys() | code.storing.keys()) - set(facts["ran"])
    fixed = {place: set(attributes) for place, attributes in facts["fixed"].items()}
    every = set[str]().union(*fixed.values())
    return {
        place
        for place in left
        if place in code.changed
        or code.storing[place].names & fixed.get(place.rpartition(".")[0], set())
        or code.storing[place].of_others & every
    }


def _names(places: Any) -> list[str]:
    return [place.rpartition("::")[2] for place in places]


def _about(seen: Seen) -> set[str]:
    """Return the attributes that the fix is about."""
    before = seen.inventory_before or seen.inventory
    about = {one["attribute"] for one in before["stragglers"].values()} | set(seen.claims.fixed)
    about |= {name.rpartition(".")[2] for name in (*seen.changes.state, *seen.changes.gone)}
    if not seen.claims.codes or any(code.startswith(_ABOUT_BUFFERS) for code in seen.claims.codes):
        registered = (*before["buffers"], *before["parameters"], *before["marks"]["RBF106"])
        about |= {name.rpartition(".")[2] for name in registered}
    return about


def _same_names(seen: Seen, before: Facts, about: set[str]) -> Verdict:
    """Compare what files and classes have by name; of a class what is fixed may be another."""
    names_before = (seen.inventory_before or seen.inventory)["names"]
    for kind, own in (("files", set[str]()), ("classes", about)):
        for place, theirs in names_before[kind].items():
            again = before["names"][kind][place]
            ours = seen.inventory["names"][kind].get(place, {})
            verdict = none_of((f"{place}.{name}" for name in theirs.keys() - ours.keys() - own), "gone")
            if verdict is not PASSED:
                return verdict
            hiding = (name for name in ours.keys() - theirs.keys() if kind == "files" and hasattr(builtins, name))
            verdict = none_of((f"{place}.{name}" for name in hiding), "new, and takes the place of Python's own")
            if verdict is not PASSED:
                return verdict
            common = theirs.keys() & ours.keys() - own
            other = [name for name in common if theirs[name] == again.get(name) != ours[name]]
            if other:
                return none_of((f"{place}.{name}" for name in other), "another value")
    other = [name for name, bases in before["bases"].items() if seen.facts["bases"].get(name) != bases]
    return none_of(other, "other bases")
