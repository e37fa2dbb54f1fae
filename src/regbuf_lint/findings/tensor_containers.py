"""The attributes in which construction leaves a container of tensors that no exemption speaks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_given_nothing
from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.inert import inert
from regbuf_lint.infer.merges import is_merged_over_settings
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.trail import Flow
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import (
    Literal,
    Mapping,
    NoneValue,
    Other,
    Sequence,
    Tensor,
    Unset,
    is_empty_container,
    is_only,
    is_tensor,
    may_be,
    parts_of,
    tensors,
    tensors_inside,
    without,
)

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.value import Alternative, Value

_DEEPEST_NESTING = 2
_ITSELF = frozenset({Flow.SAME, Flow.ELEMENT})


def tensor_containers(context: ClassContext) -> dict[str, list[Write]]:
    """The writes that leave containers of tensors, by attribute."""
    ending: dict[str, list[Write]] = {}
    for event in context.construction.events:
        if not isinstance(event, Write) or not event.step.own or event.form is WriteForm.BYPASS:
            continue
        if event.attribute is not None and _ends_as_container(context, event, event.attribute):
            ending.setdefault(event.attribute, []).append(event)
    return {name: writes for name, writes in ending.items() if _is_reported(context, name)}


def _is_reported(context: ClassContext, attribute: str) -> bool:
    if exempting(context, attribute) is not None or is_merged_over_settings(
        context.inference, context.built, attribute
    ):
        return False
    held = tuple(tensors_inside(context.value_of(attribute)))
    if held and all(tensor.empty for tensor in held):
        return False
    if any(one.requires_grad for one in held) and _is_handed_out(context, attribute):
        return False
    return inert(context, attribute) is None


def _is_handed_out(context: ClassContext, attribute: str) -> bool:
    """Whether a method that is given nothing returns the list or its tensors, as searches for architectures do.

    An optimizer of its own trains what is returned. What ``forward`` returns is none.
    """
    uses = context.trace(attribute).uses(attribute)
    returning = {one.entry for one in uses if one.sink is Sink.RETURNED and one.flow in _ITSELF}
    return any(one.name in returning for one in methods_given_nothing(context.definitions))


def holds_tensors(one: Alternative) -> bool:
    """Whether an alternative is a container of tensors."""
    return _holds_tensors(one, 0)


def _ends_as_container(context: ClassContext, write: Write, attribute: str) -> bool:
    """Whether the write stores a container, may be the attribute's last, and the container has tensors at the end."""
    state = context.construction.attributes.get(attribute)
    if state is None or write.number not in state.writes or not may_be(write.value, Sequence, Mapping):
        return False
    return _are_containers(state.value)


def _are_containers(value: Value, depth: int = 0) -> bool:
    """Whether a value is a container of tensors, at least on one path and nothing that speaks against it on others."""
    if _is_open_argument(value):
        return False
    return any(_holds_tensors(one, depth) for one in value) and all(_is_harmless(one, depth) for one in value)


def _is_open_argument(value: Value) -> bool:
    """Whether a value is an argument that is a list or dict of any number of tensors, or may be one.

    Such lists are mostly the Parameters of another nn.Module.
    """
    containers = without(value, Tensor, NoneValue, Unset)
    return bool(containers) and all(_is_from_outside(one) for one in containers)


def _is_from_outside(one: Alternative) -> bool:
    if not isinstance(one, (Sequence, Mapping)) or one.items:
        return False
    held = [tensor for part in parts_of(one) for tensor in tensors(part)]
    return bool(held) and all(tensor.argument and not tensor.fresh for tensor in held)


def _is_harmless(one: Alternative, depth: int) -> bool:
    """Whether an alternative speaks not against a container of tensors: another, an empty one, a tensor, nothing."""
    if isinstance(one, (Tensor, NoneValue, Unset)):
        return True
    return _holds_tensors(one, depth) or is_empty_container(one)


def _holds_tensors(one: Alternative, depth: int) -> bool:
    if depth > _DEEPEST_NESTING or not isinstance(one, (Sequence, Mapping)) or _is_settings(one):
        return False
    values = [value for value in parts_of(one) if value]
    held = [value for value in values if _is_held(value, depth)]
    # Settings, one of which is a tensor or None, are mostly without the tensor.
    return any(not may_be(value, NoneValue) for value in held) or (bool(held) and len(held) == len(values))


def _is_settings(one: Alternative) -> bool:
    """Whether a dict has plain values but for what an argument adds, whose annotation is hardly right then."""
    if not isinstance(one, Mapping) or not one.items or not one.rest:
        return False
    added = without(one.rest, NoneValue)
    plain = all(is_only(value, Literal, Other, NoneValue) for _, value in one.items)
    return plain and all(isinstance(held, Tensor) and bool(held.argument) for held in added)


def _is_held(value: Value, depth: int) -> bool:
    if is_tensor(value):
        return not any(tensor.generator_state for tensor in tensors(value))
    return _are_containers(value, depth + 1)
