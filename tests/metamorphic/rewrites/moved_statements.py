"""The last statements of ``__init__`` and of ``forward`` are moved into a method that is called in their place."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rewrites.bindings import bound_names
from rewrites.methods import InMethods, all_params, call_of, first_argument
from rewrites.rewrite import Rewrite, of_each_file
from rewrites.transformer import StatementTransformer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from programs import File, Program

_FOLLOWS_ITS_FRAME = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)


def _rewritten(file: File, program: Program) -> cst.Module:
    return file.module.visit(_Moved(program))


class _Moved(InMethods, StatementTransformer):
    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.FlattenSentinel[cst.FunctionDef]:
        super().leave_FunctionDef(original_node, updated_node)
        method, around = updated_node, self.class_around
        if around is None or method.name.value not in {"__init__", "forward"}:
            return method
        name = self._program.fresh(f"_rest_of_{method.name.value.strip('_')}_of_{around.name.value}")
        parted = _parted(method, name)
        return method if parted is None else cst.FlattenSentinel(parted)


def _parted(method: cst.FunctionDef, name: str) -> tuple[cst.FunctionDef, cst.FunctionDef] | None:
    """The method with a call in place of its last statements, and the method that has these."""
    self_name = first_argument(method)
    if self_name is None or method.asynchronous or not isinstance(method.body, cst.IndentedBlock):
        return None
    statements = method.body.body
    split = _behind_super(statements) if method.name.value == "__init__" else (len(statements) + 1) // 2
    head, tail = Part.of(statements[:split]), Part.of(statements[split:])
    if not tail.statements:
        return None
    needed = _needed(method.params, head, tail)
    if needed is None or not tail.may_move or head.closes_over(tail.stored):
        return None
    params, args = _handed_on(method.params, needed, head.stored, self_name)
    call: cst.BaseExpression = call_of(self_name, name, args)
    statement = cst.Return(call) if method.name.value == "forward" else cst.Expr(call)
    row = cst.SimpleStatementLine([statement])
    helper = method.with_changes(
        name=cst.Name(name),
        params=params,
        decorators=[],
        leading_lines=[cst.EmptyLine(indent=False)],
        body=method.body.with_changes(body=tail.statements),
    )
    return method.with_changes(body=method.body.with_changes(body=[*head.statements, row], footer=[])), helper


@dataclass(frozen=True)
class Part:
    """Statements of a method that follow one another."""

    statements: Sequence[cst.BaseStatement]
    tree: ast.Module

    @classmethod
    def of(cls, statements: Sequence[cst.CSTNode]) -> Part:
        """The part with its tree."""
        rows = [one for one in statements if isinstance(one, cst.SimpleStatementLine | cst.BaseCompoundStatement)]
        return cls(rows, ast.parse(cst.Module(rows).code))

    @property
    def loaded(self) -> set[str]:
        """The variables that it reads, nested functions included."""
        nodes = list(ast.walk(self.tree))
        added = {one.target.id for one in nodes if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)}
        return added | {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}

    @property
    def stored(self) -> set[str]:
        """The variables that it binds, nested functions included."""
        nodes = list(ast.walk(self.tree))
        imports = [one for one in nodes if isinstance(one, ast.Import | ast.ImportFrom)]
        imported = {alias.asname or alias.name.split(".")[0] for one in imports for alias in one.names}
        return imported | {name for one in nodes for name in bound_names(one)}

    @property
    def stored_in_any_case(self) -> set[str]:
        """The variables that it binds whichever branches it takes."""
        simple = [one for one in self.tree.body if isinstance(one, ast.Assign | ast.AnnAssign | ast.AugAssign)]
        return {name for one in simple for node in ast.walk(one) for name in bound_names(node)}

    @property
    def may_move(self) -> bool:
        """Whether nothing in it speaks of the function that it stands in."""
        return not any(isinstance(node, _FOLLOWS_ITS_FRAME) for node in ast.walk(self.tree))

    def closes_over(self, names: set[str]) -> bool:
        """Whether a function that it makes may see what others bind later."""
        makes = any(isinstance(node, ast.Lambda | ast.FunctionDef | ast.GeneratorExp) for node in ast.walk(self.tree))
        return makes and bool(names & self.loaded)


def _behind_super(statements: Sequence[cst.CSTNode]) -> int:
    """The number of statements up to the last one that initialises a base, else that of docstrings."""
    code = [cst.Module([]).code_for_node(one) for one in statements]
    inits = [place for place, text in enumerate(code) if "super" in text or ".__init__(" in text]
    return inits[-1] + 1 if inits else int(code[0].lstrip().startswith(('"', "'", 'r"')))


def _needed(params: cst.Parameters, head: Part, tail: Part) -> set[str] | None:
    """The variables that are to be handed on; None where one of them may not be there."""
    given = {param.name.value for param in all_params(params)}
    needed = tail.loaded & (given | head.stored)
    return needed if needed <= given | head.stored_in_any_case else None


def _handed_on(
    params: cst.Parameters, needed: set[str], changed: set[str], self_name: str
) -> tuple[cst.Parameters, list[cst.Arg]]:
    """The parameters of the new method and what it is given for them."""
    stars = [one for one in (params.star_arg, params.star_kwarg) if isinstance(one, cst.Param)]
    by_name = {param.name.value: param for param in all_params(params) if param not in stars}
    wanted = needed - {self_name} - {one.name.value for one in stars}
    names = [*(name for name in by_name if name in wanted), *sorted(wanted - by_name.keys())]
    own = [_param(name, None if name in changed or name not in by_name else by_name[name].annotation) for name in names]
    args = [cst.Arg(cst.Name(name)) for name in names]
    kept = [one for one in stars if one.name.value in needed]
    args += [cst.Arg(one.name, star="*" if one is params.star_arg else "**") for one in kept]
    star_arg = params.star_arg if params.star_arg in kept else cst.MaybeSentinel.DEFAULT
    star_kwarg = params.star_kwarg if params.star_kwarg in kept else None
    first = _param(self_name, None)
    return cst.Parameters([first, *own], star_arg=star_arg, star_kwarg=star_kwarg), args


def _param(name: str, annotation: cst.Annotation | None) -> cst.Param:
    return cst.Param(cst.Name(name), annotation)


MOVED_STATEMENTS = Rewrite(
    "moved_statements",
    "what follows `super().__init__()`, and the second half of `forward` -> a method called in its place",
    of_each_file(_rewritten),
)
