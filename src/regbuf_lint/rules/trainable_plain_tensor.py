"""RBF005: a tensor that asks for a gradient, assigned to ``self`` without being a Parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.registered_elsewhere import is_registered_elsewhere
from regbuf_lint.findings.inert import NEVER_READ, inert
from regbuf_lint.fixes.gradient_requests import without_request
from regbuf_lint.fixes.parameter_fix import parameter_obstacle
from regbuf_lint.infer.derivatives import is_differentiated_by_hand, is_given_to_optimizer, is_handed_out
from regbuf_lint.model.class_view import GradientRequest, Write, WriteForm
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.fix import Applicability, Fix
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import is_tensor, tensors
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.names import attribute_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext

META = RuleMeta(
    code="RBF005",
    name="trainable-plain-tensor",
    summary="a tensor with `requires_grad=True` assigned to self: never in parameters(), so never trained",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports a tensor made with `requires_grad=True` (or asked for it with `.requires_grad_()`) that is assigned "
        "to an attribute of `self` while an `nn.Module` is built, without being an `nn.Parameter`."
    ),
    why=(
        "`parameters()` lists Parameters only, so an optimizer built from it never updates the tensor. After `.to()` "
        "it stays behind on its device, and `state_dict()` does not save what was learned in it."
    ),
    example=(
        "class Scaled(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        "        self.scale = torch.ones(8, requires_grad=True)\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.scale\n"
    ),
    use_instead=(
        "class Scaled(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        "        self.scale = nn.Parameter(torch.ones(8))\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.scale\n"
    ),
    fix_safety=FixSafety(
        does="Wraps the tensor in `nn.Parameter(...)`, with `requires_grad=flag` where a flag decides.",
        unsafe=(
            (
                "always: the tensor becomes trainable, which is what the code asks for and yet changes what "
                "training does"
            ),
        ),
        withheld=(
            "the file has no name for `torch.nn`",
            "a flag decides whether it asks for a gradient, and the assigned expression does not show that flag",
            "the statement is more than a plain assignment",
        ),
    ),
    checkpoint_impact="`state_dict()` gains the key of the Parameter.",
    references=(
        "https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html",
        "https://docs.pytorch.org/docs/stable/notes/modules.html#module-state",
    ),
)


_UNTRAINED = "`parameters()` does not list it, so no optimizer trains it"
_OWN_OPTIMIZER = "`.to()` leaves it behind, and `state_dict()` does not save what its optimizer makes of it"
_TRAINED_TWICE = "the fix needs a look: an optimizer made of `parameters()` will train it, too"
_LOOK = "the fix needs a look: optimizers will train the tensor, and `state_dict()` will have it"


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    reported: set[str] = set()
    for event in context.construction.events:
        if isinstance(event, Write) and event.attribute and event.attribute not in reported and _asks(context, event):
            reported.add(event.attribute)
            yield _finding(context, event)


def _asks(context: ClassContext, write: Write) -> bool:
    if not write.step.own or context.ignored(write.attribute) or write.form is WriteForm.BYPASS or write.fills_buffer:
        return False
    state = context.construction.attributes.get(write.attribute or "")
    survives = state is not None and write.number in state.writes
    if not survives or not is_tensor(write.value) or not context.is_to_be_trained(write.attribute, write.value):
        return False
    if write.attribute is None:
        return True
    return not _is_trained_otherwise(context, write.attribute) and inert(context, write.attribute) != NEVER_READ


def _is_trained_otherwise(context: ClassContext, attribute: str) -> bool:
    """Whether a tensor that asks for a gradient is a Parameter somewhere else, or none that an optimizer needs."""
    if is_registered_elsewhere(context, attribute) or is_handed_out(context.definitions, attribute):
        return True
    return is_differentiated_by_hand(context.inference, context.definitions, attribute)


def _finding(context: ClassContext, write: Write) -> Finding:
    fix, note = _fix(context, write)
    attribute = write.attribute or ""
    has_optimizer = is_given_to_optimizer(context.inference, context.definitions, attribute)
    if has_optimizer and fix is not None:
        note = _TRAINED_TWICE
    advice = f"make it a Parameter: `self.{attribute} = nn.Parameter(...)`"
    asks = "may require" if _is_flagged(context, write) else "requires"
    return Finding(
        rule=META,
        message=(
            f"`{context.name}.{attribute}` {asks} a gradient but is no Parameter: "
            f"{_OWN_OPTIMIZER if has_optimizer else _UNTRAINED}"
        ),
        span=write.target,
        statement=write.step.statement,
        help=f"{advice}; {note}" if note else advice,
        class_name=context.name,
        attribute=write.attribute,
        method=write.step.method,
        fix=fix,
    )


def _requests(context: ClassContext, write: Write) -> list[GradientRequest]:
    """The statements of their own that ask the attribute of a write for a gradient."""
    events = (one for one in context.construction.events if one.attribute == write.attribute)
    return [one for one in events if isinstance(one, GradientRequest)]


def _is_flagged(context: ClassContext, write: Write) -> bool:
    """Whether it is known only at run time whether what is written asks for a gradient."""
    asked = context.value_of(write.attribute or "") if _requests(context, write) else write.value
    return not all(one.requires_grad for one in tensors(asked))


def _fix(context: ClassContext, write: Write) -> tuple[Fix | None, str]:
    name = context.text.torch_name("Parameter", write.step.method)
    if name is None:
        return None, "fix withheld: the file imports neither `torch` nor `torch.nn`"
    obstacle = parameter_obstacle(context, write)
    if obstacle is not None:
        return None, f"fix withheld: {obstacle}"
    from regbuf_lint.rewrite.gradients import FLAGGED, as_parameter  # noqa: PLC0415  libcst is slow to load

    requests, is_flagged = _requests(context, write), _is_flagged(context, write)
    if requests and is_flagged:
        return None, f"fix withheld: {FLAGGED}"
    style = context.text.style(write.step.method)
    try:
        edits = [without_request(context, one) for one in requests]
        edits.append(as_parameter(context.source, write.step.statement, name, style, is_flagged=is_flagged))
    except CannotRewrite as reason:
        return None, f"fix withheld: {reason}"
    message = f"Make `{write.attribute}` a Parameter"
    return Fix(
        Applicability.UNSAFE, message, tuple(edits), adds=(attribute_key(write.attribute or "", context.name),)
    ), _LOOK
