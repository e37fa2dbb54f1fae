"""RBF204: a registered buffer moved to a device by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.moves import device_moves
from regbuf_lint.model.class_view import Registration
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.fix import Applicability, Edit, Fix
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Buffer, NoneValue, is_only, may_be
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import without_statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.classes.moves import DeviceMove

META = RuleMeta(
    code="RBF204",
    name="redundant-device-move",
    summary="a registered buffer moved with `.to(x.device)`: it follows the nn.Module by itself",
    severity=Severity.INFO,
    on_by_default=False,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports `self.buf.to(x.device)` in a method that runs after construction, where `buf` is a registered buffer "
        "of the class. A call that names a dtype too is left alone."
    ),
    why=(
        "A buffer moves with its nn.Module, so the call does nothing, or copies at every step where the nn.Module was "
        "never moved. It is what is left of a time when the tensor was a plain attribute."
    ),
    example=(
        "class Mask(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("mask", torch.ones(8))\n'
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.mask.to(x.device)\n"
    ),
    use_instead=(
        "class Mask(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("mask", torch.ones(8))\n'
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.mask\n"
    ),
    fix_safety=FixSafety(
        does="Drops the call; `self.buf = self.buf.to(x.device)` goes as a whole.",
        unsafe=(
            "always: the call is needed where the nn.Module and its input are kept on different devices on purpose",
        ),
        withheld=("where the statement is all that its block holds",),
    ),
    checkpoint_impact="None.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to",),
)

_LOOK = "the fix needs a look: it is right only where inputs are on the device of the nn.Module"


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    for move in device_moves(context.definition):
        if context.runs_later(move.method) and _is_buffer(context, move.attribute):
            yield _finding(context, move)


def _is_buffer(context: ClassContext, attribute: str) -> bool:
    state = context.construction.attributes.get(attribute)
    if state is None or not may_be(state.value, Buffer) or not is_only(state.value, Buffer, NoneValue):
        return False
    metric_states = (
        event.attribute
        for event in context.construction.events
        if isinstance(event, Registration) and event.function == "add_state"
    )
    return attribute not in metric_states and not context.deleted(attribute)


def _finding(context: ClassContext, move: DeviceMove) -> Finding:
    fix, note = _fix(context, move)
    return Finding(
        rule=META,
        message=(
            f"`{context.name}.{move.attribute}` is a buffer and moves with its nn.Module: "
            "the call of `.to()` is redundant"
        ),
        span=move.call,
        statement=move.statement,
        help=f"read the buffer as it is; {note}",
        class_name=context.name,
        attribute=move.attribute,
        method=move.method,
        fix=fix,
    )


def _fix(context: ClassContext, move: DeviceMove) -> tuple[Fix | None, str]:
    edit = Edit(move.call, context.source.slice(move.receiver))
    if move.rebinds:
        if context.text.is_alone_in_block(move.statement):
            return None, "fix withheld: the statement is all that its block holds"
        try:
            edit = Edit(without_statement(context.source, move.statement), "")
        except CannotRewrite as reason:
            return None, f"fix withheld: {reason}"
    return Fix(Applicability.UNSAFE, f"Leave `{move.attribute}` where it is", (edit,)), _LOOK
