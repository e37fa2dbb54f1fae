"""``return e`` becomes ``result = e`` and ``return result``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rewrites.rewrite import Rewrite, of_each_file
from rewrites.statements import Row, Small, SplitStatements, assign

if TYPE_CHECKING:
    from programs import File, Program


def _rewritten(file: File, program: Program) -> cst.Module:
    return file.module.visit(_Results(program.fresh("result")))


class _Results(SplitStatements):
    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def split(self, statement: Small) -> list[Small]:
        if not isinstance(statement, cst.Return) or statement.value is None or _is_none(statement.value):
            return [statement]
        return [assign(self._name, statement.value), cst.Return(cst.Name(self._name))]

    def leave_SimpleStatementLine(self, original_node: Row, updated_node: Row) -> Row | cst.FlattenSentinel[Row]:
        """Comments stay beside the expression that they speak of."""
        rows = super().leave_SimpleStatementLine(original_node, updated_node)
        if isinstance(rows, Row):
            return rows
        first, last = rows
        assert isinstance(first, Row)
        comments = {
            "leading_lines": original_node.leading_lines,
            "trailing_whitespace": original_node.trailing_whitespace,
        }
        return cst.FlattenSentinel([first.with_changes(**comments), Row(last.body)])


def _is_none(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"


RESULTS_THROUGH_LOCALS = Rewrite(
    "results_through_locals", "`return e` -> `result = e` and `return result`", of_each_file(_rewritten)
)
