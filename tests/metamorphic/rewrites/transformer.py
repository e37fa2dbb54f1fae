"""libcst's transformer, in less time: what only lays out a text is handed on as it is."""

from __future__ import annotations

from typing import Any

import libcst as cst

_LAYOUT = frozenset(
    {
        cst.AssignEqual,
        cst.Colon,
        cst.Comma,
        cst.Dot,
        cst.LeftParen,
        cst.LeftSquareBracket,
        cst.Newline,
        cst.RightParen,
        cst.RightSquareBracket,
        cst.Semicolon,
        cst.SimpleWhitespace,
    }
)
"""More than half of all nodes."""


class Transformer(cst.CSTTransformer):
    """A transformer that never looks at spaces, commas and parentheses."""

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Whether the children are visited."""
        return type(node) not in _LAYOUT and super().on_visit(node)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:  # libcst's own signature is as wide
        """What takes the place of a node."""
        return updated_node if type(original_node) in _LAYOUT else super().on_leave(original_node, updated_node)

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        """No rewrite asks for it, and it would be looked for in every field of every node."""

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        """No rewrite asks for it either."""


class StatementTransformer(Transformer):
    """A transformer that looks at compound statements alone, and at none of their expressions."""

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Whether the children are visited."""
        return isinstance(node, _HOLDS_STATEMENTS) and super().on_visit(node)


_HOLDS_STATEMENTS = (cst.Module, cst.BaseCompoundStatement, cst.BaseSuite, cst.Else, cst.ExceptHandler, cst.Finally)
