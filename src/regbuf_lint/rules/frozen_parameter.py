"""RBF201: a Parameter that is made with ``requires_grad=False``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.fixes.buffer_annotations import new_annotation
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.fix import Applicability, Fix
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Parameter, Unset, is_only
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.style import NO_BUFFER_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext

META = RuleMeta(
    code="RBF201",
    name="frozen-parameter",
    summary="`nn.Parameter(t, requires_grad=False)`: a constant that pretends to be trainable",
    severity=Severity.INFO,
    on_by_default=False,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports `self.w = nn.Parameter(t, requires_grad=False)` while an `nn.Module` is built, and the like that "
        "`register_parameter` is given."
    ),
    why=(
        "A Parameter is what an optimizer trains: a frozen one is in `parameters()`, is counted, is sharded by FSDP, "
        "is decayed by optimizers that do not look at gradients, and starts to train as soon as somebody calls "
        "`requires_grad_(True)` on the nn.Module. A constant is a buffer."
    ),
    example="self.table = nn.Parameter(torch.ones(8), requires_grad=False)\n",
    use_instead='self.register_buffer("table", torch.ones(8))\n',
    fix_safety=FixSafety(
        does="Registers a persistent buffer instead.",
        unsafe=("always: something may look for it in `parameters()`, or freeze it for a part of the training only",),
        withheld=(
            "the statement is more than a plain assignment",
            "the attribute is assigned elsewhere, too",
        ),
    ),
    checkpoint_impact="None: the buffer is persistent, so the key in `state_dict()` stays.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html",),
)

_FORMS = frozenset({WriteForm.PLAIN, WriteForm.ANNOTATED, WriteForm.CHAINED, WriteForm.REGISTERED})
_LOOK = "the fix needs a look: `parameters()` no longer lists it, which code or a saved optimizer may rely on"


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    asked = context.asked_for_gradient
    for event in context.construction.events:
        if not isinstance(event, Write) or not event.step.own or event.attribute in asked or not _is_frozen(event):
            continue
        if "Parameter" in context.source.slice(event.step.statement):  # not a second name of one
            yield _finding(context, event)


def _is_frozen(write: Write) -> bool:
    if write.attribute is None or write.form not in _FORMS:
        return False
    frozen = [not one.trainable for one in write.value if isinstance(one, Parameter)]
    return is_only(write.value, Parameter) and all(frozen)


def _finding(context: ClassContext, write: Write) -> Finding:
    fix, note = _fix(context, write)
    return Finding(
        rule=META,
        message=f"`{context.name}.{write.attribute}` is a Parameter that is never trained: a constant is a buffer",
        span=write.target,
        statement=write.step.statement,
        help=f'register it: `self.register_buffer("{write.attribute}", ...)`; {note}',
        class_name=context.name,
        attribute=write.attribute,
        method=write.step.method,
        fix=fix,
    )


def _fix(context: ClassContext, write: Write) -> tuple[Fix | None, str]:
    writes = [one for one in context.construction.events if getattr(one, "attribute", None) == write.attribute]
    if len(writes) > 1 or not is_only(write.prior, Unset) or not write.step.initialised:
        return None, "fix withheld: other statements of the constructor speak of it too"
    collision = context.collision(write.attribute or "")
    if collision is not None:
        return None, f"fix withheld: `{write.attribute}` is also {collision}"
    style = context.text.style(write.step.method)
    if context.text.wants_nn_buffer and not style.buffer_name:
        return None, f"fix withheld: {NO_BUFFER_NAME}"
    from regbuf_lint.rewrite.conversions import frozen_as_buffer  # noqa: PLC0415  libcst is slow to load

    try:
        edit = frozen_as_buffer(context.source, write.step.statement, style)
    except CannotRewrite as reason:
        return None, f"fix withheld: {reason}"
    message = f"Register `{write.attribute}` as a persistent buffer"
    annotations = () if context.text.wants_nn_buffer else new_annotation(context, write.attribute or "")
    edits = sorted([edit, *annotations], key=lambda one: one.span)
    return Fix(Applicability.UNSAFE, message, style.with_import(edits)), _LOOK
