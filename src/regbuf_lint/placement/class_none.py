"""``x = None`` in the body of a class, which only says that objects have an ``x``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.definition import is_none, receiver_name
from regbuf_lint.index.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.model.span import Span


class ClassNone(Struct, frozen=True):
    """One such statement.

    Attributes:
        statement: its place.
        annotation: its annotation as it is written; empty where it has none.
    """

    statement: Span
    annotation: str


def class_none(definition: ClassDefinition, attribute: str) -> ClassNone | None:
    """The statement that gives the class the attribute, if it is that and nothing else gives it one."""
    node, file = definition.symbol.scope.node, definition.symbol.scope.file
    if attribute in definition.methods or attribute in definition.properties or attribute in definition.setters:
        return None
    binding = [one for one in getattr(node, "body", ()) if _binds(one, attribute)]
    if len(binding) != 1 or not is_none(getattr(binding[0], "value", None)):
        return None
    statement = binding[0]
    if isinstance(statement, ast.Assign):
        plain = len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
        return ClassNone(file.span(statement), "") if plain else None
    annotation = statement.annotation if isinstance(statement, ast.AnnAssign) else None
    if annotation is None or annotation.lineno != annotation.end_lineno:
        return None
    return ClassNone(file.span(statement), file.source.slice(file.span(annotation)))


def _binds(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return statement.name == name
    stored = (node for node in walk(statement) if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)))
    return any(isinstance(node, ast.Name) and node.id == name for node in stored)


def read_before(definition: ClassDefinition, attribute: str, method: str, statement: Span) -> bool:
    """Whether a method reads the attribute before the end of a statement that assigns it."""
    function = definition.methods.get(method)
    receiver = receiver_name(function) if function is not None else None
    if function is None or receiver is None:
        return True
    end = (statement.end.row, statement.end.column)
    return any(
        (node.lineno, node.col_offset) < end and _names(node, attribute, {receiver}) for node in walk(function)
        if isinstance(node, (ast.Attribute, ast.Call))
    )  # fmt: skip


def read_on_class(tree: ast.Module, attribute: str, classes: Iterable[str]) -> bool:
    """Whether a file reads the attribute from one of the classes: ``Name.x``, ``cls.x``, ``type(self).x``."""
    names = {*classes, "cls"}
    return any(_names(node, attribute, names) for node in walk(tree))


def _names(node: ast.AST, attribute: str, owners: set[str]) -> bool:
    """Whether a node reads the attribute of one of the owners, or asks whether it is there."""
    if isinstance(node, ast.Attribute):
        is_read = node.attr == attribute and not isinstance(node.ctx, ast.Store)
        return is_read and (getattr(node.value, "id", "") in owners or _is_type(node.value))
    if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in {"getattr", "hasattr"}:
        return False
    known = [one.value for one in node.args[1:2] if isinstance(one, ast.Constant)]
    is_owner = bool(node.args) and (getattr(node.args[0], "id", "") in owners or _is_type(node.args[0]))
    return is_owner and known in ([], [attribute])


def _is_type(node: ast.expr) -> bool:
    called = isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"type", "super"}
    return called or (isinstance(node, ast.Attribute) and node.attr == "__class__")
