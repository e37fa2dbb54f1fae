"""Rewriting ``self.x = torch.tensor(value)`` as ``self.x = value``, where Python alone reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from regbuf_lint.model.fix import Edit
from regbuf_lint.rewrite.parsing import code, parse_statement, refusing_what_libcst_refuses

if TYPE_CHECKING:
    from collections.abc import Collection

    from regbuf_lint.model.span import Span
    from regbuf_lint.source.text import SourceText


def without_tensor(source: SourceText, span: Span, converting: Collection[str]) -> Edit | None:
    """The assignment at ``span`` of what a call makes a tensor of; None where it is no such assignment.

    Args:
        source: the file.
        span: the simple statement.
        converting: functions that make a tensor of their first argument, as the file spells them.

    Raises:
        CannotRewrite: libcst does not know the syntax.
    """
    statement = parse_statement(source, span)
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
        return None
    made = statement.value
    if not made.args or made.args[0].star or made.args[0].keyword is not None or code(made.func) not in converting:
        return None
    with refusing_what_libcst_refuses():
        return Edit(span, code(statement.with_changes(value=made.args[0].value)))
