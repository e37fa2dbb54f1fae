"""RBF003: a distribution over tensors that is stored on an nn.Module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.evidence import evidence
from regbuf_lint.findings.inert import inert
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Distribution, NoneValue, is_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.value import Value

META = RuleMeta(
    code="RBF003",
    name="distribution-attribute",
    summary="a torch.distributions object built from tensors and stored on an nn.Module: its tensors do not move",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.NEVER,
)

DOCS = RuleDocs(
    what=(
        "Reports a `torch.distributions` object that is built from tensors and assigned to an attribute of `self` "
        "while an `nn.Module` is built. Distributions that are `nn.Module` objects themselves "
        "(priors of gpytorch) are fine, and so are those from which the class only draws numbers for Python "
        "(`float(self.prior.sample())`) and indices, and those over Parameters of the object alone "
        "(`Normal(self.loc, self.scale)`): they keep these very Parameters where the shapes are the same."
    ),
    why=(
        "A distribution is no `nn.Module`: `.to()` and `.half()` leave its tensors behind, so that samples and "
        "log-probabilities come from the old device, and `state_dict()` does not save them. One that computes from "
        "parameters (`Categorical(logits=self.weight)`) also keeps the graph and the values of the moment when it was "
        "built."
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
    return survives and _is_distribution(write.value)


def _is_distribution(value: Value) -> bool:
    over_tensors = [one.of_tensors for one in value if isinstance(one, Distribution)]
    return bool(over_tensors) and all(over_tensors) and is_only(value, Distribution, NoneValue)


def _finding(context: ClassContext, write: Write) -> Finding:
    return Finding(
        rule=META,
        message=(
            f"`{context.name}.{write.attribute}` is a distribution over tensors: `.to()` leaves its tensors behind "
            "and `state_dict()` does not save them"
        ),
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
