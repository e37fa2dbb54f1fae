"""RBF002: tensors in a list, tuple or dict that is stored on an nn.Module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import (
    Literal,
    Mapping,
    NoneValue,
    Other,
    Sequence,
    Tensor,
    Unset,
    is_only,
    is_tensor,
    may_be,
    tensors,
    without,
)
from regbuf_lint.rules.base import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.value import Alternative, Value
    from regbuf_lint.rules.context import ClassContext

_DEEPEST_NESTING = 2

META = RuleMeta(
    code="RBF002",
    name="tensor-in-container",
    summary="a list, tuple or dict of tensors stored on an nn.Module",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.NEVER,
)

DOCS = RuleDocs(
    what=(
        "Reports a list, tuple, dict or `OrderedDict` of tensors that is assigned to an attribute of `self` while an "
        "`nn.Module` is built."
    ),
    why=(
        "`nn.Module` does not look into containers: none of the tensors moves with `.to()`, is cast by `.half()`, or "
        "is saved by `state_dict()`."
    ),
    example="self.masks = [torch.ones(n, n) for n in sizes]\n",
    use_instead=(
        "for i, n in enumerate(sizes):\n"
        '    self.register_buffer(f"mask_{i}", torch.ones(n, n), persistent=False)\n'
        "self.masks_count = len(sizes)\n"
    ),
    fix_safety="There is no fix: how the container is read decides what should stand in its place.",
    checkpoint_impact="None as long as the buffers are registered with `persistent=False`.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",),
)


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    ending: dict[str, list[Write]] = {}
    for event in context.construction.events:
        if not isinstance(event, Write) or not event.step.own or event.form is WriteForm.BYPASS:
            continue
        if event.attribute is not None and _ends_as_container(context, event, event.attribute):
            ending.setdefault(event.attribute, []).append(event)
    for attribute, writes in ending.items():
        if not context.looks_after(attribute) and not context.is_merged_over_settings(attribute):
            yield _finding(context, _reported(writes), attribute)


def _reported(writes: list[Write]) -> Write:
    """The first write that stores tensors; where none does, since they are put in afterwards, the first at all."""
    storing = (write for write in writes if write.form is not WriteForm.AUGMENTED)
    return next((write for write in storing if any(_holds_tensors(one, 0) for one in write.value)), writes[0])


def _ends_as_container(context: ClassContext, write: Write, attribute: str) -> bool:
    """Whether the write stores a container, may be the attribute's last, and the container has tensors at the end."""
    state = context.construction.attributes.get(attribute)
    if state is None or write.number not in state.writes or not may_be(write.value, Sequence, Mapping):
        return False
    return _are_containers(state.value)


def _are_containers(value: Value, depth: int = 0) -> bool:
    """Whether a value is a container of tensors, at least on one path and nothing that speaks against it on others."""
    return any(_holds_tensors(one, depth) for one in value) and all(_is_harmless(one, depth) for one in value)


def _is_harmless(one: Alternative, depth: int) -> bool:
    """Whether an alternative speaks not against a container of tensors: another, an empty one, a tensor, nothing."""
    if isinstance(one, (Tensor, NoneValue, Unset)):
        return True
    return _holds_tensors(one, depth) or _is_empty(one)


def _is_empty(one: Alternative) -> bool:
    """Whether a container holds nothing but None and containers that are empty too."""
    if not isinstance(one, (Sequence, Mapping)):
        return False
    return all(_is_empty(held) for value in _values(one) for held in without(value, NoneValue))


def _holds_tensors(one: Alternative, depth: int) -> bool:
    if depth > _DEEPEST_NESTING or not isinstance(one, (Sequence, Mapping)) or _is_settings(one):
        return False
    return any(_is_held(value, depth) for value in _values(one))


def _is_settings(one: Alternative) -> bool:
    """Whether a dict has plain values but for what an argument adds, whose annotation is hardly right then."""
    if not isinstance(one, Mapping) or not one.items or not one.rest:
        return False
    added = without(one.rest, NoneValue)
    plain = all(is_only(value, Literal, Other, NoneValue) for _, value in one.items)
    return plain and all(isinstance(held, Tensor) and bool(held.argument) for held in added)


def _values(one: Sequence | Mapping) -> tuple[Value, ...]:
    if isinstance(one, Sequence):
        return one.items if one.items is not None else (one.element,)
    return (*(value for _, value in one.items), one.rest)


def _is_held(value: Value, depth: int) -> bool:
    if is_tensor(value):
        return not any(tensor.generator_state for tensor in tensors(value))
    return _are_containers(value, depth + 1)


def _finding(context: ClassContext, write: Write, attribute: str) -> Finding:
    return Finding(
        rule=META,
        message=(
            f"`{context.name}.{attribute}` holds tensors in a container: `.to()` and `.half()` leave them behind and "
            "`state_dict()` does not save them"
        ),
        span=write.target,
        statement=write.step.statement,
        help=(
            f'register each tensor as a buffer of its own (`self.register_buffer(f"{attribute}_{{i}}", ...)`) and read '
            "them by name"
        ),
        class_name=context.name,
        attribute=attribute,
        method=write.step.method,
    )


RULE = Rule(META, DOCS, check)
