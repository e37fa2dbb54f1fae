"""A tensor without elements stands for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.uses import MOVERS
from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import Parameter, may_be, tensors
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _stands_for_none(context: ClassContext, attribute: str) -> bool:
    """Whether the attribute has no elements until it is replaced, and code asks for that or could not use it so.

    What callers give to a method that only keeps it lies where they want it.
    """
    value = context.value_of(attribute)
    found = tensors(value)
    if not found or not all(one.empty for one in found):
        return False
    trace = context.trace(attribute)
    if not trace.stores(attribute):
        return may_be(value, Parameter) or not trace.is_updated(attribute)
    joined = any(one.sink is Sink.MEETS and has("join_functions", one.callee) for one in trace.uses(attribute))
    changed = any(one.sink is Sink.MUTATED for one in trace.uses(attribute))
    moved = any(one.moves_by_hand and one.entry not in MOVERS for one in trace.stores(attribute))
    reading = {one.entry for one in trace.reads(attribute)}
    given = all(one.keeps_argument and one.entry not in reading for one in trace.stores(attribute))
    return not joined and (trace.is_asked_for_elements(attribute) or changed or moved or given)


EXEMPTION = Exemption(
    "placeholder", "it has no elements until a method puts another tensor in its place", _stands_for_none
)
