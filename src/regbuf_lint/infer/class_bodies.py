"""The tensors that the body of a class gives to all of its objects."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.stores import pairs_of
from regbuf_lint.infer.frame import Frame
from regbuf_lint.infer.state import State
from regbuf_lint.model.class_view import Step, Write, WriteForm
from regbuf_lint.model.value import UNSET, Tensor, is_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference

_NO_TENSORS = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Lambda)


def tensors_of_body(inference: Inference, symbol: ClassSymbol) -> Iterator[Write]:
    """What a class assigns tensors to in its body, as if each object were given them before its constructor runs.

    Args:
        inference: what the run shares.
        symbol: the class.
    """
    node, file = symbol.scope.node, symbol.scope.file
    statements = node.body if isinstance(node, ast.ClassDef) else []
    for statement in statements:
        for target, expression in pairs_of(statement) if isinstance(statement, (ast.Assign, ast.AnnAssign)) else ():
            if not isinstance(target, ast.Name) or isinstance(expression, _NO_TENSORS):
                continue
            value = Frame(inference, symbol.scope).evaluate(expression, State())
            if is_only(value, Tensor):
                step = Step(file.span(statement), "", symbol.name, own=True, initialised=False)
                yield Write(0, step, target.id, value, UNSET, WriteForm.PLAIN, file.span(target))
