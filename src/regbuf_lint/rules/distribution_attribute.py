"""RBF003: a distribution that is stored on an nn.Module and draws where its tensors lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.evidence import evidence
from regbuf_lint.findings.inert import inert
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.trail import Flow
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import Distribution, NoneValue, is_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.value import Value

META = RuleMeta(
    code="RBF003",
    name="distribution-attribute",
    summary="a torch.distributions object stored on an nn.Module: its tensors, and what it draws, do not move",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.NEVER,
)

DOCS = RuleDocs(
    what=(
        "Reports a `torch.distributions` object that is built from tensors and assigned to an attribute of `self` "
        "while an `nn.Module` is built, and one over numbers (`Normal(0, 1)`) from which a method draws tensors with "
        "dimensions (`self.prior.sample(mu.shape)`). Distributions that are `nn.Module` objects themselves "
        "(priors of gpytorch) are fine, and so are those from which the class only draws numbers for Python "
        "(`float(self.prior.sample())`) and indices, and those over Parameters of the object alone "
        "(`Normal(self.loc, self.scale)`): they keep these very Parameters where the shapes are the same."
    ),
    why=(
        "A distribution is no `nn.Module`: `.to()` and `.half()` leave its tensors behind, so that samples and "
        "log-probabilities come from the old device, and `state_dict()` does not save them. One over numbers draws on "
        "the CPU. One that computes from parameters (`Categorical(logits=self.weight)`) also keeps the graph and the "
        "values of the moment when it was built."
    ),
    example=(
        "class Prior(nn.Module):\n"
        "    def __init__(self, n: int) -> None:\n"
        "        super().__init__()\n"
        "        self.prior = torch.distributions.Normal(torch.zeros(n), torch.ones(n))\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return self.prior.log_prob(x)\n"
    ),
    use_instead=(
        "class Prior(nn.Module):\n"
        "    def __init__(self, n: int) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("loc", torch.zeros(n), persistent=False)\n'
        '        self.register_buffer("scale", torch.ones(n), persistent=False)\n'
        "\n"
        "    @property\n"
        "    def prior(self) -> torch.distributions.Distribution:\n"
        "        return torch.distributions.Normal(self.loc, self.scale)\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return self.prior.log_prob(x)\n"
    ),
    fix_safety=FixSafety(
        withheld=("always: the buffers need names, and who reads the attribute may keep it",),
    ),
    checkpoint_impact="None as long as the buffers are registered with `persistent=False`.",
    references=("https://docs.pytorch.org/docs/stable/distributions.html",),
)


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    reported: set[str] = set()
    for event in context.construction.events:
        if not isinstance(event, Write) or not event.attribute or event.attribute in reported:
            continue
        if not _stays(context, event) or exempting(context, event.attribute) is not None:
            continue
        if inert(context, event.attribute) is not None:
            continue
        reported.add(event.attribute)
        yield _finding(context, event)


def _stays(context: ClassContext, write: Write) -> bool:
    """Whether the write may be the attribute's last, and what it holds at the end is a distribution over tensors."""
    if not write.step.own or write.form in {WriteForm.BYPASS, WriteForm.DELETED}:
        return False
    state = context.construction.attributes.get(write.attribute or "")
    survives = state is not None and write.number in state.writes
    return survives and (_is_over_tensors(write.value) or _draws_on_cpu(context, write.attribute or ""))


def _is_over_tensors(value: Value) -> bool:
    over_tensors = [one.of_tensors for one in value if isinstance(one, Distribution)]
    return bool(over_tensors) and all(over_tensors) and is_only(value, Distribution, NoneValue)


def _draws_on_cpu(context: ClassContext, attribute: str) -> bool:
    """Whether it is a distribution over numbers, from which methods draw tensors that they use where they lie."""
    over_numbers = [isinstance(one, Distribution) and one.of_numbers for one in context.value_of(attribute)]
    if not over_numbers or not all(over_numbers):
        return False
    uses = context.trace(attribute).uses(attribute)
    draws = any(one.sink is Sink.GROWN for one in uses)
    return draws and any(one.hurts and one.flow is not Flow.MOVED for one in uses)


def _finding(context: ClassContext, write: Write) -> Finding:
    what = (
        "over tensors: `.to()` leaves its tensors behind and `state_dict()` does not save them"
        if _is_over_tensors(write.value)
        else "over numbers: what it draws lies on the CPU, wherever `.to()` moves the object"
    )
    return Finding(
        rule=META,
        message=f"`{context.name}.{write.attribute}` is a distribution {what}",
        span=write.target,
        statement=write.step.statement,
        help=(
            "register its parameters as buffers and build it where it is used, "
            f"or in a property named `{write.attribute}`"
        ),
        class_name=context.name,
        attribute=write.attribute,
        method=write.step.method,
        evidence=evidence(context, write.attribute or ""),
    )
