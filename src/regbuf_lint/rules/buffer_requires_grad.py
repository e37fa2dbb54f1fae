"""RBF101: a buffer that requires a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.class_context.change import Change
from regbuf_lint.classes.definition import methods_where
from regbuf_lint.classes.stores import freezes
from regbuf_lint.findings.event_finding import event_finding
from regbuf_lint.fixes.gradient_requests import without_request
from regbuf_lint.infer.derivatives import is_differentiated_by_hand, is_handed_out
from regbuf_lint.model.class_view import GradientRequest, Registration
from regbuf_lint.model.fix import Applicability, Fix
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Buffer, NoneValue, Parameter, Tensor, is_only, may_be, tensors, without
from regbuf_lint.rewrite.errors import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.finding import Finding
    from regbuf_lint.model.value import Alternative, Value

META = RuleMeta(
    code="RBF101",
    name="buffer-requires-grad",
    summary="a buffer that requires a gradient: no optimizer ever sees it, and deepcopy may raise",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports a buffer that is registered with a tensor which requires a gradient (`requires_grad=True`, an "
        "`nn.Parameter`, a tensor computed from parameters), and a buffer that is asked for a gradient later."
    ),
    why=(
        "A buffer is never in `parameters()`: no optimizer updates it and `requires_grad_(False)` of the nn.Module "
        "skips it. After `.to(dtype)` it is no leaf any more, so its `.grad` stays None. A buffer computed from "
        "parameters carries their graph: `deepcopy` raises and the graph stays in memory. Torch allows it, and a few "
        "programs want it (gradients with respect to a constant); nearly always it is a mistake."
    ),
    example='self.register_buffer("scale", torch.ones(8, requires_grad=True))\n',
    use_instead=(
        'self.register_buffer("scale", torch.ones(8))  # a constant\n'
        "self.weight = nn.Parameter(torch.ones(8))  # something to train\n"
    ),
    fix_safety=FixSafety(
        does=(
            "Drops `requires_grad=True`, unwraps `nn.Parameter(...)`, detaches a computed tensor, or deletes the "
            "statement that asks for the gradient later. It never makes a Parameter out of a buffer."
        ),
        unsafe=("always: only the author knows whether the tensor was meant to be trained",),
        withheld=(
            "the statement that asks for the gradient cannot be taken out",
            "the gradient is asked for somewhere else",
        ),
    ),
    checkpoint_impact="None: the key stays.",
    references=(
        "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",
        "https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad",
    ),
)


_LOOK = "the fix needs a look: only the author knows whether the tensor was meant to be trained"


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    for event in context.construction.events:
        if isinstance(event, Registration) and event.step.own and _requires_gradient(event.value):
            raises = is_only(event.prior, Parameter)  # for the name that is taken: RBF102 says so
            is_wanted = _follows_parameters(context, event) or _is_trained_elsewhere(context, event.attribute)
            if not raises and not is_wanted:
                yield _registered(context, event)
        elif isinstance(event, GradientRequest) and _asks_in_vain(context, event):
            yield _asked(context, event)


def _asks_in_vain(context: ClassContext, event: GradientRequest) -> bool:
    """Whether a buffer is asked for a gradient that nobody wants for itself."""
    asked = event.step.own and is_only(event.prior, Buffer)
    return asked and not is_differentiated_by_hand(context.inference, context.definitions, event.attribute)


def _requires_gradient(value: Value) -> bool:
    """Whether the registered value carries a gradient on every path on which it is not None."""
    present = without(value, NoneValue)
    return bool(present) and all(_carries_gradient(one) for one in present)


def _is_trained_elsewhere(context: ClassContext, attribute: str | None) -> bool:
    """Whether a method hands the buffer out in a list, as meta-learning does: to be updated by others."""
    return attribute is not None and is_handed_out(context.definitions, attribute)


def _follows_parameters(context: ClassContext, event: Registration) -> bool:
    """Whether the graph is wanted, since ``forward`` computes the buffer anew, or there may be none.

    In the one case parameters are trained through it; in the other construction freezes some, which may be these.
    """
    if may_be(event.value, Parameter) or any(tensor.requires_grad for tensor in tensors(event.value)):
        return False
    recomputed = event.attribute is not None and context.change_of(event.attribute) is Change.CACHE
    return recomputed or _is_registered_again(context, event) or _freezes_parameters(context)


def _is_registered_again(context: ClassContext, event: Registration) -> bool:
    """Whether ``forward`` calls the method that registers the buffer, as the constructor does."""
    return not event.step.within.isdisjoint(context.inference.reached_from(context.built, frozenset({"forward"})))


def _freezes_parameters(context: ClassContext) -> bool:
    """Whether a method that construction runs sets ``requires_grad`` of parameters that it goes through."""
    return any(map(freezes, methods_where(context.definitions, context.building.__contains__)))


def _carries_gradient(one: Alternative) -> bool:
    if isinstance(one, Parameter):
        return one.gives_graph
    return isinstance(one, Tensor) and (one.requires_grad or one.derived) and not one.empty  # which has no values


def _origin(value: Value) -> str:
    if may_be(value, Parameter):
        return "is registered from a Parameter"
    if any(tensor.requires_grad for tensor in tensors(value)):
        return "is registered with `requires_grad=True`"
    return "is computed from parameters and carries their graph"


def _registered(context: ClassContext, event: Registration) -> Finding:
    name = event.attribute or "?"
    return event_finding(
        META,
        context,
        event,
        event.call,
        f"buffer `{context.name}.{name}` {_origin(event.value)}: no optimizer updates a buffer",
        "drop the gradient, or make it an `nn.Parameter` if it is to be trained",
        _fix(context, event),
    )


def _fix(context: ClassContext, event: Registration) -> tuple[Fix | None, str]:
    if event.argument is None:
        return None, "fix withheld: the registered expression cannot be told"
    from regbuf_lint.rewrite.gradients import without_gradient  # noqa: PLC0415  libcst is slow to load

    computed = any(tensor.derived and not tensor.requires_grad for tensor in tensors(event.value))
    try:
        edit = without_gradient(context.source, event.argument, detach=computed)
    except CannotRewrite as reason:
        return None, f"fix withheld: {reason}"
    return Fix(Applicability.UNSAFE, f"Register `{event.attribute}` without a gradient", (edit,)), _LOOK


def _asked(context: ClassContext, event: GradientRequest) -> Finding:
    return event_finding(
        META,
        context,
        event,
        event.step.statement,
        f"buffer `{context.name}.{event.attribute}` is asked for a gradient: no optimizer updates a buffer",
        "drop the statement, or make the buffer an `nn.Parameter` if it is to be trained",
        _removal(context, event),
    )


def _removal(context: ClassContext, event: GradientRequest) -> tuple[Fix | None, str]:
    try:
        edit = without_request(context, event)
    except CannotRewrite as reason:
        return None, f"fix withheld: {reason}"
    return Fix(Applicability.UNSAFE, f"Leave buffer `{event.attribute}` without a gradient", (edit,)), _LOOK
