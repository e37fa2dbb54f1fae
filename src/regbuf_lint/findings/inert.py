"""Plain tensors of which nothing comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.value import Tensor, may_be, tensors, tensors_inside

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext

NEVER_READ = "nothing reads it once the object is built"
HOST_ONLY = "Python alone reads it"
NUMBER = "it is a number, which goes with tensors of any device"


def inert(context: ClassContext, attribute: str) -> str | None:
    """Why nothing comes of the plain tensors in an attribute, or in its containers; None where something does or may.

    What differs in each object is missing from a checkpoint, whatever reads it.
    """
    trace = context.trace(attribute)
    if not trace.was_followed(attribute):
        return None
    is_kept = context.is_kept_elsewhere(attribute)
    if not trace.uses(attribute) and not is_kept and not context.is_used_later(attribute):
        return NEVER_READ
    value = context.value_of(attribute)
    if any(one.random or one.derived for one in tensors_inside(value)) or context.in_dict(attribute) is not None:
        return None
    if trace.is_host_only(attribute) and not is_kept and not context.is_read_beside(attribute):
        return HOST_ONLY
    is_number = may_be(value, Tensor) and all(one.is_number for one in tensors(value))
    return NUMBER if is_number and not trace.is_updated(attribute) else None
