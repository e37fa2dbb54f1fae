"""RBF202: style, ``nn.Buffer`` assigned instead of ``register_buffer`` called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.findings.event_finding import event_finding
from regbuf_lint.model.class_view import Registration
from regbuf_lint.model.fix import Applicability, Fix
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Tensor, is_only, tensors
from regbuf_lint.rewrite.errors import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.rewrite.style import TextStyle

META = RuleMeta(
    code="RBF202",
    name="register-buffer-call",
    summary="style: assign `nn.Buffer` instead of calling `register_buffer` (torch 2.5 and later)",
    severity=Severity.INFO,
    on_by_default=False,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        'Reports `self.register_buffer("x", t)` where `self.x = nn.Buffer(t)` does the same: the name is written out, '
        "`t` is certainly a tensor without a gradient, and the file imports something of `torch`."
    ),
    why=(
        "An assignment is what type checkers and readers understand: the attribute has a type and one spelling. "
        "`nn.Buffer` needs torch 2.5. The opposite style is RBF203; where both are selected, this one counts."
    ),
    example='self.register_buffer("mask", torch.ones(8), persistent=False)\n',
    use_instead="self.mask = nn.Buffer(torch.ones(8), persistent=False)\n",
    fix_safety=FixSafety(
        does="Assigns `nn.Buffer`, and imports it where the file has no name for it.",
        safe=("where the project runs with torch 2.5 or later",),
        withheld=("where the project says that it runs with older releases of torch",),
    ),
    checkpoint_impact="None: `persistent` stays as it is.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html",),
)


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    if context.overrides("register_buffer", "__setattr__") is not None:
        return
    for event in context.construction.events:
        if isinstance(event, Registration) and event.function == "register_buffer" and _is_convertible(context, event):
            style = context.text.style(event.step.method)
            if style.buffer_name:
                yield _finding(context, event, style)


def _is_convertible(context: ClassContext, event: Registration) -> bool:
    """Whether ``nn.Buffer``, which detaches its tensor and takes no None, would hold the same.

    It also registers itself under each other attribute that it is assigned to.
    """
    if not event.step.own or event.attribute is None or not event.attribute.isidentifier():
        return False
    if context.is_held_elsewhere(event.attribute):
        return False
    if event.attribute.startswith("__") or event.call != event.step.statement:
        return False
    return is_only(event.value, Tensor) and not any(one.derived or one.requires_grad for one in tensors(event.value))


def _finding(context: ClassContext, event: Registration, style: TextStyle) -> Finding:
    return event_finding(
        META,
        context,
        event,
        event.call,
        f"`{context.name}.{event.attribute}` is registered by a call instead of assigned as `nn.Buffer`",
        f"write `self.{event.attribute} = {style.buffer_name}(...)`",
        _fix(context, event, style),
    )


def _fix(context: ClassContext, event: Registration, style: TextStyle) -> tuple[Fix | None, str]:
    if context.settings.without_nn_buffer:
        return None, f"fix withheld: {context.settings.without_nn_buffer}"
    from regbuf_lint.rewrite.conversions import as_assignment  # noqa: PLC0415  libcst is slow to load

    try:
        edit = as_assignment(context.source, event.step.statement, style)
    except CannotRewrite as reason:
        return None, f"fix withheld: {reason}"
    return Fix(Applicability.SAFE, f"Assign `{event.attribute}` as `nn.Buffer`", style.with_import([edit])), ""
