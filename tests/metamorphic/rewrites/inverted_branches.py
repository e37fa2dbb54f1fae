"""``if c: A`` with ``else: B`` becomes ``if not c: B`` with ``else: A``; so do conditional expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from rewrites.negation import opposite
from rewrites.rewrite import Rewrite, of_each_file
from rewrites.transformer import Transformer

if TYPE_CHECKING:
    from programs import File, Program


def _rewritten(file: File, program: Program) -> cst.Module:
    has_branches = any(isinstance(node, ast.IfExp | ast.If) and node.orelse for node in ast.walk(file.tree))
    return file.module.visit(_Inverted()) if has_branches else file.module


class _Inverted(Transformer):
    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        orelse = updated_node.orelse
        if orelse is None:
            return updated_node
        test = opposite(updated_node.test)
        space = cst.SimpleWhitespace(" ")
        if isinstance(orelse, cst.If):
            return updated_node.with_changes(
                test=test,
                whitespace_before_test=space,
                body=cst.IndentedBlock([orelse]),
                orelse=cst.Else(updated_node.body),
            )
        return updated_node.with_changes(
            test=test,
            whitespace_before_test=space,
            body=orelse.body,
            orelse=orelse.with_changes(body=updated_node.body),
        )

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.IfExp:
        return updated_node.with_changes(
            test=opposite(updated_node.test), body=_in_parentheses(updated_node.orelse), orelse=updated_node.body
        )


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    if node.lpar or not isinstance(node, cst.IfExp | cst.Lambda):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


INVERTED_BRANCHES = Rewrite(
    "inverted_branches",
    "`if c: A` `else: B` -> `if not c: B` `else: A`; `a if c else b` likewise",
    of_each_file(_rewritten),
)
