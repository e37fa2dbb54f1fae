"""Calls that move an attribute of ``self``: a tensor to a device (``self.x.to(y.device)``), or a part."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.definition import arguments_with_defaults, is_name, positional_names, receiver_name
from regbuf_lint.classes.reaching import definition_of, own_attribute
from regbuf_lint.classes.stores import own_values
from regbuf_lint.index.scopes import nested_blocks
from regbuf_lint.index.tree import children, of_kind, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.model.span import Span


class DeviceMove(Struct, frozen=True):
    """One call.

    Attributes:
        attribute: what is moved.
        method: name of the method that it stands in.
        call: place of the call.
        receiver: place of ``self.x`` in it, or of a local that holds it.
        statement: the simple statement around it; the call itself in the head of an ``if`` or the like.
        rebinds: whether the statement does nothing but assign the result to the attribute itself.
    """

    attribute: str
    method: str
    call: Span
    receiver: Span
    statement: Span
    rebinds: bool


def device_moves(definition: ClassDefinition) -> Iterator[DeviceMove]:
    """All such calls in the methods of a class, in the order of the text."""
    span = definition.symbol.scope.file.span
    for function in (*definition.methods.values(), *definition.properties.values()):
        name = receiver_name(function)
        for call, statement in _calls(function, function):
            moved = _moved(call)
            attribute = None if moved is None else own_attribute(function, moved)
            if moved is not None and attribute is not None:
                place = span(call if any(nested_blocks(statement)) else statement)
                rebinds = _is_all_that(statement, call) and bool(own_values(statement, name, attribute))
                yield DeviceMove(attribute, function.name, span(call), span(moved), place, rebinds)


def stays_put(function: FunctionNode) -> bool:
    """Whether a class's own ``_apply`` calls no other one, so that it moves nothing but what it names."""
    return not any(node.attr == function.name for node in of_kind(function, ast.Attribute))


def applies(function: FunctionNode) -> bool:
    """Whether an ``_apply`` calls the function that it is given or hands it on, as that of nn.Module does (torch 2.13).

    Another method under that name moves nothing.
    """
    named = (*positional_names(function)[:1], *filter(None, [getattr(function.args.vararg, "arg", None)]))
    calls = of_kind(function, ast.Call)
    given = (part for call in calls for part in (call.func, *call.args, *(one.value for one in call.keywords)))
    values = (one.value if isinstance(one, ast.Starred) else one for one in given)
    return any(isinstance(one, ast.Name) and one.id in named for one in values)


def _is_all_that(statement: ast.stmt, call: ast.Call) -> bool:
    """Whether a statement assigns the result of a call to one target and does nothing else."""
    return isinstance(statement, ast.Assign) and statement.value is call and len(statement.targets) == 1


def moves_parts(function: FunctionNode, made: ast.Call, movers: frozenset[str]) -> bool:
    """Whether a method calls a mover of an object that a call makes, or of some other part of its ``self``.

    What the method is given may as well be made elsewhere.

    Args:
        function: the method.
        made: the call that makes the object, there or elsewhere.
        movers: names of the methods that move an nn.Module in place. A statement that does nothing but call one moves
            some nn.Module: a tensor is not changed by it (torch 2.13).
    """
    return any(_moves_part(function, node, made, movers) for node in walk(function))


def _moves_part(function: FunctionNode, node: ast.AST, made: ast.Call, movers: frozenset[str]) -> bool:
    """Whether a node calls a mover of what a call makes, or is a statement that moves anything but an argument."""
    call = node.value if isinstance(node, ast.Expr) else node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in movers:
        return False
    moved = call.func.value
    if moved is made:
        return True
    if call is node:
        return False
    named = definition_of(function, moved)
    return not any(is_name(named, one.arg) for one, _ in arguments_with_defaults(function))


def _calls(node: ast.AST, statement: ast.stmt) -> Iterator[tuple[ast.Call, ast.stmt]]:
    for child in children(node):
        inner = child if isinstance(child, ast.stmt) else statement
        if isinstance(child, ast.Call):
            yield child, inner
        yield from _calls(child, inner)


def _moved(call: ast.Call) -> ast.expr | None:
    """What a call of ``to`` with nothing but the device of something moves."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr != "to":
        return None
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    keywords.pop("non_blocking", None)
    given = [*call.args, *([keywords.pop("device")] if "device" in keywords else [])]
    is_device = len(given) == 1 and isinstance(given[0], ast.Attribute) and given[0].attr == "device"
    return function.value if is_device and not keywords else None
