"""RBF106: the result of ``register_buffer``, which is None, assigned to an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import Registration
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.rule import FixAvailability, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.span import Span
from regbuf_lint.rules.base import Rule

if TYPE_CHECKING:
    from regbuf_lint.rules.context import ClassContext

META = RuleMeta(
    code="RBF106",
    name="register-buffer-result",
    summary="the result of register_buffer assigned to an attribute: it is None",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.ALWAYS,
)

DOCS = RuleDocs(
    what='Reports `self.w = self.register_buffer("w", t)`.',
    why=(
        "`register_buffer` returns None. Assigned to the name that was just registered, None replaces the tensor, so "
        "that the buffer is None and missing from `state_dict()`; assigned to another name, that name is None."
    ),
    example='self.w = self.register_buffer("w", torch.ones(8))\n',
    use_instead='self.register_buffer("w", torch.ones(8))\n',
    fix_safety=(
        "Safe where both names are the same: the attribute is then what the code says it is. Unsafe where they differ, "
        "since the other attribute no longer exists."
    ),
    checkpoint_impact="`state_dict()` gains the key that was meant to be there.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",),
)


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    for event in context.construction.events:
        if isinstance(event, Registration) and event.step.own and event.result_attribute is not None:
            yield _finding(context, event)


def _finding(context: ClassContext, event: Registration) -> Finding:
    same = event.attribute == event.result_attribute
    fix = Fix(
        Applicability.SAFE if same else Applicability.UNSAFE,
        "Drop the assignment",
        (Edit(Span(event.step.statement.start, event.call.start), ""),),
        adds=(event.attribute,) if event.attribute else (),
    )
    return Finding(
        rule=META,
        message=(
            f"`register_buffer` returns None, so `{context.name}.{event.result_attribute}` is None "
            + ("instead of the buffer" if same else "for ever")
        ),
        span=event.step.statement,
        statement=event.step.statement,
        help="call `register_buffer` as a statement of its own",
        class_name=context.name,
        attribute=event.result_attribute,
        method=event.step.method,
        fix=fix,
    )


RULE = Rule(META, DOCS, check)
