"""How a file writes types, so that new annotations look like those that it has."""

from __future__ import annotations

import ast
import builtins

from msgspec import Struct

from regbuf_lint.index.once import once_per_node
from regbuf_lint.index.tree import walk

_TYPING_GENERICS = frozenset({"Dict", "List", "Tuple"})


class AnnotationHabits(Struct, frozen=True):
    """How often the signatures of a file write types in one way or another.

    Attributes:
        unions: ``X | None``.
        optionals: ``Optional[X]``.
        generics: ``list[X]``.
        typing_generics: ``List[X]``.
    """

    unions: int
    optionals: int
    generics: int
    typing_generics: int


@once_per_node
def annotation_habits(tree: ast.Module) -> AnnotationHabits:
    """How the signatures of a file write types."""
    functions = (node for node in walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    nodes = [node for one in functions for annotation in signature(one) for node in walk(annotation)]
    heads = [_last_name(node.value) for node in nodes if isinstance(node, ast.Subscript)]
    return AnnotationHabits(
        sum(isinstance(node, ast.BinOp) for node in nodes),
        heads.count("Optional"),
        sum(is_builtin_generic(node) for node in nodes),
        sum(head in _TYPING_GENERICS for head in heads),
    )


def signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """The annotations of a function's arguments and of its result."""
    given = function.args
    arguments = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg)
    written = (function.returns, *(one.annotation for one in arguments if one is not None))
    return [one for one in written if one is not None]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_builtin_generic(node: ast.AST) -> bool:
    """Whether it is ``list[X]`` or the like, which Python 3.8 cannot evaluate."""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and hasattr(builtins, node.value.id)
