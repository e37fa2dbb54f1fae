"""Code that the fix is not about stays, and what it changes is run with the same result."""

from __future__ import annotations

import inspect
import os
import sys
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.checks.differing import difference
from regbuf_lint.verify.checks.moves import all_tensors
from regbuf_lint.verify.model import ORIGINAL, PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType

    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_ABOUT_BUFFERS = ("RBF1", "RBF2")
"""Rules about what is registered already; all others are about plain tensors."""


class SameCode(Check):
    """Functions, bases, class attributes and constants of the files that are changed."""

    name = "same-code"
    asserts = (
        "no function, class or constant of the changed files is gone or another; a function that is changed, or that "
        "takes the place of an inherited one, speaks of what was fixed, and what is changed is run with the same result"
    )
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Look at the files' names, see which changed functions run, and call the methods among them."""
        called: Facts = {}
        ran = set()
        for path, owner, function in _methods(subject):
            called[path], seen = _called(subject, owner, function)
            ran |= seen if "error" not in called[path] else set()
        ran |= _traced(subject, lambda: subject.call(subject.fresh()))[1]
        names = _names_of_files(subject)
        if subject.side == ORIGINAL:  # what is not the same each time tells nothing
            again = _names_of_files(subject)
            names = {place: _common(one, again[place]) for place, one in names.items()}
        return {
            "names": names,
            "bases": _bases(subject),
            "called": called,
            "ran": sorted(ran),
            "special": _special(subject),
        }

    def judge(self, seen: Seen) -> Verdict:
        """Compare with the original."""
        before = seen.facts_before or {}
        if "error" in before:
            return not_run("the original cannot be built")
        changes = seen.code
        about = _about(seen)
        strange = [name for name, one in changes.changed.items() if not _speaks_of(one.names, about)]
        strange = [name for name in strange if name in seen.facts["ran"]]  # what did not run is told below
        verdict = none_of(_names(changes.removed), "gone")
        if verdict is PASSED:
            verdict = none_of(_names(strange), "changed, and has nothing to do with what was fixed")
        if verdict is PASSED:
            verdict = none_of(_names(_overriding(seen, before, about)), "new, and takes the place of what is inherited")
        if verdict is PASSED:
            verdict = _same_names(seen.facts, before, about)
        return verdict if verdict is not PASSED else _same_results(seen, before)


def _same_results(seen: Seen, before: Facts) -> Verdict:
    """Compare what changed methods give, and say which changed functions nothing runs."""
    results = before["called"]
    for path, theirs in results.items():
        ours = seen.facts["called"].get(path)
        if ours is None or "error" in theirs:
            continue
        if "error" in ours:
            return failed(f"{path}() raises {ours['error']}")
        said = difference(ours["result"], theirs["result"])
        if said:
            return failed(f"{path}() gives another result: {said}")
        state, before_state = ours["state"], theirs["state"]
        other = [name for name in state.keys() & before_state.keys() if state[name] != before_state[name]]
        if other:
            return none_of(other, f"another value after {path}()")
    unseen = seen.code.changed.keys() - set(seen.facts["ran"])
    if unseen:
        said = f"changed, and nothing runs it: {', '.join(sorted(_names(unseen)))}"
        return not_run(said[:200])
    return PASSED


def _overriding(seen: Seen, before: Facts, about: set[str]) -> list[str]:
    """Return what is new in a class, does what torch or Python asks for, and has nothing to do with what was fixed."""
    new = [place for place in seen.facts["special"] if place not in before["special"]]
    return [place for place in new if not _speaks_of(seen.code.added.get(place, frozenset()), about)]


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


def _speaks_of(names: frozenset[str], about: set[str]) -> bool:
    """Whether a function names one of some attributes, if only a part that it computes a name from."""
    return any(len(one) > 1 and one in name for name in about for one in names) or bool(names & about)


def _same_names(facts: Facts, before: Facts, about: set[str]) -> Verdict:
    for place, theirs in before["names"].items():
        ours = facts["names"].get(place, {})
        verdict = none_of((f"{place}.{name}" for name in theirs.keys() - ours.keys() - about), "gone")
        if verdict is not PASSED:
            return verdict
        common = theirs.keys() & ours.keys() - about
        other = [name for name in common if theirs[name] not in {"", ours[name]}]
        if other:
            return none_of((f"{place}.{name}" for name in other), "another value")
    other = [name for name, bases in before["bases"].items() if facts["bases"].get(name) != bases]
    return none_of(other, "other bases")


# ---- in the worker ---------------------------------------------------------------------------------------------------


def _names_of_files(subject: Subject) -> Facts:
    """Return the names of each changed file and of its classes, with the values of those that are plain data."""
    from regbuf_lint.verify.worker.importing import import_file  # noqa: PLC0415  imports torch

    subject.fresh()
    found: Facts = {}
    for file in subject.files:
        module = import_file(file)
        found[module.__name__] = _values(vars(module))
        for kind in _classes(module):
            found[kind.__qualname__] = _values(vars(kind))
    return found


def _common(names: Facts, again: Facts) -> Facts:
    return {name: one if again.get(name) == one else "" for name, one in names.items()}


