"""RBF004: an attribute that is None after construction and that a later method fills with a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.set_by_methods import set_by_methods
from regbuf_lint.fixes.buffer_fix import buffer_fixes
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.finding import Finding, Related
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import NoneValue, Tensor, Unset, is_only, is_tensor, tensors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext

META = RuleMeta(
    code="RBF004",
    name="lazy-tensor-cache",
    summary="an attribute set to None while the nn.Module is built and filled with a tensor later: stale after `.to()`",
    severity=Severity.WARNING,
    on_by_default=False,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports `self.x = None` in the constructor where another method puts a tensor there and some method asks "
        "whether it is None, or whether another one is that is filled with it: a cache. What a method such as `fit` "
        "leaves for others is state, and reported by RBF001. Tensors that carry a graph are results rather than "
        "caches, and left alone."
    ),
    why=(
        "What is cached stays on the device, and in the dtype, of the first call: after `.to()` the cache is stale, "
        "and the next call fails with `Expected all tensors to be on the same device`."
    ),
    example=(
        "class Mask(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        "        self.mask = None\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        if self.mask is None:\n"
        "            self.mask = torch.ones(x.shape[-1], device=x.device)\n"
        "        return x * self.mask\n"
    ),
    use_instead=(
        "class Mask(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("mask", None, persistent=False)\n'
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        if self.mask is None:\n"
        "            self.mask = torch.ones(x.shape[-1], device=x.device)\n"
        "        return x * self.mask\n"
    ),
    fix_safety=FixSafety(
        does="Registers None as a buffer, so that the tensor assigned later becomes its value and moves.",
        unsafe=("always: `hasattr` is true from the start",),
        withheld=("where the fix of RBF001 would be withheld",),
    ),
    checkpoint_impact=(
        "None with `--persistent auto`: a checkpoint that holds what came later could not be loaded into a new object, "
        "in which the buffer is None again."
    ),
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",),
)

_LOOK = "the fix needs a look: `hasattr` is true from the start, and the buffer is None until the tensor is assigned"


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    caches: dict[str, tuple[Write, list[Write]]] = {}
    for event in context.construction.events:
        if not isinstance(event, Write) or not event.attribute or not _stays_none(context, event):
            continue
        if exempting(context, event.attribute) is not None:
            continue
        filled = _filled_later(context, event.attribute)
        if filled:
            caches[event.attribute] = event, filled
    asked = {attribute for attribute in caches if _asks_for(context, attribute)}
    filling = [_methods(caches[attribute][1]) for attribute in asked]
    state = set_by_methods(context) if caches else {}
    for attribute, (event, filled) in caches.items():
        if attribute in state:
            continue
        if attribute in asked or _is_filled_with(context, attribute, _methods(filled), filling):
            yield _finding(context, event, attribute, filled)


def _methods(filled: list[Write]) -> set[str]:
    return {one.step.method for one in filled}


def _asks_for(context: ClassContext, attribute: str) -> bool:
    """Whether a method that runs after construction asks whether the attribute is None, or is there."""
    return any(map(context.runs_later, context.family_uses.guarded.get(attribute, ())))


def _is_filled_with(context: ClassContext, attribute: str, own: set[str], asked: list[set[str]]) -> bool:
    """Whether the methods that fill it fill a cache as well that methods ask for, and do so not in each call."""
    each_time = any(one.certain for one in context.trace(attribute).stores(attribute))
    return not each_time and any(own <= methods for methods in asked)


def _stays_none(context: ClassContext, write: Write) -> bool:
    if not write.step.own or write.form not in {WriteForm.PLAIN, WriteForm.ANNOTATED, WriteForm.CHAINED}:
        return False
    state = context.construction.attributes.get(write.attribute or "")
    is_first = is_only(write.value, NoneValue) and is_only(write.prior, Unset)
    return is_first and state is not None and is_only(state.value, NoneValue)


def _filled_later(context: ClassContext, attribute: str) -> list[Write]:
    """The assignments of tensors in other methods; none where something else is assigned there, too."""
    events = context.later_events(attribute)
    writes = [one for one in events if isinstance(one, Write) and one.form is not WriteForm.DELETED]
    if not all(is_only(write.value, Tensor, NoneValue) for write in writes):
        return []
    filled = [write for write in writes if is_tensor(write.value)]
    graph = any(one.derived or one.requires_grad for write in filled for one in tensors(write.value))
    return [] if graph else filled


def _finding(context: ClassContext, write: Write, attribute: str, filled: list[Write]) -> Finding:
    outcome = buffer_fixes(context, [attribute])[attribute]
    fix = replace(outcome.fix, applicability=Applicability.UNSAFE) if outcome.fix is not None else None
    return Finding(
        rule=META,
        message=(
            f"`{context.name}.{attribute}` is None at first and `{filled[0].step.method}` puts a tensor there: "
            "after `.to()` that tensor is on the old device"
        ),
        span=write.target,
        statement=write.step.statement,
        help=f"register None: `{context.text.registration_of_none(attribute)}`; {outcome.note or _LOOK}",
        class_name=context.name,
        attribute=attribute,
        method=write.step.method,
        fix=fix,
        related=tuple(Related(one.target, "a tensor is assigned here") for one in filled),
    )
