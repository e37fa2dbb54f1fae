"""What a local holds where it is read: the expression that it was given, and so the attribute that it stands for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.classes.definition import bound_in, is_name, receiver_name
from regbuf_lint.classes.stores import stores_in, whole_pairs
from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.scopes import FUNCTIONS, nested_blocks
from regbuf_lint.index.tree import children, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from regbuf_lint.index.scopes import FunctionNode

Known: TypeAlias = "dict[str, ast.expr]"

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def definition_of(function: ast.AST, node: ast.expr) -> ast.expr:
    """What a local was given, where one definition alone reaches it; any other expression itself."""
    return _definitions(function).get(node, node) if isinstance(node, ast.Name) else node


def attribute_of(function: ast.AST, node: ast.AST) -> ast.Attribute | None:
    """The attribute, of any object, that an expression is, or that a local was given; None for any other expression."""
    if isinstance(node, ast.Name) and node.id in _given_places(function):
        node = definition_of(function, node)
    return node if isinstance(node, ast.Attribute) else None


@once_per_node
def _given_places(function: ast.AST) -> frozenset[str]:
    """The locals that are given an attribute or another name somewhere: few, so most functions need no more."""
    pairs = ((target, value) for target, value in stores_in(function) if isinstance(value, (ast.Attribute, ast.Name)))
    return frozenset(target.id for target, _ in pairs if isinstance(target, ast.Name))


def own_attribute(function: ast.AST, node: ast.AST) -> str | None:
    """The attribute of the object that an expression of a method holds: ``self.x``, or a local that was given it."""
    place = attribute_of(function, node)
    if place is None or not isinstance(function, FUNCTIONS):
        return None
    return place.attr if is_name(place.value, receiver_name(function)) else None


def is_stored_again(function: FunctionNode, attribute: str) -> bool:
    """Whether a method assigns what an attribute of its ``self`` holds to another attribute, of any object."""
    return any(
        isinstance(target, ast.Attribute) and own_attribute(function, value) == attribute
        for target, value in stores_in(function)
    )


@once_per_node
def _definitions(function: ast.AST) -> Mapping[ast.expr, ast.expr]:
    """For names that a function reads, the one expression that they were given by then."""
    reading = _Reading()
    if isinstance(function, FUNCTIONS):
        reading.block(function.body, {})
    return reading.found


class _Reading:
    """Goes through statements in the order in which they run; what is known behind one is what runs behind it."""

    def __init__(self) -> None:
        self.found: dict[ast.expr, ast.expr] = {}
        self._held: set[str] = set()
        """Attributes that some local was given so far."""

    def block(self, body: Iterable[ast.stmt], known: Known) -> Known | None:
        """What is known behind a block; None where nothing runs behind it."""
        for statement in body:
            behind = self._statement(statement, known)
            if behind is None:
                return None
            known = behind
        return known

    def _statement(self, statement: ast.stmt, known: Known) -> Known | None:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return _without(known, frozenset({statement.name}))
        blocks = list(nested_blocks(statement))
        if not blocks:
            return self._simple(statement, known)
        if not isinstance(statement, (ast.If, ast.With)):  # a loop's body may have run before, and a `try` have failed
            known = self._after(known, list(walk(statement)))
        for head in (one for one in children(statement) if not isinstance(one, ast.stmt)):
            known = self._read(head, known)
        if isinstance(statement, ast.With):
            return self.block(statement.body, known)
        ends = [self.block(block, dict(known)) for block in blocks]
        if not isinstance(statement, ast.If):
            return known
        return _met(ends[0], ends[1] if len(ends) > 1 else known)

    def _simple(self, statement: ast.stmt, known: Known) -> Known | None:
        behind = known
        for part in reversed(children(statement)):  # the value first, then what it is assigned to
            behind = self._read(part, behind)
        if isinstance(statement, _LEAVING):
            return None
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            return behind
        given = {
            target.id: self.found.get(value, value)
            for target, value in whole_pairs(statement)
            if isinstance(target, ast.Name)
        }
        self._held.update(one.attr for one in given.values() if isinstance(one, ast.Attribute))
        return {**behind, **given}

    def _read(self, node: ast.AST, known: Known) -> Known:
        """What is known behind code without statements of its own; the names that it reads are noted."""
        if not known:
            return known
        nodes = list(walk(node))
        names = [one for one in nodes if isinstance(one, ast.Name) and one.id in known]
        if names:
            inner = bound_in(node)
            self.found.update({one: known[one.id] for one in names if one.id not in inner})
        return self._after(known, nodes)

    def _after(self, known: Known, nodes: Iterable[ast.AST]) -> Known:
        """What is known behind code that may bind names, or give an attribute another value than a local was given."""
        places = (one for one in nodes if isinstance(one, (ast.Name, ast.Attribute)))
        stores = [one for one in places if not isinstance(one.ctx, ast.Load)]
        names = {one.id for one in stores if isinstance(one, ast.Name)}
        changed = self._held.intersection(one.attr for one in stores if isinstance(one, ast.Attribute))
        if changed:
            names.update(name for name, one in known.items() if isinstance(one, ast.Attribute) and one.attr in changed)
        return _without(known, frozenset(names))


def _without(known: Known, names: frozenset[str]) -> Known:
    return known if names.isdisjoint(known) else {name: one for name, one in known.items() if name not in names}


def _met(one: Known | None, other: Known | None) -> Known | None:
    """What is known where two paths meet."""
    if one is None or other is None:
        return other if one is None else one
    return {name: value for name, value in one.items() if name in other and _same(value, other[name])}


def _same(one: ast.expr, other: ast.expr) -> bool:
    return one is other or ast.dump(one) == ast.dump(other)