def _classes(module: Any) -> list[type]:
    return [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__]


def _values(names: Any) -> dict[str, str]:
    from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

    return {
        name: _head(value) if _is_code(value) else digest(value)
        for name, value in names.items()
        if not (name.startswith("__") and name.endswith("__") and not inspect.isroutine(value))
    }


def _is_code(value: Any) -> bool:
    return inspect.isroutine(value) or isinstance(value, (type, property)) or hasattr(value, "__get__")


def _special(subject: Subject) -> list[str]:
    """Return the methods of the files' classes that take the place of inherited ones, or that Python calls itself."""
    from regbuf_lint.verify.worker.importing import import_file  # noqa: PLC0415  imports torch

    found = []
    for file in subject.files:
        for kind in _classes(import_file(file)):
            inherited = {name for base in kind.__mro__[1:] for name in vars(base)}
            own = (name for name, value in vars(kind).items() if _is_code(value))
            place = f"{file}::{kind.__qualname__.replace('.<locals>', '')}"
            found += [f"{place}.{name}" for name in own if name in inherited or name.startswith("__")]
    return sorted(found)


def _head(value: Any) -> str:
    """Return what can be told of code besides the bodies of functions with names, which are compared elsewhere."""
    if isinstance(value, type):
        return f"{type(value).__qualname__} {value.__qualname__} {[base.__qualname__ for base in value.__bases__]}"
    if isinstance(value, property):
        return " ".join(["property", *map(_head, (value.fget, value.fset, value.fdel))])
    inner = getattr(value, "__func__", value)
    code = getattr(inner, "__code__", None)
    kind = type(value).__qualname__
    if code is None:
        return f"{kind} {getattr(inner, '__qualname__', '')}"
    return f"{kind} {_named(code)} {_data_of(inner)} {inspect.signature(inner)}"


def _named(code: CodeType) -> str:
    """Return the name of a function, and of one that has none, what it does."""
    from regbuf_lint.verify.worker.values import code_text  # noqa: PLC0415  imports torch

    return code_text(code) if code.co_name.startswith("<") else code.co_name


def _data_of(function: Any) -> list[str]:
    """Return what a function has taken along from the functions around it, other functions left out."""
    from regbuf_lint.verify.worker.values import digest, parts  # noqa: PLC0415  imports torch

    return [digest(one) for _, one in parts(function) if not _is_code(one)]


def _bases(subject: Subject) -> dict[str, list[str]]:
    kinds = {type(one) for one in subject.module.modules()}
    return {kind.__qualname__: [base.__qualname__ for base in kind.__mro__] for kind in kinds}


def _methods(subject: Subject) -> Iterator[tuple[str, str, str]]:
    """Yield the methods of the built objects that the fix changes: path, way to the owner, name."""
    from regbuf_lint.verify.worker.importing import file_of  # noqa: PLC0415  imports torch

    for way, owner in subject.module.named_modules():
        for kind in type(owner).__mro__:
            file = file_of(sys.modules.get(kind.__module__))
            place = f"{file}::{kind.__qualname__.replace('.<locals>', '')}"
            for name in vars(kind):
                special = name.startswith("__") or name == "forward"
                if f"{place}.{name}" in subject.functions and not special:
                    yield f"{way}.{name}" if way else name, way, name


def _called(subject: Subject, way: str, name: str) -> tuple[Facts, set[str]]:
    """Return what a method gives, called without arguments or, where it takes as many, with the inputs."""
    from regbuf_lint.verify.worker.values import digest, sketch, walked  # noqa: PLC0415  imports torch

    module = subject.fresh()

    def call() -> Any:
        return _result(subject, module.get_submodule(way), name)

    result, ran = _traced(subject, call)
    if isinstance(result, BaseException):
        return {"error": type(result).__name__}, ran
    state = {path: digest(tensor) for path, tensor in all_tensors(subject, module).items()}
    return {"result": sketch(walked(result)), "state": state}, ran


def _result(subject: Subject, owner: nn.Module, name: str) -> Any:
    from regbuf_lint.verify.worker.subject import called  # noqa: PLC0415  imports torch

    value = getattr(owner, name)
    if not callable(value):  # a property
        return value
    needed = [one for one in inspect.signature(value).parameters.values() if one.default is one.empty]
    needed = [one for one in needed if one.kind not in {one.VAR_POSITIONAL, one.VAR_KEYWORD}]
    return called(value, () if not needed else subject.given())


def _traced(subject: Subject, function: Any) -> tuple[Any, set[str]]:
    """Call a function; return its result, or what it raised, and which changed functions ran."""
    ran: set[str] = set()
    places: dict[tuple[int, str], list[str]] = {}
    for place, lines in subject.functions.items():
        for line in lines:
            places.setdefault((line, place.rpartition("::")[2].rpartition(".")[2]), []).append(place)

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and (code.co_firstlineno, code.co_name) in places:
            file = os.path.realpath(code.co_filename)
            found = places[code.co_firstlineno, code.co_name]
            ran.update(place for place in found if place.startswith(f"{file}::"))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        return function(), ran
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
        return error, ran
    finally:
        sys.setprofile(before)
