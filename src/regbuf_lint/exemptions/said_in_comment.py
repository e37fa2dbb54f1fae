"""A comment at the assignment says why the attribute is no buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.reasons import says_no_buffer
from regbuf_lint.exemptions.exemption import Exemption

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_said(context: ClassContext, attribute: str) -> bool:
    source = context.symbol.scope.file.source
    return any(says_no_buffer(source, one.step.statement) for one in context.writes(attribute) if one.step.own)


EXEMPTION = Exemption("said-in-comment", "a comment at the assignment says that it is no buffer", _is_said)
