"""Which functions of a file a fix changes, adds and takes away, by their code; nothing is run."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from importlib.util import decode_source
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING

from regbuf_lint.verify.model import FIXED, ORIGINAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PART = "<"
"""What the names of lambdas and comprehensions begin with: they are parts of the function around them."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A function that does something else.

    Attributes:
        names: the names and texts in either version.
        lines: where it begins before and after, by side; a property has several beginnings.
    """

    names: frozenset[str]
    lines: dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class CodeChanges:
    """What became of the functions of some files, each as ``FILE::NAME``.

    Attributes:
        removed: those that are gone.
        added: those that are new, with the names and texts in them.
        changed: those that do something else.
    """

    removed: tuple[str, ...] = ()
    added: dict[str, frozenset[str]] = field(default_factory=dict)
    changed: dict[str, Changed] = field(default_factory=dict)

    def lines(self, side: str) -> dict[str, list[int]]:
        """Return where each changed function begins in one version."""
        return {name: one.lines[side] for name, one in self.changed.items()}


def code_changes(replaced: Iterable[tuple[str, str]]) -> CodeChanges:
    """Compare files with those whose text stands in for theirs; a file that cannot be compiled has no functions.

    Args:
        replaced: pairs of a file and of the file whose text is read instead.
    """
    removed: list[str] = []
    added: dict[str, frozenset[str]] = {}
    changed: dict[str, Changed] = {}
    for before, after in replaced:
        old, new = _functions(before), _functions(after)
        if not new:  # it does not compile, which building it will tell
            continue
        removed += [f"{before}::{name}" for name in old.keys() - new.keys()]
        added |= {f"{before}::{name}": _all_names(new[name]) for name in new.keys() - old.keys()}
        for name in old.keys() & new.keys():
            sides = ((ORIGINAL, old[name]), (FIXED, new[name]))
            if list(map(_text, old[name])) != list(map(_text, new[name])):
                lines = {side: [code.co_firstlineno for code in codes] for side, codes in sides}
                changed[f"{before}::{name}"] = Changed(_all_names([*old[name], *new[name]]), lines)
    return CodeChanges(tuple(sorted(removed)), added, changed)


def _all_names(codes: Iterable[CodeType]) -> frozenset[str]:
    return frozenset(one for code in codes for one in _names(code))


def _functions(file: str) -> dict[str, list[CodeType]]:
    """Return the functions of a file by dotted name; several of one name, as of a property, in their order."""
    try:
        top = compile(decode_source(Path(file).read_bytes()), file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[str, list[CodeType]] = {}
    for name, code in _nested(top, ""):
        if code.co_flags & inspect.CO_OPTIMIZED:
            found.setdefault(name, []).append(code)
    return found


def _nested(code: CodeType, place: str) -> Iterator[tuple[str, CodeType]]:
    for one in code.co_consts:
        if isinstance(one, CodeType) and not one.co_name.startswith(_PART):
            name = f"{place}{one.co_name}"
            yield name, one
            yield from _nested(one, f"{name}.")


def _text(code: CodeType) -> tuple[object, ...]:
    """Return what a function does, whatever its lines; of functions and classes in it, the names alone."""
    constants = tuple(
        repr(one) if not isinstance(one, CodeType) else _text(one) if one.co_name.startswith(_PART) else one.co_name
        for one in code.co_consts
    )
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from _texts(code.co_consts)


def _texts(constants: Iterable[object]) -> Iterator[str]:
    for one in constants:
        if isinstance(one, str):
            yield one
        elif isinstance(one, CodeType):
            yield from _names(one)
        elif isinstance(one, (tuple, frozenset)):
            yield from _texts(one)
