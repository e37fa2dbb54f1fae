"""What methods demand of a tensor in an attribute, and a buffer that is moved or cast does not meet."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from regbuf_lint.model.trail import Cast, Flow, Source
from regbuf_lint.model.use import ASSERTED, MATRIX_PRODUCT, Sink
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.use import Use


HALF = "it is only half of the change"


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
        if use is not None and (is_cast or demands not in _OF_DTYPE):
            found.append(f"`{use.method}` {text}")
    return found


def made_beside(context: ClassContext, attribute: str) -> str | None:
    """What has to change together with a registration: a tensor that a method makes on the CPU to join it with.

    Args:
        context: the class.
        attribute: the attribute.
    """
    use = next((one for one in context.trace(attribute).uses(attribute) if _joins_new(one)), None)
    if use is None:
        return None
    who = user(context, use)
    return f"{who} joins it with a tensor that it makes on the CPU, and has to make that one on the buffer's device"


def user(context: ClassContext, use: Use) -> str:
    """The method of a use, for a message, with the line."""
    return f"`{use.method}` ({context.mention(use.span, use.path)})"


def _ends_unmoved(sink: Sink, use: Use) -> bool:
    return use.sink is sink and use.flow not in MOVED


def _asserts_dtype(use: Use) -> bool:
    return use.sink is Sink.PLACE and use.callee == ASSERTED


def _wants_named_dtype(use: Use) -> bool:
    """Whether a function that takes one dtype alone is given it as it is beside a tensor of a dtype that is named."""
    if use.sink is not Sink.MEETS or use.is_cast or not any(one.cast is Cast.NAMED for one in use.partners):
        return False
    name = use.callee.rpartition(".")[2]
    return use.callee == MATRIX_PRODUCT or has("one_dtype_functions", use.callee) or has("one_dtype_methods", name)


def _joins_new(use: Use) -> bool:
    """Whether the tensor, and nothing that the method is given as a tensor, is joined with tensors made on the CPU.

    So joined, they work as long as nobody moves the attribute; with tensors that a method is given, they fail before
    and after.
    """
    return use.sink in TOGETHER and use.meets_new and use.flow not in MOVED


def _shares_memory(use: Use) -> bool:
    """Whether ``weight.data = self.x.to(...)`` is there, which is a copy only as long as the two are on two devices."""
    return use.sink is Sink.STORED and use.callee.endswith(".data") and use.flow in {Flow.SAME, *MOVED}


def _changes_copy(use: Use) -> bool:
    """Whether ``mask = self.mask.to(...); mask[0] = 0`` is there, which changes a buffer that lies there already."""
    return use.sink is Sink.MUTATED_COPY


def _indexes_argument(use: Use) -> bool:
    """Whether a method that `forward` does not run takes elements out of its arguments, as of a checkpoint's tensors.

    An index on the CPU goes with tensors of any device, one on an accelerator with those of that device alone.
    """
    sources = {one.source for one in use.partners}
    is_free = use.sink is Sink.INDEX and use.flow not in MOVED
    return is_free and use.entry != "forward" and sources == {Source.PARAMETER}


MOVED = frozenset({Flow.MOVED, Flow.TO_CPU})
TOGETHER = frozenset({Sink.MEETS, Sink.INDEX})
"""Where a tensor has to lie beside its partners; no index on an accelerator takes anything out of the CPU."""

_DEMANDS: dict[Callable[[Use], bool], str] = {
    partial(_ends_unmoved, Sink.NUMPY): "gives it to NumPy, which fails once the module is on a GPU",
    partial(_ends_unmoved, Sink.ON_CPU): "gives it to a function that wants it on the CPU: write `.cpu()` there",
    _wants_named_dtype: (
        "gives it, with a tensor whose dtype the code names, to a function that takes one dtype alone; `.half()` will "
        "change the buffer's: cast it to the same dtype there"
    ),
    _asserts_dtype: "asserts its dtype, which `.half()` will change",
    _changes_copy: (
        "changes what `.to()` gives in place; that is a copy as long as the tensor stays behind, and the buffer itself "
        "once it moves along: write `.clone()` there"
    ),
    _indexes_argument: "indexes what it is given with it; once the index is on a GPU, that has to be there, too",
    partial(_ends_unmoved, Sink.DRAW): (
        "draws with it by a generator of the object, which stays where it was made and takes tensors of that device "
        "alone: write `.to(generator.device)` there"
    ),
    _shares_memory: "makes it the `.data` of another tensor; once both are on one device they share their memory",
}

_OF_DTYPE = frozenset({_asserts_dtype, _wants_named_dtype})
"""Demands of a tensor whose dtype `.half()` may change."""
