"""RBF203: style, ``register_buffer`` called instead of ``nn.Buffer`` assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.findings.event_finding import event_finding
from regbuf_lint.fixes.buffer_annotations import new_annotation
from regbuf_lint.model.class_view import Registration
from regbuf_lint.model.fix import Applicability, Fix
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Tensor, is_only, tensors
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.rules.register_buffer_call import META as OPPOSITE
from regbuf_lint.source.selection import selected_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.finding import Finding

META = RuleMeta(
    code="RBF203",
    name="buffer-attribute",
    summary="style: call `register_buffer` instead of assigning `nn.Buffer`",
    severity=Severity.INFO,
    on_by_default=False,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what="Reports `self.x = nn.Buffer(t)`.",
    why=(
        "`nn.Buffer` exists since torch 2.5; code that runs with older releases, and code bases that spell it one way, "
        "call `register_buffer`. The opposite style is RBF202; where both are selected, that one counts."
    ),
    example="self.mask = nn.Buffer(torch.ones(8), persistent=False)\n",
    use_instead='self.register_buffer("mask", torch.ones(8), persistent=False)\n',
    fix_safety=FixSafety(
        does="Calls `register_buffer`.",
        safe=("where the tensor certainly is one, and has no gradient",),
        unsafe=(
            "where it may have a gradient or be None: `nn.Buffer` detaches its tensor, and makes an empty one of None",
        ),
        withheld=("where the statement is more than one plain assignment",),
    ),
    checkpoint_impact="None: `persistent` stays as it is.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",),
)

_LOOK = "the fix needs a look: `nn.Buffer` cuts the tensor off its graph, `register_buffer` takes it as it is"


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    if selected_codes(context.settings, (OPPOSITE,)) or context.overrides("register_buffer", "__setattr__") is not None:
        return
    for event in context.construction.events:
        if isinstance(event, Registration) and event.function == "nn.Buffer" and event.step.own:
            yield _finding(context, event)


def _finding(context: ClassContext, event: Registration) -> Finding:
    return event_finding(
        META,
        context,
        event,
        event.step.statement,
        f"`{context.name}.{event.attribute}` is assigned as `nn.Buffer` instead of registered by a call",
        f'write `self.register_buffer("{attribute_key(event.attribute or "", context.name)}", ...)`',
        _fix(context, event),
    )


def _fix(context: ClassContext, event: Registration) -> tuple[Fix | None, str]:
    from regbuf_lint.rewrite.conversions import as_registration  # noqa: PLC0415  libcst is slow to load

    try:
        edit = as_registration(context.source, event.step.statement, context.text.style(event.step.method))
    except CannotRewrite as reason:
        return None, f"fix withheld: {reason}"
    doubtful = any(one.derived or one.requires_grad or one.argument for one in tensors(event.value))
    safe = is_only(event.value, Tensor) and not doubtful
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    edits = tuple(sorted([edit, *new_annotation(context, event.attribute or "")], key=lambda one: one.span))
    return Fix(applicability, f"Register `{event.attribute}` by a call", edits), "" if safe else _LOOK
