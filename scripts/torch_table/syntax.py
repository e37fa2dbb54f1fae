"""Small questions about expressions."""

from __future__ import annotations

import ast
from typing import TypeAlias

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


def leaf(node: ast.expr | None) -> str:
    """The last name of a dotted expression: ``Tensor`` of ``torch.Tensor``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def dotted(node: ast.expr) -> str:
    """A dotted expression as text, empty for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def strings(node: ast.expr) -> list[str]:
    """All string literals inside an expression."""
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def alternatives(node: ast.expr) -> list[ast.expr]:
    """The parts of a union ``A | B``."""
    if isinstance(node, ast.BinOp):
        return [*alternatives(node.left), *alternatives(node.right)]
    return [node]
