"""Putting statements before another one: on rows of their own, or on its row where it has no row to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rewrites.transformer import StatementTransformer

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = cst.SimpleStatementLine
Small = cst.BaseSmallStatement


class SplitStatements(StatementTransformer):
    """Turns simple statements into several; ``split`` says which."""

    def split(self, statement: Small) -> Sequence[Small]:
        """What takes the place of a statement: statements to run first, and it itself at the end."""
        raise NotImplementedError

    def leave_SimpleStatementLine(self, original_node: Row, updated_node: Row) -> Row | cst.FlattenSentinel[Row]:
        parts = [self.split(one) for one in original_node.body]
        if len(parts) > 1:
            return updated_node.with_changes(body=on_one_row(parts))
        *before, last = parts[0]
        if not before:
            return updated_node.with_changes(body=[last])
        return cst.FlattenSentinel([*(Row([one]) for one in before), updated_node.with_changes(body=[last])])

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.SimpleStatementSuite:
        return updated_node.with_changes(body=on_one_row([self.split(one) for one in original_node.body]))


def on_one_row(parts: Sequence[Sequence[Small]]) -> list[Small]:
    """The statements behind one another, with semicolons."""
    flat = [one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for part in parts for one in part]
    return [*flat]


def assign(name: str, value: cst.BaseExpression) -> cst.Assign:
    """The statement ``name = value``."""
    return cst.Assign([cst.AssignTarget(cst.Name(name))], value)
