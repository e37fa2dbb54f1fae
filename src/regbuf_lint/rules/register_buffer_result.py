"""RBF106: the result of ``register_buffer``, which is None, assigned to an attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.fixes.buffer_annotations import new_annotation
from regbuf_lint.model.class_view import Registration
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.span import Span
from regbuf_lint.rewrite.names import attribute_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext

META = RuleMeta(
    code="RBF106",
    name="register-buffer-result",
    summary="the result of `register_buffer` assigned to an attribute: it is None",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what='Reports `self.w = self.register_buffer("w", t)`.',
    why=(
        "`register_buffer` returns None. Assigned to the name that was just registered, None replaces the tensor, so "
        "that the buffer is None and missing from `state_dict()`; assigned to another name, that name is None."
    ),
    example='self.w = self.register_buffer("w", torch.ones(8))\n',
    use_instead='self.register_buffer("w", torch.ones(8))\n',
    fix_safety=FixSafety(
        does="Drops the assignment.",
        safe=("where both names are the same: the attribute is then what the code says it is",),
        withheld=("where the names differ: only the author knows under which one the tensor is meant to be found",),
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
    same = event.attribute is not None and event.attribute == event.result_attribute
    help_text = "call `register_buffer` as a statement of its own"
    if not same:
        help_text += "; fix withheld: the buffer has another name, and dropping the assignment removes the attribute"
    return Finding(
        rule=META,
        message=(
            f"`register_buffer` returns None, so `{context.name}.{event.result_attribute}` is None "
            + ("instead of the buffer" if same else "and not the buffer")
        ),
        span=event.step.statement,
        statement=event.step.statement,
        help=help_text,
        class_name=context.name,
        attribute=event.result_attribute,
        method=event.step.method,
        fix=_fix(context, event) if same else None,
    )


def _fix(context: ClassContext, event: Registration) -> Fix:
    from regbuf_lint.rewrite.calls import is_registered_persistent  # noqa: PLC0415  libcst is slow to load

    key = attribute_key(event.attribute or "", context.name)
    adds = (key,) if is_registered_persistent(context.source, event.call) else ()
    edit = Edit(Span(event.step.statement.start, event.call.start), "")
    edits = (*new_annotation(context, event.attribute or "", event.step.statement), edit)
    return Fix(Applicability.SAFE, "Drop the assignment", edits, adds=adds)
