"""Methods that give an attribute what the constructor gives it, computed once more."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from regbuf_lint.classes.definition import bound_in, receiver_name, stored_in
from regbuf_lint.classes.reaching import definition_of
from regbuf_lint.classes.stores import is_own, own_values, stores_in
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from regbuf_lint.index.scopes import FunctionNode

Form: TypeAlias = "tuple[object, ...]"
"""What an expression says, however its method spells it: locals as what they were given, the object as such."""

_OBJECT: Form = ("the object",)


def computes_anew(function: FunctionNode, builders: Iterable[FunctionNode], attribute: str) -> bool:
    """Whether a method begins with an attribute as some method that builds the object does, by the same expression.

    Arguments that the object keeps are the attributes that keep them, and attributes that are assigned once what they
    are made of. The expression must not depend on arguments of the method, or on locals of which no more is known. What
    the method then changes in parts of the attribute belongs to the computation.

    Args:
        function: the method.
        builders: the methods that run while the object is built.
        attribute: the attribute.
    """
    receiver, building = receiver_name(function), list(builders)
    made = _made_once(building, function)
    known = {
        _form(one, value, _kept_arguments(one), made)
        for one in building
        for value in own_values(one, receiver_name(one), attribute)
    }
    forms = [(value, _form(function, value, {}, made)) for value in own_values(function, receiver, attribute)]
    local = bound_in(function) - {receiver}
    return (
        bool(forms)
        and all(form in known and _names(form).isdisjoint(local - bound_in(value)) for value, form in forms)
        and _is_set_first(function, receiver, attribute)
    )


def _kept_arguments(function: FunctionNode) -> Mapping[str, str]:
    """The arguments of a method that an attribute of its ``self`` keeps as they are, with that attribute."""
    receiver, changed = receiver_name(function), stored_in(function)
    return {
        value.id: target.attr
        for target, value in stores_in(function)
        if isinstance(value, ast.Name) and value.id not in changed and definition_of(function, value) is value
        if isinstance(target, ast.Attribute) and is_own(target, receiver, target.attr)
    }


def _made_once(builders: Iterable[FunctionNode], function: FunctionNode) -> Mapping[str, Form]:
    """What attributes are made of that one statement of the builders assigns, and that a method leaves alone."""
    forms: dict[str, list[Form]] = {}
    for one in builders:
        kept, receiver = _kept_arguments(one), receiver_name(one)
        for target, value in stores_in(one):
            if isinstance(target, ast.Attribute) and is_own(target, receiver, target.attr):
                forms.setdefault(target.attr, []).append(_form(one, value, kept, {}))
    changed = {target.attr for target, _ in stores_in(function) if isinstance(target, ast.Attribute)}
    return {name: found[0] for name, found in forms.items() if len(found) == 1 and name not in changed}


def _form(function: FunctionNode, node: object, kept: Mapping[str, str], made: Mapping[str, Form]) -> Form:
    if isinstance(node, ast.Attribute) and node.attr in made and is_own(node, receiver_name(function), node.attr):
        return made[node.attr]
    if isinstance(node, ast.Name):
        given = definition_of(function, node)
        if given is not node:
            return _form(function, given, kept, made)
        if node.id == receiver_name(function):
            return _OBJECT
        return ("Attribute", _OBJECT, (kept[node.id],)) if node.id in kept else ("Name", node.id)
    if isinstance(node, ast.AST):
        parts = (getattr(node, name, None) for name in node._fields if name not in {"ctx", "kind"})
        return (type(node).__name__, *(_form(function, one, kept, made) for one in parts))
    return tuple(_form(function, one, kept, made) for one in node) if isinstance(node, list) else (node,)


def _names(form: Form) -> frozenset[str]:
    """The names in a form that stand for themselves."""
    if len(form) == 2 and form[0] == "Name":  # noqa: PLR2004  (the kind and the name)
        return frozenset({str(form[1])})
    return frozenset[str]().union(*(_names(one) for one in form if isinstance(one, tuple)))


def _is_set_first(function: FunctionNode, receiver: str | None, attribute: str) -> bool:
    """Whether the first of the method's own statements that names the attribute assigns it."""
    for statement in function.body:
        if any(is_own(node, receiver, attribute) for node in walk(statement) if isinstance(node, ast.expr)):
            return isinstance(statement, (ast.Assign, ast.AnnAssign)) and bool(
                own_values(statement, receiver, attribute)
            )
    return False
