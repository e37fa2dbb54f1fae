"""What methods demand of a tensor in an attribute, and a buffer that is moved or cast does not meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.mention import mention
from regbuf_lint.model.trail import Flow, Source
from regbuf_lint.model.use import ASSERTED, Sink
from regbuf_lint.model.value import is_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.use import Use


def unmet_demands(context: ClassContext, attribute: str, *, is_cast: bool) -> list[str]:
    """What methods want of the attribute and a buffer does not give, each with a method that does.

    Args:
        context: the class.
        attribute: the attribute.
        is_cast: whether `.half()` may change its dtype.
    """
    found = []
    for demands, text in _DEMANDS.items():
        trace = context.trace_again(attribute) if demands is _shares_memory else context.trace(attribute)
        use = next((one for one in trace.uses(attribute) if demands(one)), None)
        if use is not None and (is_cast or demands is not _asserts_dtype):
            found.append(f"`{use.method}` {text}")
    return [*found, *_staying_partners(context, attribute)]


def _staying_partners(context: ClassContext, attribute: str) -> list[str]:
    """Attributes that the tensor is computed with, and of which nobody knows that they move with it."""
    return [
        f"`{use.method}` ({mention(use.span.start.row)}) combines it with `self.{one.name}`, which may stay on the CPU"
        for use in context.trace(attribute).uses(attribute)
        if use.sink is Sink.MEETS and not use.hurts and use.flow not in _MOVED
        for one in sorted(use.partners, key=lambda partner: partner.name)[:1]
        if one.source is Source.ENTRY and not is_tensor(context.value_of(one.name))
    ][:1]


def _gives_to_numpy(use: Use) -> bool:
    return use.sink is Sink.NUMPY and use.flow not in _MOVED


def _asserts_dtype(use: Use) -> bool:
    return use.sink is Sink.PLACE and use.callee == ASSERTED


def _joins_new(use: Use) -> bool:
    """Whether the tensor, and nothing that the method is given, is joined with tensors that it makes on the CPU.

    So joined, they work as long as nobody moves the attribute; with what a method is given, they fail before and after.
    """
    return use.sink is Sink.MEETS and use.meets_new and use.flow not in _MOVED


def _shares_memory(use: Use) -> bool:
    """Whether ``weight.data = self.x.to(...)`` is there, which is a copy only as long as the two are on two devices."""
    return use.sink is Sink.STORED and use.callee.endswith(".data") and use.flow in {Flow.SAME, *_MOVED}


_MOVED = frozenset({Flow.MOVED, Flow.TO_CPU})

_DEMANDS: dict[Callable[[Use], bool], str] = {
    _gives_to_numpy: "gives it to NumPy, which fails once the module is on a GPU",
    _asserts_dtype: "asserts its dtype, which `.half()` will change",
    _joins_new: "joins it with a tensor that it makes on the CPU, which fails once the module is on a GPU",
    _shares_memory: "makes it the `.data` of another tensor; once both are on one device they share their memory",
}
