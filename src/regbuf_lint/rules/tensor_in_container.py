"""RBF002: tensors in a list, tuple or dict that is stored on an nn.Module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.findings.evidence import evidence
from regbuf_lint.findings.plain_tensors import worth_registering
from regbuf_lint.findings.tensor_containers import holds_tensors, tensor_containers
from regbuf_lint.fixes.attribute_fixes import container_fixes
from regbuf_lint.fixes.container_fix import are_parts_of_parameters
from regbuf_lint.model.class_view import WriteForm
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.fixes.buffer_fix import BufferFix
    from regbuf_lint.model.class_view import Write

_TENSORS = "holds tensors in a container: `.to()` and `.half()` leave them behind and `state_dict()` does not save them"
_PARTS = "holds parts of a Parameter in a container: `.to()` and `.half()` move the Parameter and leave them behind"

META = RuleMeta(
    code="RBF002",
    name="tensor-in-container",
    summary="a list, tuple or dict of tensors stored on an nn.Module",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports a list, tuple, dict or `OrderedDict` of tensors that is assigned to an attribute of `self` while an "
        "`nn.Module` is built, at the first assignment that brings tensors. A named tuple is a tuple, a `TypedDict` a "
        "dict."
    ),
    why=(
        "`nn.Module` does not look into containers: none of the tensors moves with `.to()`, is cast by `.half()`, or "
        "is saved by `state_dict()`."
    ),
    example=(
        "class Pyramid(nn.Module):\n"
        "    def __init__(self, sizes: list[int]) -> None:\n"
        "        super().__init__()\n"
        "        self.masks = [torch.ones(n, n) for n in sizes]\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.masks[0]\n"
    ),
    use_instead=(
        "class Pyramid(nn.Module):\n"
        "    def __init__(self, sizes: list[int]) -> None:\n"
        "        super().__init__()\n"
        "        masks = [torch.ones(n, n) for n in sizes]\n"
        "        for i, mask in enumerate(masks):\n"
        '            self.register_buffer(f"masks_{i}", mask, persistent=False)\n'
        "        self._masks_count = len(masks)\n"
        "\n"
        "    @property\n"
        "    def masks(self) -> list[torch.Tensor]:\n"
        '        return [getattr(self, f"masks_{i}") for i in range(self._masks_count)]\n'
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.masks[0]\n"
    ),
    fix_safety=FixSafety(
        does=(
            "Makes numbered buffers, and a property under the old name that gives them as a list or tuple. It does "
            "so for a list or tuple that is written out, a comprehension, and what a function makes whose source is "
            "at hand."
        ),
        unsafe=(
            (
                "always: indexing, loops, `len()`, `zip()` and unpacking read the property as before, but each read "
                "makes a new list, and TorchScript cannot compile it"
            ),
        ),
        withheld=(
            "the attribute is handed on, changed, assigned again, or named in a string",
            "it is a dict, a named tuple, a nested container, or a list that is filled with `append`",
            "it holds parts of a Parameter, which are to be taken where they are used",
            "other attributes hold its tensors, too: these are to be registered, and returned in a property",
            "the file speaks of TorchScript, or a name is taken",
            "the fix of RBF001 would be withheld",
        ),
    ),
    checkpoint_impact=(
        "As for RBF001: with `--persistent auto`, tensors that every construction rebuilds are registered with "
        "`persistent=False` and `state_dict()` keeps its keys; random ones and those that change in place become "
        "persistent. Where their number is only known at run time, the new keys are declared as a pattern "
        "(`masks_*`)."
    ),
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",),
)


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    found = tensor_containers(context)
    fixes = container_fixes(context, found, worth_registering(context) if found else ())
    for attribute, writes in found.items():
        trouble = _PARTS if are_parts_of_parameters(context.value_of(attribute)) else _TENSORS
        yield _finding(context, _reported(writes), attribute, trouble, fixes[attribute])


def _reported(writes: list[Write]) -> Write:
    """The first write that stores tensors; where none does, since they are put in afterwards, the first at all."""
    storing = (write for write in writes if write.form is not WriteForm.AUGMENTED)
    return next((write for write in storing if any(holds_tensors(one) for one in write.value)), writes[0])


def _finding(context: ClassContext, write: Write, attribute: str, trouble: str, outcome: BufferFix) -> Finding:
    advice = outcome.advice or (
        f'register each tensor as a buffer of its own (`self.register_buffer(f"{attribute}_{{i}}", ...)`) and read '
        "them by name"
    )
    return Finding(
        rule=META,
        message=f"`{context.name}.{attribute}` {trouble}",
        span=write.target,
        statement=write.step.statement,
        help=f"{advice}; {outcome.note}" if outcome.note else advice,
        class_name=context.name,
        attribute=attribute,
        method=write.step.method,
        fix=outcome.fix,
        evidence=evidence(context, attribute),
    )
