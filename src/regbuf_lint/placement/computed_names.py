"""Attributes whose names are known only at run time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import is_name, receiver_name
from regbuf_lint.index.tree import last_name, of_kind

if TYPE_CHECKING:
    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.model.span import Span


def is_read_by_same_name(definition: ClassDefinition, method: str, statement: Span) -> bool:
    """Whether the method of a ``setattr(self, name, ...)`` asks for ``getattr(self, name)`` too: it exists already."""
    function = definition.methods.get(method)
    if function is None:
        return False
    file = definition.symbol.scope.file
    receiver = receiver_name(function)
    calls = [node for node in of_kind(function, ast.Call) if len(node.args) > 1]
    own = [node for node in calls if is_name(node.args[0], receiver)]
    names = {ast.dump(one.args[1]) for one in own if last_name(one.func) == "setattr" and file.span(one) == statement}
    return any(last_name(one.func) == "getattr" and ast.dump(one.args[1]) in names for one in own)
