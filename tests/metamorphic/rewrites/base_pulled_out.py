"""A base class is pulled out: one class becomes two, with the constructor or with the other methods in the base."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import libcst as cst

from rewrites.bindings import bound_names
from rewrites.rewrite import Rewrite, Rewritten
from rewrites.transformer import StatementTransformer, Transformer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from programs import Program

_OF_ANOTHER_KIND = re.compile(r"Enum|NamedTuple|TypedDict|Protocol|Generic")
_IMPLICIT = frozenset({"__setattr__", "__getattr__", "__getattribute__", "__delattr__"})
_MANGLED = re.compile(r"\b__\w*[^\W_]_?\b")

Moved = Callable[[Sequence[cst.BaseStatement]], set[str]]
"""The names of the methods that go to the base."""


def _constructor(body: Sequence[cst.BaseStatement]) -> set[str]:
    """With the constructor goes what it needs: methods that it calls, properties that it sets."""
    methods: dict[str, set[str]] = {}
    for one in body:
        if isinstance(one, cst.FunctionDef):
            methods.setdefault(one.name.value, set()).update(_attributes(one))
    wanted = {"__init__", *_IMPLICIT}
    moved: set[str] = set()
    while new := wanted & methods.keys() - moved:
        moved |= new
        wanted = {name for one in new for name in methods[one]}
    return moved if "__init__" in moved else set()


def _attributes(function: cst.FunctionDef) -> set[str]:
    tree = ast.parse(cst.Module([]).code_for_node(function.with_changes(leading_lines=[])))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def _methods(body: Sequence[cst.BaseStatement]) -> set[str]:
    names = {one.name.value for one in body if isinstance(one, cst.FunctionDef)}
    return names - {"__init__", "__new__"} if "__init__" in names else set()


def _rewritten(moved: Moved, program: Program, *, with_declarations: bool) -> Rewritten:
    pull = _PullOut(program, moved, with_declarations=with_declarations)
    texts = {path: file.module.visit(pull).code for path, file in program.files.items()}
    return Rewritten(texts, pull.made)


class _PullOut(StatementTransformer):
    """Makes two classes of each that has a constructor and other methods.

    Attributes:
        made: for each new base, the class that it was part of.
    """

    def __init__(self, program: Program, moved: Moved, *, with_declarations: bool) -> None:
        super().__init__()
        self._program = program
        self._moved = moved
        self._with_declarations = with_declarations
        self.made: dict[str, str] = {}

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef | cst.FlattenSentinel[cst.ClassDef]:
        if original_node.name.value in self._program.configured or not _is_plain(original_node):
            return updated_node
        body = [
            one
            for one in updated_node.body.body
            if isinstance(one, cst.SimpleStatementLine | cst.BaseCompoundStatement)
        ]
        docstring = body[: int(_is_docstring(body[0]))]
        methods = self._moved(body)
        moved = [one for one in body[len(docstring) :] if self._is_moved(one, methods)]
        kept = [one for one in body[len(docstring) :] if not self._is_moved(one, methods)]
        if not _may_part(moved, kept):
            return updated_node
        return cst.FlattenSentinel(self._parted(updated_node, moved, [*docstring, *kept]))

    def _is_moved(self, statement: cst.BaseStatement, methods: set[str]) -> bool:
        """Methods by their names; what the class declares, values and annotations of attributes, all or not at all."""
        if isinstance(statement, cst.FunctionDef):
            return statement.name.value in methods
        return self._with_declarations and isinstance(statement, cst.SimpleStatementLine)

    def _parted(
        self, node: cst.ClassDef, moved: Sequence[cst.BaseStatement], kept: Sequence[cst.BaseStatement]
    ) -> tuple[cst.ClassDef, cst.ClassDef]:
        name = node.name.value
        new = self._program.fresh(f"{name}Base")
        self.made[new] = name
        base = node.with_changes(
            name=cst.Name(new),
            body=cst.IndentedBlock([_with_super_of(new, name, one) for one in moved]),
            leading_lines=[cst.EmptyLine(indent=False)] * 2,
        )
        rest = node.with_changes(bases=[cst.Arg(cst.Name(new))], lpar=cst.LeftParen(), rpar=cst.RightParen())
        return base, rest.with_changes(body=node.body.with_changes(body=kept))


def _with_super_of(base: str, name: str, statement: cst.BaseStatement) -> cst.BaseStatement:
    if f"super({name}" not in cst.Module([]).code_for_node(statement):
        return statement
    changed = statement.visit(_Super(name, base))
    assert isinstance(changed, cst.BaseStatement)
    return changed


class _Super(Transformer):
    """``super(C, self)`` in what moves to the base speaks of the base."""

    def __init__(self, name: str, base: str) -> None:
        super().__init__()
        self._name = name
        self._base = base

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        match updated_node:
            case cst.Call(func=cst.Name(value="super"), args=[cst.Arg(value=cst.Name(value=name)) as first, *others]):
                if name == self._name:
                    return updated_node.with_changes(args=[first.with_changes(value=cst.Name(self._base)), *others])
        return updated_node


def _is_plain(node: cst.ClassDef) -> bool:
    """Whether a base can be pulled out of the class without its decorators, metaclass or names noticing."""
    bases = [cst.Module([]).code_for_node(base) for base in node.bases]
    return (
        isinstance(node.body, cst.IndentedBlock)
        and not node.decorators
        and not node.keywords
        and not any(_OF_ANOTHER_KIND.search(base) or "(" in base for base in bases)
        and not _MANGLED.search(cst.Module([]).code_for_node(node))
    )


def _is_docstring(node: cst.BaseStatement) -> bool:
    match node:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())]):
            return True
    return False


def _may_part(moved: Sequence[cst.BaseStatement], kept: Sequence[cst.BaseStatement]) -> bool:
    """Whether both halves have methods, and neither speaks in its class body of what the other one has there."""
    if not all(any(isinstance(one, cst.FunctionDef) for one in half) for half in (moved, kept)):
        return False
    first, second = (ast.parse("".join(map(cst.Module([]).code_for_node, half))).body for half in (moved, kept))
    bound, bound_by_other = _bound(first), _bound(second)
    return not (bound & bound_by_other or _spoken_of(first) & bound_by_other or _spoken_of(second) & bound)


def _bound(body: Iterable[ast.stmt]) -> set[str]:
    """The names that statements of a class body bind there."""
    return {name for one in body for node in _outside_of_methods(one) for name in bound_names(node)}


def _spoken_of(body: Iterable[ast.stmt]) -> set[str]:
    """The names that statements of a class body use there, and not in methods."""
    nodes = (node for one in body for node in _outside_of_methods(one))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _outside_of_methods(statement: ast.stmt) -> list[ast.AST]:
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*ast.walk(statement)]
    values = [*statement.decorator_list, statement.args, *([statement.returns] if statement.returns else [])]
    return [statement, *(node for one in values for node in ast.walk(one) if not isinstance(node, ast.arg))]


BASE_WITH_CONSTRUCTOR = Rewrite(
    "base_with_constructor",
    "`class C(nn.Module)` -> `class CBase(nn.Module)` with `__init__` and what it calls; the rest in `class C(CBase)`",
    partial(_rewritten, _constructor, with_declarations=True),
)
BASE_WITH_METHODS = Rewrite(
    "base_with_methods",
    "`class C(nn.Module)` -> `class CBase(nn.Module)` with the methods, and `class C(CBase)` with `__init__`",
    partial(_rewritten, _methods, with_declarations=False),
)
