"""Trails of values that are known to be no tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.trail import Trail
from regbuf_lint.model.value import Literal, NoneValue, Other, is_only

if TYPE_CHECKING:
    from regbuf_lint.model.value import Value


def trail_of_kind(trail: Trail, value: Value) -> Trail:
    """A trail, without tensors where the value is a number, a string or None."""
    if trail.origins and is_only(value, Literal, Other, NoneValue):
        return Trail(trail.origins - trail.tensors)
    return trail
