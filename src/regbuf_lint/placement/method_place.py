"""Where a method stands, and a statement in it, as far as another method can be put behind it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.definition import bound_in
from regbuf_lint.index.scopes import nested_blocks
from regbuf_lint.model.span import Position

if TYPE_CHECKING:
    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText


class MethodPlace(Struct, frozen=True):
    """A method around a statement.

    Attributes:
        indent: white space before its ``def``.
        receiver: name of its first parameter.
        end: end of its last row, comments that belong to its body included.
        is_followed: whether the next row holds something, so that an empty line has to come between.
        bound: names that it binds.
        runs_once: whether the statement stands in no loop and no function within the method.
    """

    indent: str
    receiver: str
    end: Position
    is_followed: bool
    bound: frozenset[str]
    runs_once: bool


def method_place(definition: ClassDefinition, method: str, statement: Span) -> MethodPlace | None:
    """The method of the class around a statement; None where the class has another one under that name."""
    function = definition.methods.get(method)
    if function is None or not function.lineno < statement.start.row <= (function.end_lineno or 0):
        return None
    file = definition.symbol.scope.file
    indent = file.source.indent(function.lineno)
    receiver = function.args.args[0].arg if function.args.args else ""
    if not receiver or "staticmethod" in {getattr(one, "id", "") for one in function.decorator_list}:
        return None
    row = last_row(file.source, function.end_lineno or function.lineno, indent)
    return MethodPlace(
        indent,
        receiver,
        Position(row, len(file.source.line(row).rstrip("\r\n")) + 1),
        row < file.source.rows and bool(file.source.line(row + 1).strip()),
        bound_in(function),
        _runs_once(function.body, statement.start.row),
    )


def last_row(source: SourceText, row: int, indent: str) -> int:
    """The last row of a method that is indented by ``indent``, or that of the last comment indented like its body."""
    last = row
    for below in range(row + 1, source.rows + 1):
        line = source.line(below)
        if not line.strip():
            continue
        if not line.lstrip().startswith("#") or len(source.indent(below)) <= len(indent):
            break
        last = below
    return last


def _runs_once(body: list[ast.stmt], row: int) -> bool:
    for statement in body:
        if statement.lineno <= row <= (statement.end_lineno or statement.lineno):
            blocks = list(nested_blocks(statement))
            if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)) or _is_scope(statement):
                return False
            return all(_runs_once(block, row) for block in blocks)
    return True


def _is_scope(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
