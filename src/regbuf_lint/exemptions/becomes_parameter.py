"""A method fills the tensor, and makes a Parameter of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import Parameter, is_only

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _becomes_one(context: ClassContext, attribute: str) -> bool:
    """Whether methods give the attribute nothing but Parameters, on each path through one of them that fills it first.

    What is not filled before may well be used as it is, and be trained only where somebody asks for that.
    """
    trace = context.trace(attribute)
    stores = trace.stores(attribute)
    filled = {one.method for one in trace.uses(attribute) if one.sink is Sink.MUTATED}
    made = all(is_only(one.value, Parameter) for one in stores)
    return made and any(one.certain and one.method in filled for one in stores)


EXEMPTION = Exemption("becomes-parameter", "a method fills it, and makes a Parameter of it", _becomes_one)
