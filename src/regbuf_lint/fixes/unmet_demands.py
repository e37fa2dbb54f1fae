"""What methods demand of a tensor in an attribute, and a buffer that is moved or cast does not meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.moved_by_class import is_moved_by_class
from regbuf_lint.infer.torch_api import is_plain_number
from regbuf_lint.model.mention import mention
from regbuf_lint.model.trail import Flow, Source
from regbuf_lint.model.use import ASSERTED, Sink
from regbuf_lint.model.value import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

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
    return (
        f"{_user(use)} joins it with a tensor that it makes on the CPU, and has to make that one on the buffer's device"
    )


def staying_partner(context: ClassContext, attribute: str, moving: Collection[str]) -> str | None:
    """Why an attribute alone must not move: a method computes it with another one that may stay on the CPU.

    Where something that follows the object takes part, the method fails before and after.

    Args:
        context: the class.
        attribute: the attribute.
        moving: attributes that become buffers together with it.
    """
    for use in context.trace(attribute).uses(attribute):
        if use.sink not in _TOGETHER or use.hurts or use.flow in _MOVED:
            continue
        for one in sorted(use.partners, key=lambda partner: partner.name):
            if one.source is Source.ENTRY and not one.moved and _may_stay(context, one.name, moving):
                partner = f"`self.{one.name}`"
                does = f"indexes {partner} with it" if use.sink is Sink.INDEX else f"combines it with {partner}"
                return f"{_user(use)} {does}, which may stay on the CPU"
    return None


def _user(use: Use) -> str:
    """The method of a use, for a message, with the line."""
    return f"`{use.method}` ({mention(use.span.start.row)})"


def _may_stay(context: ClassContext, attribute: str, moving: Collection[str]) -> bool:
    """Whether an attribute may hold a tensor with dimensions that nothing moves."""
    if attribute in moving:
        return False
    value = context.value_of(attribute)
    is_number = bool(value) and all(one.is_number if isinstance(one, Tensor) else is_plain_number(one) for one in value)
    return not is_number and not is_moved_by_class(context, attribute)


def _gives_to_numpy(use: Use) -> bool:
    return use.sink is Sink.NUMPY and use.flow not in _MOVED


def _asserts_dtype(use: Use) -> bool:
    return use.sink is Sink.PLACE and use.callee == ASSERTED


def _joins_new(use: Use) -> bool:
    """Whether the tensor, and nothing that the method is given, is joined with tensors that it makes on the CPU.

    So joined, they work as long as nobody moves the attribute; with what a method is given, they fail before and after.
    """
    return use.sink in _TOGETHER and use.meets_new and use.flow not in _MOVED


def _shares_memory(use: Use) -> bool:
    """Whether ``weight.data = self.x.to(...)`` is there, which is a copy only as long as the two are on two devices."""
    return use.sink is Sink.STORED and use.callee.endswith(".data") and use.flow in {Flow.SAME, *_MOVED}


_MOVED = frozenset({Flow.MOVED, Flow.TO_CPU})
_TOGETHER = frozenset({Sink.MEETS, Sink.INDEX})
"""Where a tensor has to lie beside its partners; no index on an accelerator takes anything out of the CPU."""

_DEMANDS: dict[Callable[[Use], bool], str] = {
    _gives_to_numpy: "gives it to NumPy, which fails once the module is on a GPU",
    _asserts_dtype: "asserts its dtype, which `.half()` will change",
    _shares_memory: "makes it the `.data` of another tensor; once both are on one device they share their memory",
}
