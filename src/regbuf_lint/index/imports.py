"""How a file can spell a name when it runs, and where an import goes that it lacks."""

from __future__ import annotations

import ast
from bisect import bisect
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.scopes import is_type_checking, nested_blocks
from regbuf_lint.index.statements import DEFINITIONS
from regbuf_lint.index.tree import walk
from regbuf_lint.model.fix import Edit
from regbuf_lint.model.span import Position, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import Scope
    from regbuf_lint.source.text import SourceText


class Import(Struct, frozen=True):
    """``from module import name``.

    Attributes:
        module: where the name comes from; its first part is the package that the file has to import already.
        name: what is imported.
    """

    module: str
    name: str


def run_time_spelling(scope: Scope, name: str, origin: str, hidden: Collection[str]) -> str | None:
    """How imports spell a name when the code runs.

    Args:
        scope: where the name is wanted; imports of its file and of the functions around it count.
        name: dotted name by which others know it (``torch.nn.Buffer``).
        origin: dotted name where it is defined (``torch.nn.parameter.Buffer``).
        hidden: local names that mean something else where the name is wanted.

    Returns:
        The spelling that imports come closest to, None where no import that runs reaches it.
    """
    found: list[tuple[int, str]] = []
    for local, imported in _imported_around(scope):
        if local in hidden:
            continue
        if imported == origin:
            found.append((len(imported), local))
        elif name == imported or name.startswith(f"{imported}."):
            found.append((len(imported), local + name[len(imported) :]))
    return max(found)[1] if found else None


def _imported_around(scope: Scope | None) -> Iterator[tuple[str, str]]:
    while scope is not None:
        if not isinstance(scope.node, (ast.ClassDef, ast.Lambda)):
            yield from _imported_in(scope.node)
        scope = scope.parent


