"""The tensor is put where it is to stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.trail import Flow
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import Location, tensors_inside

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext

_MOVED = frozenset({Flow.MOVED, Flow.TO_CPU})


def _starts_where_it_stays(context: ClassContext, attribute: str) -> bool:
    """Whether the code puts it on the CPU, and no method computes it with what follows the object, or puts it there.

    What has no data stands for something else, and as a buffer it makes ``.to("cuda")`` raise.
    """
    found = {one.location for one in tensors_inside(context.value_of(attribute))}
    if found == {Location.META}:
        return True
    if not found or not found <= {Location.CPU, Location.META}:
        return False
    met = (one for one in context.trace(attribute).uses(attribute) if one.sink is Sink.MEETS and one.flow not in _MOVED)
    return not any(one.hurts for one in met)


EXEMPTION = Exemption("kept-on-cpu", "the code itself puts it on the CPU, or on `meta`", _starts_where_it_stays)
