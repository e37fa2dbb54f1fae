"""The fix of a second name of a buffer: a buffer of its own, as where both names hold one plain tensor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from regbuf_lint.class_context.change import Change
from regbuf_lint.class_context.context import ClassContext
from regbuf_lint.fixes.attribute_fixes import attribute_fixes
from regbuf_lint.fixes.buffer_fix import BufferFix, withheld
from regbuf_lint.fixes.buffer_plan import Withheld
from regbuf_lint.model.value import Buffer, Mapping, Sequence, may_be, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.class_view import Write
    from regbuf_lint.model.value import Value


def alias_fix(context: ClassContext, attribute: str, write: Write) -> BufferFix:
    """The fix of an attribute that holds buffers, or why there is none.

    Args:
        context: the class.
        attribute: its name.
        write: what stores them.
    """
    if may_be(write.value, Sequence, Mapping):
        return BufferFix(None, "numbered copies of the buffers would say less than a property")
    try:
        _refuse_state(context, attribute, write)
    except Withheld as reason:
        return withheld(reason)
    return attribute_fixes(context, [attribute])[attribute]


def _refuse_state(context: ClassContext, attribute: str, write: Write) -> None:
    """Raise where the other buffer changes: one of its own shares its memory until the first ``.to()`` alone."""
    shared = frozenset(_buffers_in(write.value))
    known = context.construction.attributes.items()
    alike = [one for one, state in known if one != attribute and not shared.isdisjoint(_buffers_in(state.value))]
    statement = context.source.slice(write.step.statement)
    holders = [one for one in alike if re.search(rf"\.{one}\b", statement)] or alike
    if not holders:
        msg = "it is a buffer of another object, which may change it"
        raise Withheld(msg)
    if any(one.tensor.random or one.tensor.argument for one in shared):
        msg = f"a checkpoint may hold other values, and loads them into `self.{holders[0]}` alone"
        raise Withheld(msg)
    plain = context.construction.with_values(dict.fromkeys(holders, _as_plain))
    seen = ClassContext(context.inference, context.symbol, plain, subclass=context.subclass)
    changing = next((name for name in holders if seen.change_of(name) is not Change.NONE), None)
    if changing is not None:
        msg = f"the class changes `self.{changing}`, and a buffer of its own would not change with it"
        raise Withheld(msg)


def _as_plain(value: Value) -> Value:
    """Buffers as plain tensors, of which alone the trace tells what becomes of them."""
    return frozenset(one.tensor if isinstance(one, Buffer) else one for one in value)


def _buffers_in(value: Value) -> Iterator[Buffer]:
    for one in value:
        if isinstance(one, Buffer):
            yield one
        for part in parts_of(one):
            yield from _buffers_in(part)
