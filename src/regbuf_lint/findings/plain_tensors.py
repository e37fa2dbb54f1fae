"""The attributes in which construction leaves a plain tensor that no exemption speaks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.moved_by_class import is_moved_by_class
from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.inert import inert
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.value import Buffer, Parameter, Tensor, is_only, is_tensor, may_be, tensors

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.value import Value


def plain_tensors(context: ClassContext) -> dict[str | None, list[Write]]:
    """The writes that leave plain tensors, by attribute; None stands for names that are only known at run time."""
    events = context.construction.events
    own = [event for event in events if isinstance(event, Write) and event.step.own]
    writes = [write for write in own if _is_plain(context, write)]
    if not writes or context.hooks.registers_on_assignment:
        return {}
    found: dict[str | None, list[Write]] = {}
    for write in writes:
        found.setdefault(write.attribute, []).append(write)
    return {name: mine for name, mine in found.items() if _is_reported(context, name, mine)}


def worth_registering(context: ClassContext) -> dict[str, list[Write]]:
    """Those of the writes that leave plain tensors of which something comes, under names that are known."""
    found = plain_tensors(context)
    return {name: writes for name, writes in found.items() if name is not None and inert(context, name) is None}


def _is_reported(context: ClassContext, attribute: str | None, writes: list[Write]) -> bool:
    if attribute is None:
        if all(tensor.empty for write in writes for tensor in tensors(write.value)):
            return False  # it keeps a place, as an empty tensor under a known name may do
        return not context.ignored(None) and not is_moved_by_class(context, None)
    if all(write.form is WriteForm.AUGMENTED and is_tensor(write.prior) for write in writes):
        return False  # a base has put the tensor there, and is told so
    return _survives(context, attribute, writes) and exempting(context, attribute) is None


def _is_plain(context: ClassContext, write: Write) -> bool:
    """Whether a write leaves an unregistered tensor in the attribute that should not be there."""
    if write.is_refused or write.form in {WriteForm.BYPASS, WriteForm.DELETED}:
        return False
    if not is_tensor(write.value) and not _is_either(write.value):
        return False
    if write.fills_buffer or context.is_to_be_trained(write.attribute, write.value):
        return False
    return not any(tensor.generator_state for tensor in tensors(write.value))


def _is_either(value: Value) -> bool:
    """Whether a value is a Parameter on one path, and on another one a tensor that is made here."""
    made = tensors(value)
    return bool(made) and is_only(value, Parameter, Tensor) and not any(one.argument for one in made)


def _survives(context: ClassContext, attribute: str, writes: list[Write]) -> bool:
    """Whether one of the writes may still be what the attribute holds when construction ends.

    Where another path registers the attribute, who leaves it plain on this one does so on purpose.
    """
    state = context.construction.attributes.get(attribute)
    if state is None or may_be(state.value, Buffer):
        return False
    if may_be(state.value, Parameter) and not tensors(state.value):
        return False  # what was plain for a while became one wherever it was a tensor
    return any(write.number in state.writes for write in writes)
