"""Which statements of a function are others in its fixed version, and have nothing to do with what is fixed."""

from __future__ import annotations

import ast
from collections import Counter
from copy import copy
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

_HOLD_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
_FIRST = frozenset({"body", "handlers", "cases"})
"""Where statements stand that need no word such as ``else`` before them."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement, or the part of one that other statements stand in, such as ``else``.

    Attributes:
        line: where it begins, counted from 1.
        text: what is equal for equal statements, what stands in them left aside.
        names: the names and texts in it.
        binds: the names to which it gives a value.
        inner: the statements that stand in it.
    """

    line: int
    text: str
    names: frozenset[str]
    binds: frozenset[str]
    inner: tuple[Statement, ...] = ()

    def every(self) -> Iterator[Statement]:
        """Yield the statement and all that stand in it, in their order."""
        yield self
        yield from _every(self.inner)


def statements(body: Iterable[ast.AST]) -> tuple[Statement, ...]:
    """Return the statements of a body that do something."""
    return tuple(_statement(one) for one in body if not isinstance(one, ast.Pass))


def unrelated(
    before: tuple[Statement, ...], after: tuple[Statement, ...], is_about: Callable[[frozenset[str]], bool]
) -> str | None:
    """Tell where two versions of a function begin to differ in what has nothing to do with the fix.

    Statements that speak of what is fixed may be others. So may those that only one version has, and that give these a
    local, take one from them, or stand around them.

    Args:
        before: the original.
        after: the fixed version.
        is_about: whether some names and texts speak of what is fixed.

    Returns:
        The line, None where they differ in nothing else.
    """
    theirs, ours = (Counter(one.text for one in _every(version)) for version in (before, after))
    changed = (theirs - ours).keys() | (ours - theirs).keys()
    left = (list(_others(version, _about(version, changed, is_about))) for version in (after, before))
    for own, other in zip_longest(*left, fillvalue=(0, "")):
        if own[1] != other[1]:
            return f"line {own[0]}" if own[0] else f"line {other[0]} of the original"
    return None


def _about(
    version: tuple[Statement, ...], changed: Container[str], is_about: Callable[[frozenset[str]], bool]
) -> set[Statement]:
    """Return the statements of a version that have to do with what is fixed."""
    single = {one for one in _every(version) if one.text in changed}
    found = {one for one in _every(version) if is_about(one.names)}
    for loop in list(found):
        found |= {one for one in _every(loop.inner) if one in single and one.names & loop.binds}
    while more := {one for one in single - found if _is_linked(one, found & single)}:
        found |= more
    return found


def _is_linked(statement: Statement, about: set[Statement]) -> bool:
    """Whether a statement gives a local to one of some statements, takes one from it, or stands around it."""
    return any(statement.binds & one.names or statement.names & one.binds for one in about) or not about.isdisjoint(
        _every(statement.inner)
    )


def _others(version: Iterable[Statement], about: set[Statement]) -> Iterator[tuple[int, str]]:
    """Yield line and text of the statements that are not about what is fixed, and where what stands in them ends."""
    for one in version:
        if one in about:
            yield from _others(one.inner, about)
        else:
            yield one.line, one.text
            yield from _others(one.inner, about)
            yield one.line, "end"


def _every(version: Iterable[Statement]) -> Iterator[Statement]:
    return chain.from_iterable(one.every() for one in version)


def _statement(node: ast.AST) -> Statement:
    head = copy(node)
    inner: list[Statement] = []
    for name, value in ast.iter_fields(node):
        parts = [one for one in value if isinstance(one, _HOLD_STATEMENTS)] if isinstance(value, list) else []
        if parts:
            setattr(head, name, [])
            within = statements(parts)
            inner += within if name in _FIRST or not within else [_word(name, head, within)]
    bound = (one.id for one in ast.walk(head) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return Statement(getattr(node, "lineno", 0), text_of(head), names_in(head), frozenset(bound), tuple(inner))


def _word(name: str, head: ast.AST, within: tuple[Statement, ...]) -> Statement:
    """Return what stands for ``else`` and ``finally``."""
    return Statement(within[0].line, name, names_in(head), frozenset(), within)


def names_in(node: ast.AST) -> frozenset[str]:
    """Return the names and texts in a statement."""
    values = (value for one in ast.walk(node) for _, value in ast.iter_fields(one))
    return frozenset(value for value in values if isinstance(value, str))


def text_of(node: ast.AST) -> str:
    """Return what is equal for equal trees; they may be deeper than Python's stack."""
    nodes = (f"{type(one).__name__}{[_shape(value) for _, value in ast.iter_fields(one)]}" for one in ast.walk(node))
    return "".join(nodes)


def _shape(value: object) -> object:
    if isinstance(value, list):
        return list(map(_shape, value))
    return type(value).__name__ if isinstance(value, ast.AST) else repr(value)
