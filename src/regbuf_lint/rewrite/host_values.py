"""Rewriting ``self.x = torch.tensor(value)`` as ``self.x = value``, where Python alone reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from regbuf_lint.model.fix import Edit
from regbuf_lint.rewrite.parsing import code, parse_statement, refusing_what_libcst_refuses

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText


def without_tensor(source: SourceText, span: Span, converts: Callable[[str], bool]) -> Edit | None:
    """The assignment at ``span`` of what a call makes a tensor of; None where it is no such assignment.

    Args:
        source: the file.
        span: the simple statement.
        converts: whether a function, as the text names it, makes a tensor of its first argument.

    Raises:
        CannotRewrite: libcst does not know the syntax.
    """
    statement = parse_statement(source, span)
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
        return None
    made = statement.value
    if not made.args or made.args[0].star or made.args[0].keyword is not None or not converts(code(made.func)):
        return None
    with refusing_what_libcst_refuses():
        return Edit(span, code(statement.with_changes(value=made.args[0].value)))
