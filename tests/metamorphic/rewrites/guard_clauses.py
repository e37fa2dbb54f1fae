"""``if`` turned into early return: the rest of a function no longer stands inside of a branch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from rewrites.negation import opposite
from rewrites.rewrite import Rewrite, of_each_file
from rewrites.transformer import StatementTransformer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from programs import File, Program

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
Leave = cst.Return | cst.Continue


def _rewritten(file: File, program: Program) -> cst.Module:
    has_branches = any(isinstance(node, ast.If) for node in ast.walk(file.tree))
    return file.module.visit(_Guards()) if has_branches else file.module


class _Guards(StatementTransformer):
    """An ``if`` at the end of a function or loop becomes a guard; no ``else`` behind a branch that leaves."""

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        return updated_node.with_changes(body=_guarded(updated_node.body, cst.Return()))

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        return updated_node.with_changes(body=_guarded(updated_node.body, cst.Continue()))

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> cst.While:
        return updated_node.with_changes(body=_guarded(updated_node.body, cst.Continue()))

    def leave_IndentedBlock(
        self,
        original_node: cst.IndentedBlock,
        updated_node: cst.IndentedBlock,
    ) -> cst.IndentedBlock:
        parts = [_without_else(one) for one in updated_node.body]
        return updated_node.with_changes(body=[one for part in parts for one in part])


def _without_else(statement: cst.BaseStatement) -> Sequence[cst.BaseStatement]:
    """What follows a branch that leaves needs no ``else``."""
    if isinstance(statement, cst.If) and statement.orelse is not None and _leaves(statement.body):
        return [statement.with_changes(orelse=None), *_statements(statement.orelse)]
    return [statement]


def _guarded(body: cst.BaseSuite, leave: Leave) -> cst.BaseSuite:
    if not isinstance(body, cst.IndentedBlock):
        return body
    return body.with_changes(body=[*body.body[:-1], *_with_guard(body.body[-1], leave)])


def _with_guard(last: cst.BaseStatement, leave: Leave) -> Sequence[cst.BaseStatement]:
    """The last statement of a function or of a loop's body."""
    if not isinstance(last, cst.If) or _leaves(last.body):
        return [last]
    if last.orelse is None:
        guard = last.with_changes(test=opposite(last.test), whitespace_before_test=_SPACE, body=_block(leave))
        rest = _statements(last.body)
    else:
        guard = last.with_changes(body=_leaving(last.body, leave), orelse=None)
        rest = _statements(last.orelse)
    return [guard, *rest[:-1], *_with_guard(rest[-1], leave)]


_SPACE = cst.SimpleWhitespace(" ")


def _block(leave: Leave) -> cst.IndentedBlock:
    return cst.IndentedBlock([cst.SimpleStatementLine([leave])])


def _leaving(body: cst.BaseSuite, leave: Leave) -> cst.BaseSuite:
    if isinstance(body, cst.SimpleStatementSuite):
        first = [one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for one in body.body]
        return body.with_changes(body=[*first, leave])
    return body.with_changes(body=[*body.body, cst.SimpleStatementLine([leave])])


def _leaves(body: cst.BaseSuite) -> bool:
    last = body.body[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(small, cst.Return | cst.Raise | cst.Continue | cst.Break)


def _statements(body: cst.BaseSuite | cst.Else | cst.If) -> list[cst.BaseStatement]:
    """The statements of a branch as they stand behind it, with the comments at its head."""
    if isinstance(body, cst.If):
        return [body]
    comments: list[cst.EmptyLine] = []
    if isinstance(body, cst.Else):
        comments, body = [*body.leading_lines], body.body
    if isinstance(body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(body.body, comments, body.trailing_whitespace)]
    assert isinstance(body, cst.IndentedBlock)
    if body.header.comment is not None:
        comments.append(cst.EmptyLine(comment=body.header.comment))
    first, *others = body.body
    assert isinstance(first, Statement)
    return [first.with_changes(leading_lines=[*comments, *first.leading_lines]), *others]


GUARD_CLAUSES = Rewrite(
    "guard_clauses",
    "`if c: A` at the end -> `if not c: return` and `A`; no `else` behind a branch that returns",
    of_each_file(_rewritten),
)