@once_per_node
def _imported_in(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> Sequence[tuple[str, str]]:
    return tuple(_imported(node.body))


def _imported(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Names that imports of a block bind when it runs, and the dotted names of what they bind."""
    for statement in body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        elif isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
            yield from ((alias.asname or alias.name, f"{module}.{alias.name}") for alias in statement.names)
        elif isinstance(statement, ast.If) and is_type_checking(statement.test):
            yield from _imported(statement.orelse)
        elif not isinstance(statement, DEFINITIONS):
            for block in nested_blocks(statement):
                yield from _imported(block)


def is_free(file: FileFacts, name: str) -> bool:
    """Whether nothing in a file reads, binds or imports a name."""
    return name not in _names_in(file.tree)


@once_per_node
def _names_in(tree: ast.Module) -> frozenset[str | None]:
    return frozenset(name for node in walk(tree) for name in _names_of(node))


def _names_of(node: ast.AST) -> tuple[str | None, ...]:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.alias):
        return (node.asname or node.name,)
    if isinstance(node, ast.arg):
        return (node.arg,)
    return (node.name,) if isinstance(node, (*DEFINITIONS, ast.ExceptHandler)) else ()


def import_edit(file: FileFacts, wanted: Import, width: int) -> Edit | None:
    """The edit that imports a name beside what the file imports of the same package.

    Args:
        file: the file.
        wanted: what is to be imported.
        width: columns of a line.

    Returns:
        None where the file imports nothing of the package unconditionally at its top.
    """
    package = wanted.module.partition(".")[0]
    present = [one for one in _head(file) if _is_of(one, package) and _stands_alone(file.source, one)]
    for statement in present:
        if isinstance(statement, ast.ImportFrom) and statement.module == wanted.module:
            edit = _extended(file.source, statement, wanted.name, width)
            if edit is not None:
                return edit
    return _own_row(file.source, present, wanted)


def _head(file: FileFacts) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports above the first class or function of a file that no condition stands before."""
    for statement in file.tree.body:
        if isinstance(statement, DEFINITIONS):
            return
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield statement


def _is_of(statement: ast.Import | ast.ImportFrom, package: str) -> bool:
    if isinstance(statement, ast.ImportFrom):
        modules = [statement.module or ""] if statement.level == 0 else []
    else:
        modules = [alias.name for alias in statement.names]
    return any(module.partition(".")[0] == package for module in modules)


def _stands_alone(source: SourceText, statement: ast.stmt) -> bool:
    """Whether nothing but a comment shares the rows of a statement."""
    behind = source.line(_end(source, statement).row)[_end(source, statement).column - 1 :].strip()
    return statement.col_offset == 0 and (not behind or behind.startswith("#"))


def _end(source: SourceText, node: ast.stmt | ast.alias) -> Position:
    return source.utf8_position(node.end_lineno or node.lineno, node.end_col_offset or 0)


def _own_row(source: SourceText, present: list[ast.Import | ast.ImportFrom], wanted: Import) -> Edit | None:
    """An import of its own, where sorted imports have it."""
    if not present:
        return None
    text = f"from {wanted.module} import {wanted.name}{source.newline}"
    froms = [one for one in present if isinstance(one, ast.ImportFrom)]
    before = [one for one in froms if (one.module or "") <= wanted.module]
    if froms and not before:
        return _inserted(Position(froms[0].lineno, 1), text)
    return _inserted(Position(_end(source, (before or present)[-1]).row + 1, 1), text)


def _inserted(position: Position, text: str) -> Edit:
    return Edit(Span(position, position), text)


def _extended(source: SourceText, statement: ast.ImportFrom, name: str, width: int) -> Edit | None:
    """An import with one more name, laid out as it is; None where that would need another layout."""
    names = [alias.name for alias in statement.names]
    if "*" in names or any(alias.asname for alias in statement.names):
        return None
    index = _index_of(name, names)
    rows = [alias.lineno for alias in statement.names]
    if statement.end_lineno == statement.lineno:
        return _in_row(source, statement, index, name, width)
    in_parentheses = "(" in source.line(statement.lineno)
    if in_parentheses and rows[0] > statement.lineno and len(set(rows)) == len(rows):
        return _in_rows(source, statement, index, name)
    return None


def _in_row(source: SourceText, statement: ast.ImportFrom, index: int, name: str, width: int) -> Edit | None:
    line = source.line(statement.lineno).rstrip("\r\n")
    if len(line) + len(name) + 2 <= width:
        return _beside(source, statement, index, name)
    if "#" in line or "(" in line:
        return None
    names = [alias.name for alias in statement.names]
    names.insert(index, name)
    indented = "".join(f"    {one},{source.newline}" for one in names)
    start, end = Position(statement.lineno, 1), _end(source, statement)
    return Edit(Span(start, end), f"from {statement.module} import ({source.newline}{indented})")


def _beside(source: SourceText, statement: ast.ImportFrom, index: int, name: str) -> Edit:
    if index == len(statement.names):
        return _inserted(_end(source, statement.names[-1]), f", {name}")
    alias = statement.names[index]
    return _inserted(source.utf8_position(alias.lineno, alias.col_offset), f"{name}, ")


def _in_rows(source: SourceText, statement: ast.ImportFrom, index: int, name: str) -> Edit:
    """One more row between parentheses that hold one name in each row."""
    alias = statement.names[min(index, len(statement.names) - 1)]
    line = source.line(alias.lineno)
    indent = source.indent(alias.lineno)
    if index < len(statement.names):
        return _inserted(Position(alias.lineno, 1), f"{indent}{name},{source.newline}")
    end = _end(source, alias)
    if line[end.column - 1 :].lstrip().startswith(","):
        return _inserted(Position(alias.lineno + 1, 1), f"{indent}{name},{source.newline}")
    return _inserted(end, f",{source.newline}{indent}{name}")


def _index_of(name: str, names: list[str]) -> int:
    """Where a name goes in the order that others have: constants before classes before the rest, or by the alphabet."""
    for key in (_by_type, str.lower, str):
        keys = [key(one) for one in names]
        if keys == sorted(keys):
            return bisect(keys, key(name))
    return len(names)


def _by_type(name: str) -> tuple[int, str]:
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, name.lower()
