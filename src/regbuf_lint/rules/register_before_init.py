"""RBF103: a buffer registered before ``super().__init__()`` has run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import Registration
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext

META = RuleMeta(
    code="RBF103",
    name="register-before-init",
    summary="a buffer registered before `super().__init__()`: AttributeError at run time",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.NEVER,
)

DOCS = RuleDocs(
    what=(
        "Reports `register_buffer`, and an `nn.Buffer` assigned to `self`, that run before `super().__init__()`, or in "
        "a constructor that never calls it."
    ),
    why=(
        "`nn.Module.__init__` makes the dictionaries that registration writes to. Before it, registration raises "
        "`AttributeError: cannot assign buffer before Module.__init__() call`, so the class cannot be built."
    ),
    example=(
        "class Scale(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        '        self.register_buffer("scale", torch.ones(8))\n'
        "        super().__init__()\n"
    ),
    use_instead=(
        "class Scale(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("scale", torch.ones(8))\n'
    ),
    fix_safety=FixSafety(
        withheld=("always: what stands between the registration and `super().__init__()` may have to stay before it",),
    ),
    checkpoint_impact="None: the class could not be built.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",),
)


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    early = [event for event in context.construction.events if _is_early(event)]
    if early and (context.construction.initialised or context.never_initialises):
        yield from (_finding(context, event) for event in early if isinstance(event, Registration))


def _is_early(event: object) -> bool:
    return isinstance(event, Registration) and event.step.own and not event.step.initialised


def _finding(context: ClassContext, event: Registration) -> Finding:
    what = f"buffer `{context.name}.{event.attribute}`" if event.attribute else f"a buffer of `{context.name}`"
    if context.construction.initialised:
        when, advice = "before `super().__init__()` has run", "move the registration behind `super().__init__()`"
    else:
        when, advice = "but nothing calls `super().__init__()`", "call `super().__init__()` first in the constructor"
    return Finding(
        rule=META,
        message=f"{what} is registered {when}: that raises AttributeError",
        span=event.call,
        statement=event.step.statement,
        help=advice,
        class_name=context.name,
        attribute=event.attribute,
        method=event.step.method,
    )
