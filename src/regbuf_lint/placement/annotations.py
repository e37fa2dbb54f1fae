"""Where a class-level annotation goes, and whether one can be evaluated there."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.index.scopes import is_type_checking, nested_blocks
from regbuf_lint.index.statements import first_row
from regbuf_lint.index.tree import walk
from regbuf_lint.model.span import Position
from regbuf_lint.placement.annotation_habits import is_builtin_generic

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.source.text import SourceText

FIELD_DECORATORS = frozenset({"dataclass", "define", "mutable", "frozen", "attrs", "attributes", "s"})
"""Decorators (of dataclasses and attrs) that turn each annotation into an argument of the constructor."""


class AnnotationPlace(Struct, frozen=True):
    """Where a class-level annotation goes.

    Attributes:
        position: start of the row that it takes.
        indent: white space of the class's body.
        blank_line_behind: whether the annotation wants an empty line behind it.
    """

    position: Position
    indent: str
    blank_line_behind: bool


def annotation_place(symbol: ClassSymbol) -> AnnotationPlace | None:
    """Behind the annotations and assignments with which the body starts, else behind the docstring.

    None where the body stands on the row of its ``class``.
    """
    node, source = symbol.scope.node, symbol.scope.file.source
    if not isinstance(node, ast.ClassDef):
        return None
    documented = ast.get_docstring(node, clean=False) is not None
    body = node.body[1:] if documented else node.body
    if not body:
        return None
    row = first_row(body[0])
    indent = source.line(row)[: body[0].col_offset]
    if indent.strip() or row == node.lineno:
        return None
    last = _last_of_head(body)
    if last is not None:
        return AnnotationPlace(Position((last.end_lineno or last.lineno) + 1, 1), indent, blank_line_behind=False)
    is_definition = isinstance(body[0], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    return AnnotationPlace(Position(_above_comments(source, row), 1), indent, is_definition)


def _last_of_head(body: list[ast.stmt]) -> ast.stmt | None:
    last = None
    for statement in body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            break
        last = statement
    return last


def _above_comments(source: SourceText, row: int) -> int:
    while source.line(row - 1).lstrip().startswith("#"):
        row -= 1
    return row


def is_expression(text: str) -> bool:
    """Whether a text is a Python expression."""
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def is_evaluated_in_body(
    symbol: ClassSymbol, text: str, imported: Collection[str], *, unions: bool, generics: bool
) -> bool:
    """Whether an annotation can stand in the body of the class without quotation marks.

    In a method, the annotation of ``self.x`` is never evaluated; in the body of a class it is.

    Args:
        symbol: the class.
        text: the annotation.
        imported: names that the file is about to import.
        unions: whether ``X | None`` can be evaluated.
        generics: whether ``list[X]`` can be.
    """
    if postpones_evaluation(symbol.scope.file.tree):
        return True
    nodes = list(walk(ast.parse(text, mode="eval")))
    if not unions and any(isinstance(node, ast.BinOp) for node in nodes):
        return False
    if not generics and any(is_builtin_generic(node) for node in nodes):
        return False
    names = {node.id for node in nodes if isinstance(node, ast.Name)}.difference(imported)
    return all(_is_bound(symbol, name) for name in names)


def annotated_in_methods(definition: ClassDefinition) -> frozenset[str]:
    """Attributes that methods of a class annotate (``self.x: Tensor``), with or without a value."""
    nodes = (node for method in definition.methods.values() for node in walk(method))
    return frozenset(
        node.target.attr for node in nodes if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute)
    )


def postpones_evaluation(tree: ast.Module) -> bool:
    """Whether annotations of a file are never evaluated by themselves."""
    futures = (one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module == "__future__")
    return any(alias.name == "annotations" for one in futures for alias in one.names)


def _is_bound(symbol: ClassSymbol, name: str) -> bool:
    """Whether a name is bound when the body of the class runs."""
    row = getattr(symbol.scope.node, "lineno", 0)
    scope: Scope | None = symbol.scope.parent
    while scope is not None:
        if name in scope.bindings and not isinstance(scope.node, (ast.ClassDef, ast.Lambda)):
            return any(bound < row for bound in _rows_that_bind(scope.node.body, name))
        scope = scope.parent
    return hasattr(builtins, name)


def _rows_that_bind(body: list[ast.stmt], name: str) -> Iterator[int]:
    """Rows of the statements of a scope that bind a name at run time."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if statement.name == name:
                yield statement.end_lineno or statement.lineno
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            if any((alias.asname or alias.name.partition(".")[0]) == name for alias in statement.names):
                yield statement.lineno
        elif isinstance(statement, ast.If) and is_type_checking(statement.test):
            yield from _rows_that_bind(statement.orelse, name)
        else:
            blocks = list(nested_blocks(statement))
            for block in blocks:
                yield from _rows_that_bind(block, name)
            if not blocks and any(_stores(node, name) for node in walk(statement)):
                yield statement.lineno


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
