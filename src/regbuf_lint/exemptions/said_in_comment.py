"""A comment at the assignment says why the attribute is no buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.reasons import says_no_buffer
from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.class_view import Write

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_said(context: ClassContext, attribute: str) -> bool:
    source = context.symbol.scope.file.source
    writes = (one for one in context.construction.events if isinstance(one, Write) and one.attribute == attribute)
    return any(says_no_buffer(source, one.step.statement) for one in writes if one.step.own)


EXEMPTION = Exemption("said-in-comment", "a comment at the assignment says that it is no buffer", _is_said)
