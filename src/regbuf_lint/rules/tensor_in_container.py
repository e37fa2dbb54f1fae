"""RBF002: tensors in a list, tuple or dict that is stored on an nn.Module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.evidence import evidence
from regbuf_lint.findings.inert import inert
from regbuf_lint.fixes.buffer_fix import BufferFix
from regbuf_lint.fixes.container_fix import container_fix
from regbuf_lint.infer.derivatives import is_handed_out
from regbuf_lint.infer.merges import is_merged_over_settings
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
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.value import Alternative, Value

_DEEPEST_NESTING = 2
_TENSORS = "holds tensors in a container: `.to()` and `.half()` leave them behind and `state_dict()` does not save them"
_PARTS = "holds parts of a Parameter in a container: `.to()` and `.half()` move the Parameter and leave them behind"
_TAKE_LATER = "take the parts where they are used: chunk or index the Parameter in `forward`"

META = RuleMeta(
    code="RBF002",
    name="tensor-in-container",
    summary="a list, tuple or dict of tensors stored on an nn.Module",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports a list, tuple, dict or `OrderedDict` of tensors that is assigned to an attribute of `self` while an "
        "`nn.Module` is built, at the first assignment that brings tensors. A named tuple is a tuple, a `TypedDict` a "
        "dict."
    ),
    why=(
        "`nn.Module` does not look into containers: none of the tensors moves with `.to()`, is cast by `.half()`, or "
        "is saved by `state_dict()`."
    ),
    example=(
        "class Pyramid(nn.Module):\n"
        "    def __init__(self, sizes: list[int]) -> None:\n"
        "        super().__init__()\n"
        "        self.masks = [torch.ones(n, n) for n in sizes]\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.masks[0]\n"
    ),
    use_instead=(
        "class Pyramid(nn.Module):\n"
        "    def __init__(self, sizes: list[int]) -> None:\n"
        "        super().__init__()\n"
        "        masks = [torch.ones(n, n) for n in sizes]\n"
        "        for i, mask in enumerate(masks):\n"
        '            self.register_buffer(f"masks_{i}", mask, persistent=False)\n'
        "        self._masks_count = len(masks)\n"
        "\n"
        "    @property\n"
        "    def masks(self) -> list[torch.Tensor]:\n"
        '        return [getattr(self, f"masks_{i}") for i in range(self._masks_count)]\n'
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.masks[0]\n"
    ),
    fix_safety=(
        "Always unsafe. A list or tuple that is written out, a comprehension, or what a function makes whose source is "
        "at hand, becomes numbered buffers and a property under the old name, which gives them as a list or tuple: "
        "indexing, loops, `len()`, `zip()` and unpacking read it as before, but each read makes a new list, and "
        "TorchScript cannot compile the property. Withheld, with the reason in the help, where the attribute is "
        "handed on, changed, assigned again or named in a string; for dicts, named tuples, nested containers, and "
        "lists that are filled with `append`; for parts of a Parameter, which are to be taken where they are used; "
        "where the file speaks of TorchScript; where a name is taken; and where the fix of RBF001 would be withheld."
    ),
    checkpoint_impact=(
        "As for RBF001: with `--persistent auto`, tensors that every construction rebuilds are registered with "
        "`persistent=False` and `state_dict()` keeps its keys; random ones and those that change in place become "
        "persistent. Where their number is only known at run time, the new keys are declared as a pattern "
        "(`masks_*`)."
    ),
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
        if exempting(context, attribute) is not None or is_merged_over_settings(
            context.inference, context.built, attribute
        ):
            continue
        if is_handed_out(context.definitions, attribute) or _holds_no_elements(context.value_of(attribute)):
            continue
        if inert(context, attribute) is not None:
            continue
        if all(tensor.view_of_parameter for tensor in tensors_inside(context.value_of(attribute))):
            yield _finding(context, _reported(writes), attribute, _PARTS, BufferFix(None, "", _TAKE_LATER))
        else:
            fix = container_fix(context, attribute, context.writes(attribute))
            yield _finding(context, _reported(writes), attribute, _TENSORS, fix)


def _holds_no_elements(value: Value) -> bool:
    held = tuple(tensors_inside(value))
    return bool(held) and all(tensor.empty for tensor in held)


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


def _finding(context: ClassContext, write: Write, attribute: str, trouble: str, outcome: BufferFix) -> Finding:
    advice = outcome.advice or (
        f'register each tensor as a buffer of its own (`self.register_buffer(f"{attribute}_{{i}}", ...)`) and read '
        "them by name"
    )
    return Finding(
        rule=META,
        message=f"`{context.name}.{attribute}` {trouble}",
        span=write.target,
        statement=write.step.statement,
        help=f"{advice}; {outcome.note}" if outcome.note else advice,
        class_name=context.name,
        attribute=attribute,
        method=write.step.method,
        fix=outcome.fix,
        evidence=evidence(context, attribute),
    )
