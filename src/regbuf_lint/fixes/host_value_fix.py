"""What to write in the place of a tensor that Python alone reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.fixes.buffer_fix import NO_FIX, BufferFix
from regbuf_lint.model.class_view import WriteForm
from regbuf_lint.model.fix import Applicability, Fix
from regbuf_lint.rewrite.errors import CannotRewrite

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Write

_CONVERTING = ("torch.tensor", "torch.as_tensor", "torch.asarray", "torch.scalar_tensor")
"""Functions that make a tensor of a number or a list."""
_REASON = "what reads the tensor (`.item()`, `.tolist()`) has to change with it"


def host_value_fix(context: ClassContext, write: Write) -> BufferFix:
    """The number or list that the tensor is made of, shown; none where the tensor is made otherwise.

    Args:
        context: the class.
        write: the first write of the attribute.
    """
    if not write.step.own or write.form is not WriteForm.PLAIN:
        return NO_FIX
    from regbuf_lint.rewrite.host_values import without_tensor  # noqa: PLC0415  libcst is slow to load

    spelled = frozenset(name for one in _CONVERTING if (name := context.text.spelling(one)) is not None)
    try:
        edit = without_tensor(context.source, write.step.statement, spelled)
    except CannotRewrite:
        edit = None
    if edit is None:
        return NO_FIX
    return BufferFix(Fix(Applicability.DISPLAY, f"Keep what `{write.attribute}` is made of", (edit,)), _REASON)
