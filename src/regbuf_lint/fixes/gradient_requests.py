"""Dropping statements that ask an attribute for a gradient, as ``self.x.requires_grad_()`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.fix import Edit
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import without_statement

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import GradientRequest


def without_request(context: ClassContext, request: GradientRequest) -> Edit:
    """The edit that drops the statement of a request.

    Args:
        context: the class.
        request: what the statement asks for.

    Raises:
        CannotRewrite: the statement cannot go.
    """
    from regbuf_lint.rewrite.gradients import is_bare_request  # noqa: PLC0415  libcst is slow to load

    statement = request.step.statement
    if context.text.is_alone_in_block(statement):
        msg = "the statement is all that its block holds"
        raise CannotRewrite(msg)
    if not is_bare_request(context.source, statement):
        msg = "the statement does more than that"
        raise CannotRewrite(msg)
    return Edit(without_statement(context.source, statement), "")
