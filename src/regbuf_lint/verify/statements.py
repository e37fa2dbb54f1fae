"""Which statements of a function are others in its fixed version, and have nothing to do with what is fixed."""

from __future__ import annotations

import ast
import re
from collections import Counter
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

_HOLD_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
_FIRST = frozenset({"body", "handlers", "cases"})
"""Where statements stand that need no word such as ``else`` before them."""
_BLANK = re.compile(r"\{[^{}]*\}|%[\d.]*[sdir]")
"""What `str.format` and `%` fill in."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement, or the part of one that other statements stand in, such as ``else``.

    Attributes:
        line: where it begins, counted from 1.
        text: what is equal for equal statements, what stands in them left aside.
        names: the names of variables and functions in it.
        speaks: the attributes, keywords and texts in it, outside of functions also its names; where a text is
            computed, ``*`` stands for what is not known of it.
        binds: the names to which it gives a value.
        inner: the statements that stand in it.
    """

    line: int
    text: str
    names: frozenset[str]
    speaks: frozenset[str]
    binds: frozenset[str]
    inner: tuple[Statement, ...] = ()

    def every(self) -> Iterator[Statement]:
        """Yield the statement and all that stand in it, in their order."""
        yield self
        yield from _every(self.inner)


def statements(body: Iterable[ast.AST], *, in_function: bool = True) -> tuple[Statement, ...]:
    """Return the statements of a body that do something."""
    return tuple(_statement(one, in_function=in_function) for one in body if not isinstance(one, ast.Pass))


def unrelated(
    before: tuple[Statement, ...], after: tuple[Statement, ...], is_about: Callable[[Statement], bool]
) -> str | None:
    """Tell where two versions of a function begin to differ in what has nothing to do with the fix.

    Statements that speak of what is fixed may be others. So may those that only one version has, and that give these a
    local of which nothing else takes, take one from them, or stand around them.

    Args:
        before: the original.
        after: the fixed version.
        is_about: whether a statement speaks of what is fixed.

    Returns:
        The line, None where they differ in nothing else.
    """
    theirs, ours = (Counter(one.text for one in _every(version)) for version in (before, after))
    changed = (theirs - ours).keys() | (ours - theirs).keys()
    given = {name for version in (before, after) for one in _every(version) if is_about(one) for name in one.binds}
    left = (list(_others(version, _about(version, changed, given, is_about))) for version in (after, before))
    for own, other in zip_longest(*left, fillvalue=(0, "")):
        if own[1] != other[1]:
            return f"line {own[0]}" if own[0] else f"line {other[0]} of the original"
    return None


def unrelated_in(
    new: tuple[Statement, ...], arguments: Iterable[str], gone: Container[str], is_about: Callable[[Statement], bool]
) -> Iterator[Statement]:
    """Yield the statements of a new function that have nothing to do with the fix.

    What it returns has to do with it where it is needed at all, and so has what stood elsewhere before, and what is
    linked to that; but nothing that gives a local, or an argument, another value in between.

    Args:
        new: the body of the function.
        arguments: the names of its arguments.
        gone: the texts of statements that only the original has.
        is_about: whether a statement speaks of what is fixed.
    """
    every = list(_every(new))
    found = {one for one in every if is_about(one) or one.text in gone or one.text.startswith(ast.Return.__name__)}
    bound = Counter(name for one in every for name in one.binds)
    known = _linked(found, set(every), {*arguments, *(name for name, times in bound.items() if times > 1)})
    yield from (one for one in every if one not in known)


def gone_texts(before: tuple[Statement, ...], after: tuple[Statement, ...]) -> set[str]:
    """Return the texts of statements that only the first of two versions has, or has more often."""
    theirs, ours = (Counter(one.text for one in _every(version)) for version in (before, after))
    return set(theirs - ours)


def _about(
    version: tuple[Statement, ...], changed: Container[str], given: set[str], is_about: Callable[[Statement], bool]
) -> set[Statement]:
    """Return the statements of a version that have to do with what is fixed, which gives some locals in either."""
    single = {one for one in _every(version) if one.text in changed}
    found = {one for one in _every(version) if is_about(one)}
    for loop in list(found):
        found |= {one for one in _every(loop.inner) if one in single and one.names & loop.binds}
    kept = {one for one in _every(version) if one not in single | found}
    return _linked(found, single, {name for one in kept for name in one.names} - given)


def _linked(found: set[Statement], single: set[Statement], elsewhere: set[str]) -> set[Statement]:
    """Return some statements, with those of others that are linked to them.

    Args:
        found: the ones.
        single: the others.
        elsewhere: the names of locals that nobody gives for them alone.
    """
    while more := {one for one in single - found if _is_linked(one, found & single, elsewhere)}:
        found |= more
    return found


def _is_linked(statement: Statement, about: set[Statement], elsewhere: set[str]) -> bool:
    """Whether a statement takes a local from some statements, gives one that only they take, or stands around them."""
    own = statement.binds - elsewhere
    return any(own & one.names or statement.names & one.binds for one in about) or not about.isdisjoint(
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


def _statement(node: ast.AST, *, in_function: bool) -> Statement:
    head = copy(node)
    within: dict[str, tuple[Statement, ...]] = {}
    for name, value in ast.iter_fields(node):
        parts = [one for one in value if isinstance(one, _HOLD_STATEMENTS)] if isinstance(value, list) else []
        if parts:
            setattr(head, name, [])
            within[name] = statements(parts, in_function=in_function)
    own = list(ast.walk(head))
    names = frozenset(one.id for one in own if isinstance(one, ast.Name))
    bound = frozenset(one.id for one in own if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    spoken = frozenset(chain.from_iterable(map(_spoken, own)))
    speaks = spoken if in_function else spoken | names
    whole = Statement(getattr(node, "lineno", 0), text_of(head), names, speaks, bound)
    return replace(whole, inner=tuple(chain.from_iterable(_placed(name, one, whole) for name, one in within.items())))


def _placed(name: str, within: tuple[Statement, ...], whole: Statement) -> tuple[Statement, ...]:
    """Return statements that stand in another one: after ``else`` and ``finally``, in what stands for that word."""
    if name in _FIRST or not within:
        return within
    return (replace(whole, line=within[0].line, text=name, binds=frozenset(), inner=within),)


def _spoken(node: ast.AST) -> Iterator[str]:
    """Yield the names that a part of a statement tells by itself: of an attribute, a keyword, or by a text."""
    match node:
        case ast.Attribute(attr=name) | ast.keyword(arg=str(name)) | ast.Constant(value=str(name)):
            yield name
            yield _BLANK.sub("*", name)
        case ast.JoinedStr(values=values):
            yield "".join(_known(one) for one in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield _known(left) + _known(right)


def _known(node: ast.expr) -> str:
    """Return what is known of a text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _known(left) + _known(right)
    return "*"


def text_of(node: ast.AST) -> str:
    """Return what is equal for equal trees; they may be deeper than Python's stack."""
    nodes = (f"{type(one).__name__}{[_shape(value) for _, value in ast.iter_fields(one)]}" for one in ast.walk(node))
    return "".join(nodes)


def _shape(value: object) -> object:
    if isinstance(value, list):
        return list(map(_shape, value))
    return type(value).__name__ if isinstance(value, ast.AST) else repr(value)
