"""Calls that move an attribute of ``self`` to a device: ``self.x.to(y.device)``."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.index.scopes import nested_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.model.span import Span


@dataclass(frozen=True, slots=True)
class DeviceMove:
    """One call.

    Attributes:
        attribute: what is moved.
        method: name of the method that it stands in.
        call: place of the call.
        receiver: place of ``self.x`` in it.
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
            moved = _moved(call, name)
            if moved is not None:
                place = span(call if any(nested_blocks(statement)) else statement)
                rebinds = isinstance(statement, ast.Assign) and _is_own(statement.targets, name, moved.attr)
                rebinds = rebinds and getattr(statement, "value", None) is call
                yield DeviceMove(moved.attr, function.name, span(call), span(moved), place, rebinds)


def _calls(node: ast.AST, statement: ast.stmt) -> Iterator[tuple[ast.Call, ast.stmt]]:
    for child in ast.iter_child_nodes(node):
        inner = child if isinstance(child, ast.stmt) else statement
        if isinstance(child, ast.Call):
            yield child, inner
        yield from _calls(child, inner)


def _moved(call: ast.Call, receiver: str | None) -> ast.Attribute | None:
    """``self.x`` of a call of ``to`` with nothing but the device of something."""
    function = call.func
    if (
        not isinstance(function, ast.Attribute)
        or function.attr != "to"
        or not isinstance(function.value, ast.Attribute)
    ):
        return None
    owner = function.value.value
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    keywords.pop("non_blocking", None)
    given = [*call.args, *([keywords.pop("device")] if "device" in keywords else [])]
    is_device = len(given) == 1 and isinstance(given[0], ast.Attribute) and given[0].attr == "device"
    own = isinstance(owner, ast.Name) and owner.id == receiver
    return function.value if own and is_device and not keywords else None


def _is_own(targets: list[ast.expr], receiver: str | None, attribute: str) -> bool:
    target = targets[0] if len(targets) == 1 else None
    if not isinstance(target, ast.Attribute) or target.attr != attribute:
        return False
    return isinstance(target.value, ast.Name) and target.value.id == receiver
