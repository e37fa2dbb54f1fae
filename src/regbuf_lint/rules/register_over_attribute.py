"""RBF102: a buffer registered under a name that is an attribute already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.fixes.register_over_fix import fix_of
from regbuf_lint.model.class_view import GradientRequest, Registration, Write
from regbuf_lint.model.finding import Finding, Related
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Buffer, Unset, may_be

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext

META = RuleMeta(
    code="RBF102",
    name="register-over-attribute",
    summary="a buffer registered under the name of an attribute that exists already: KeyError at run time",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports `register_buffer` (and an `nn.Buffer` assigned) for a name that is an attribute already and no "
        "buffer: it was assigned before, or the class, a base or `nn.Module` defines a class attribute, a method or a "
        "property of that name."
    ),
    why=(
        "`register_buffer` raises `KeyError: \"attribute 'mask' already exists\"` then, so the class cannot be built. "
        "An assignment of None before counts too. A class-level annotation without a value is no attribute."
    ),
    example='self.running_mean = torch.zeros(8)\nself.register_buffer("running_mean", self.running_mean)\n',
    use_instead='self.register_buffer("running_mean", torch.zeros(8))\n',
    fix_safety=FixSafety(
        does="Turns the assignment before into the registration, or drops it.",
        safe=(
            "one plain assignment in the same method stands before, and the registration registers `self.x` itself",
            "the dropped assignment gave a constant",
        ),
        unsafe=("where the dropped assignment computes something",),
        withheld=(
            "the class or a base defines the name",
            "several statements assign it",
            "it is read in between",
        ),
    ),
    checkpoint_impact="`state_dict()` gains the key that was meant to be there; `persistent` stays as it is written.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",),
)


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    registrations = [event for event in context.construction.events if _is_candidate(event)]
    if (
        not registrations
        or context.overrides("register_buffer", "__setattr__", "__getattr__", "__delattr__") is not None
    ):
        return
    for event in registrations:
        if not isinstance(event, Registration) or not event.attribute or context.deleted(event.attribute):
            continue
        before = _written_before(context, event)
        if before:
            yield _over_assignment(context, event, before)
        elif may_be(event.prior, Unset):
            yield from _over_definition(context, event, event.attribute)


def _is_candidate(event: object) -> bool:
    if not isinstance(event, Registration) or event.function == "add_state":
        return False
    return event.step.own and event.step.initialised and not may_be(event.prior, Buffer)


def _written_before(context: ClassContext, event: Registration) -> list[Write]:
    """The assignments that certainly made the attribute before."""
    if may_be(event.prior, Unset) or context.hooks.takes_state_apart or context.hooks.names_attributes_at_run_time:
        return []
    events = context.construction.events
    return [
        one for one in events
        if isinstance(one, Write) and one.attribute == event.attribute and one.number < event.number
    ]  # fmt: skip


def _over_assignment(context: ClassContext, event: Registration, before: list[Write]) -> Finding:
    fix, note = fix_of(context, event, before)
    advice = "register it at once, without the assignment before"
    return replace(
        _finding(context, event, "was assigned before", f"{advice}; {note}" if note else advice),
        fix=fix,
        related=tuple(Related(write.target, "assigned here") for write in before),
    )


def _over_definition(context: ClassContext, event: Registration, attribute: str) -> Iterator[Finding]:
    collision = context.collision(attribute)
    if collision is None or context.hooks.takes_state_apart or not _is_readable(context, event, attribute):
        return
    advice = f"give the buffer another name, or take `{attribute}` out of the class"
    yield _finding(context, event, f"is also {collision}", f"{advice}; fix withheld: only the author knows which")


def _is_readable(context: ClassContext, event: Registration, attribute: str) -> bool:
    """Whether ``hasattr`` is true by then: a property counts only once everything that it reads is there."""
    getter_reads = _read_by_property(context, attribute)
    if getter_reads is None:
        return True
    there = {
        one.attribute for one in context.construction.events[: event.number] if not isinstance(one, GradientRequest)
    }
    return all(name in there or context.collision(name) is not None for name in getter_reads)


def _read_by_property(context: ClassContext, name: str) -> frozenset[str] | None:
    """Attributes that the getter of a property reads; None where the name is no property."""
    if context.inference.find_property(context.built, name) is None:
        return None
    return frozenset(read for read, methods in context.object_uses.read.items() if name in methods)


def _finding(context: ClassContext, event: Registration, why: str, help_text: str) -> Finding:
    return Finding(
        rule=META,
        message=f"buffer `{context.name}.{event.attribute}` {why}: registering the name raises KeyError",
        span=event.call,
        statement=event.step.statement,
        help=help_text,
        class_name=context.name,
        attribute=event.attribute,
        method=event.step.method,
    )
