"""Trails of values that are known to be no tensors, or go with tensors of any device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.infer.collections import element_of
from regbuf_lint.infer.generators import lies_nowhere
from regbuf_lint.model.trail import Flow, Source, Trail
from regbuf_lint.model.value import (
    NOTHING,
    TENSOR_KINDS,
    NoneValue,
    Unset,
    is_number,
    is_only,
    parts_of,
)

if TYPE_CHECKING:
    from regbuf_lint.infer.state import State
    from regbuf_lint.model.trail import Origin
    from regbuf_lint.model.value import Alternative, Value


def trail_of_kind(trail: Trail, value: Value) -> Trail:
    """A trail, without tensors where the value is a number, a string or None, or holds nothing else.

    An item of a row that lies on the CPU counts as a number: it goes with tensors of any device.
    """
    if trail.origins and value and all(map(_has_no_tensor, value)):
        return Trail(trail.origins - trail.tensors)
    items = left_items(trail).origins if is_number(value) else frozenset()
    return Trail(trail.origins - items | {one.then(Flow.METADATA) for one in items}) if items else trail


def _has_no_tensor(one: Alternative) -> bool:
    """Whether an alternative is none and holds none; an empty list may hold one by now."""
    parts = parts_of(one)
    if not parts:
        return lies_nowhere(one)
    filled = [part for part in parts if part]
    return bool(filled) and all(_has_no_tensor(inner) for part in filled for inner in part)


def left_items(trail: Trail) -> Trail:
    """What of a trail is an item of an attribute, where that was left."""
    return Trail(frozenset(one for one in trail.origins if (one.source, one.flow) == (Source.ENTRY, Flow.ELEMENT)))


def without_tensors(container: Trail, state: State) -> Trail:
    """The trail of a list or dict without the tensors that were put into it: another item changes none of them."""
    return Trail(frozenset(one for one in container.origins if not _is_tensor(one, state)))


def _is_tensor(one: Origin, state: State) -> bool:
    """Whether a value that comes from an attribute can be nothing but a tensor, where it is there."""
    value = state.attribute(one.name).value if one.source is Source.ENTRY else NOTHING
    kinds = (*TENSOR_KINDS, NoneValue, Unset)
    return is_only(value, *kinds) or (one.flow is Flow.ELEMENT and is_only(element_of(value), *kinds))
