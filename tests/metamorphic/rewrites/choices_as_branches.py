"""A choice becomes branches: ``self.a = b if c else d`` is an ``if``, each of whose branches assigns."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from rewrites.rewrite import Rewrite, of_each_file
from rewrites.transformer import StatementTransformer

if TYPE_CHECKING:
    from programs import File, Program


def _rewritten(file: File, program: Program) -> cst.Module:
    has_choices = any(
        isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp) for node in ast.walk(file.tree)
    )
    return file.module.visit(_Branched()) if has_choices else file.module


class _Branched(StatementTransformer):
    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement:
        only = updated_node.body[0] if len(updated_node.body) == 1 else None
        has_comment = updated_node.trailing_whitespace.comment is not None
        if has_comment or not isinstance(only, cst.Assign) or not _chooses(only):
            return updated_node
        return _branched(only).with_changes(leading_lines=updated_node.leading_lines)


def _branched(statement: cst.Assign) -> cst.If:
    choice = cst.ensure_type(statement.value, cst.IfExp)
    first, second = (statement.with_changes(value=one) for one in (choice.body, choice.orelse))
    return cst.If(choice.test, _block(first), cst.Else(_block(second)))


def _chooses(statement: cst.Assign) -> bool:
    """Whether a choice is assigned that stands on one row, where parentheses hold nothing together."""
    return isinstance(statement.value, cst.IfExp) and not statement.value.lpar


def _block(statement: cst.Assign) -> cst.IndentedBlock:
    return cst.IndentedBlock([cst.SimpleStatementLine([statement])])


CHOICES_AS_BRANCHES = Rewrite(
    "choices_as_branches", "`self.a = b if c else d` -> `if c: self.a = b` `else: self.a = d`", of_each_file(_rewritten)
)
