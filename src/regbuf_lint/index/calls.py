"""Where a file calls what."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from functools import reduce
from typing import TYPE_CHECKING

from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.scopes import Scope, is_type_checking
from regbuf_lint.index.statements import first_row, last_row
from regbuf_lint.index.tree import children, last_name, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.index.scopes import ScopeNode

_PLACED = (ast.stmt, ast.expr)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_ASKING = frozenset({"isinstance", "issubclass", "super"})


def calls_of(file: FileFacts, name: str) -> Iterator[tuple[Scope, ast.Call]]:
    """The calls in a file of what has a name, alone or behind a dot, with the innermost scope around each."""
    rows = _rows_with(file, rf"{re.escape(name)}\(")
    for statement in file.statements.around(rows):
        outermost = file.scope.child(statement) if isinstance(statement, _SCOPES) else file.scope
        for around, call in _calls_by_name(statement).get(name, ()):
            yield reduce(Scope.child, around, outermost), call


@once_per_node
def _calls_by_name(statement: ast.stmt) -> Mapping[str, list[tuple[tuple[ScopeNode, ...], ast.Call]]]:
    """The calls in a statement by the last names of what is called, each with what opens scopes around it within."""
    found: dict[str, list[tuple[tuple[ScopeNode, ...], ast.Call]]] = {}
    pending: list[tuple[ast.AST, tuple[ScopeNode, ...]]] = [(statement, ())]
    while pending:
        node, around = pending.pop()
        if isinstance(node, ast.If) and is_type_checking(node.test):
            continue
        if isinstance(node, ast.Call):
            found.setdefault(last_name(node.func), []).append((around, node))
        inside = reversed(children(node))
        pending += ((one, (*around, one) if isinstance(one, _SCOPES) else around) for one in inside)
    return found


@once_per_node
def named_in(tree: ast.Module) -> frozenset[str | None]:
    """The names behind dots in a file, and those that it imports and defines: what other packages offer by theirs."""
    return frozenset(getattr(one, "attr" if isinstance(one, ast.Attribute) else "name", None) for one in walk(tree))


def is_used_as_value(file: FileFacts, name: str) -> bool:
    """Whether a file does more with a class of that name than to derive from it and to ask whether an object is one."""
    rows = _rows_with(file, re.escape(name))
    pending: list[ast.AST] = [*file.statements.around(rows)]
    while pending:
        node = pending.pop()
        if name in (getattr(node, "attr", None), getattr(node, "id", None)):
            return True
        pending.extend(one for one in _with_values(node) if not isinstance(one, _PLACED) or _holds(one, rows))
    return False


def _with_values(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node, without annotations, bases, and what is asked about or named to reach a method of a base."""
    if isinstance(node, ast.If) and is_type_checking(node.test):
        return iter(node.orelse)
    if isinstance(node, ast.ClassDef):
        return iter([*node.decorator_list, *node.body])
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return iter([*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults), *node.body])
    if isinstance(node, ast.AnnAssign):
        return iter([node.target, *([] if node.value is None else [node.value])])
    if isinstance(node, ast.Attribute) and node.attr == "__init__":
        return iter(())
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _ASKING:
        return iter(node.args[:1] if node.func.id != "super" else ())  # type: ignore[attr-defined]
    return iter(children(node))


def _rows_with(file: FileFacts, pattern: str) -> list[int]:
    """Rows in which what a pattern describes begins, longer names that end like it among them.

    A pattern that starts with a literal is found ten times faster than one that starts at a word's edge.
    """
    found = re.finditer(pattern, file.source.text)
    return list(dict.fromkeys(file.source.position(match.start()).row for match in found))  # in order


def _holds(node: ast.stmt | ast.expr, rows: list[int]) -> bool:
    return bisect_left(rows, first_row(node)) < bisect_right(rows, last_row(node))
