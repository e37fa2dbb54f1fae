"""RBF104: a buffer rebound to something that is neither tensor nor None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import Registration, Write, WriteForm
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import (
    Buffer,
    Literal,
    Mapping,
    NoneValue,
    Other,
    Sequence,
    is_only,
    may_be,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Event
    from regbuf_lint.model.value import Value

META = RuleMeta(
    code="RBF104",
    name="buffer-rebound",
    summary="a buffer assigned something that is neither tensor nor None: TypeError at run time",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.NEVER,
)

DOCS = RuleDocs(
    what=(
        "Reports an assignment of a number, a string, a list, an array or the like to an attribute that is a "
        "registered buffer, in the constructor and in every other method of the class."
    ),
    why=(
        "The name of a buffer takes tensors and None only. Anything else raises "
        "`TypeError: cannot assign 'float' as buffer 'scale'` when the statement runs."
    ),
    example=(
        "class Scale(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("scale", torch.ones(()))\n'
        "\n"
        "    def reset(self) -> None:\n"
        "        self.scale = 1.0\n"
    ),
    use_instead=(
        "class Scale(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("scale", torch.ones(()))\n'
        "\n"
        "    def reset(self) -> None:\n"
        "        self.scale.fill_(1.0)\n"
    ),
    fix_safety=FixSafety(
        withheld=("always: the value may belong under another name, or into the buffer's elements",),
    ),
    checkpoint_impact="None.",
    references=("https://docs.pytorch.org/docs/stable/notes/modules.html#module-state",),
)

_NEVER_ACCEPTED = (Literal, Other, Sequence, Mapping)
_SPELLINGS = {Sequence: "a list or tuple", Mapping: "a dict"}


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    if context.overrides("__setattr__") is not None:
        return
    for attribute in _registered(context):
        events = (*context.construction.events, *_later(context, attribute))
        for event in events:
            if isinstance(event, Write) and event.attribute == attribute and _is_refused(event):
                yield _finding(context, event)


def _registered(context: ClassContext) -> list[str]:
    """Names that ``register_buffer`` or ``nn.Buffer`` registers, ``add_state`` of metrics left aside."""
    registrations = [event for event in context.construction.events if isinstance(event, Registration)]
    others = {event.attribute for event in registrations if event.function == "add_state"}
    names = dict.fromkeys(event.attribute for event in registrations if event.attribute not in others)
    return [name for name in names if name and not context.deleted(name) and not context.hooks.takes_state_apart]


def _later(context: ClassContext, attribute: str) -> tuple[Event, ...]:
    state = context.construction.attributes.get(attribute)
    return context.later_events(attribute) if state is not None and _is_buffer(state.value) else ()


def _is_buffer(value: Value) -> bool:
    return may_be(value, Buffer) and is_only(value, Buffer, NoneValue)


def _is_refused(write: Write) -> bool:
    if not write.step.own or write.form in {WriteForm.BYPASS, WriteForm.DELETED}:
        return False
    return _is_buffer(write.prior) and is_only(write.value, *_NEVER_ACCEPTED)


def _finding(context: ClassContext, write: Write) -> Finding:
    return Finding(
        rule=META,
        message=(
            f"buffer `{context.name}.{write.attribute}` is assigned {_spelled(write.value)}: "
            "a buffer takes a tensor or None, anything else raises TypeError"
        ),
        span=write.target,
        statement=write.step.statement,
        help=(
            f"assign a tensor, change the buffer in place (`self.{write.attribute}.fill_(...)`), "
            "or keep the value under another name"
        ),
        class_name=context.name,
        attribute=write.attribute,
        method=write.step.method,
    )


def _spelled(value: Value) -> str:
    one = next(iter(value))
    if isinstance(one, Literal):
        return "a string" if isinstance(one.value, (str, bytes)) else "a number"
    return _SPELLINGS.get(type(one), "something that is no tensor")
