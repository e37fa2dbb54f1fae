"""Each call replaces the tensor before it reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.infer.subclasses import is_named_by_subclasses

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_replaced(context: ClassContext, attribute: str) -> bool:
    if not context.trace(attribute).is_replaced_before_read(attribute):
        return False
    if context.trace(attribute).is_replaced_by_forward(attribute):
        return True
    if not any(map(context.runs_later, context.readers(attribute))):
        return False  # what nobody here reads is set for somebody else
    return not context.is_read_beside(attribute) and not is_named_by_subclasses(
        context.inference, context.symbol, attribute
    )


EXEMPTION = Exemption("replaced-before-read", "each method that reads it gives it a value first", _is_replaced)
