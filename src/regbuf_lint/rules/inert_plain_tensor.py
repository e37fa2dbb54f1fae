"""RBF006: a plain tensor of which nothing comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.findings.inert import (
    CHOSEN_DEVICE,
    HOST_ONLY,
    LEFT_ALONE,
    NAMED_DEVICE,
    NEVER_READ,
    NUMBER,
    REDUCED,
    TESTS_ALONE,
    UNREAD_HERE,
    inert,
)
from regbuf_lint.findings.plain_tensors import plain_tensors
from regbuf_lint.fixes.attribute_fixes import attribute_fixes
from regbuf_lint.fixes.buffer_fix import NO_FIX
from regbuf_lint.fixes.host_value_fix import host_value_fix
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.fixes.buffer_fix import BufferFix
    from regbuf_lint.model.class_view import Write

META = RuleMeta(
    code="RBF006",
    name="inert-plain-tensor",
    summary="a plain tensor of which nothing comes: a number, never read, on a chosen device, or only in tests",
    severity=Severity.WARNING,
    on_by_default=False,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports what RBF001 would report, were it not that nothing comes of it:\n\n"
        "- a number without dimensions, which goes with tensors of any device, or a tensor that is reduced to one "
        "before it meets others;\n"
        "- a tensor that nothing in its file reads once the object is built;\n"
        "- one that Python alone reads (`.item()`, a condition, a loop, `extra_repr`);\n"
        "- one on a device that whoever builds the object, or the machine, has to choose, where no method changes it "
        "(a move by hand to the inputs moves nothing then); so is an accelerator on which a script or function puts "
        "what it gives the constructor;\n"
        '- one on an accelerator by name (`.cuda()`, `device="cuda"`), where no method changes it. Neither this nor '
        "the one before counts where a file that calls `DataParallel`, whose replicas lie elsewhere, imports "
        "that of the class;\n"
        "- one of a class that only tests build: it stands inside of a function whose name starts with `test` or of a "
        "`TestCase`, or in a file of tests (`test_*.py`, `*_test.py`), and nothing outside of that file calls it;\n"
        "- one of a class of whose objects each is made by a function that uses it, lets nobody else have it, and "
        "neither moves nor saves it. Classes whose objects a framework's trainer moves are left to RBF001, and so are "
        "those that a package offers."
    ),
    why=(
        "Nothing fails today. But the next method that combines the tensor with its input fails on an accelerator, "
        "and a tensor that nothing reads, or that Python reads as a number, had better be a local or a number."
    ),
    example=(
        "class Scaled(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        "        self.scale = torch.tensor(0.5)\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.scale\n"
    ),
    use_instead=(
        "class Scaled(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("scale", torch.tensor(0.5), persistent=False)  # or: self.scale = 0.5\n'
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.scale\n"
    ),
    fix_safety=FixSafety(
        does="Depends on what becomes of the tensor.",
        safe=(
            (
                "where it is a number without dimensions, lies on a chosen device, or is built by tests alone: it is "
                "registered under the conditions of RBF001"
            ),
        ),
        shown=(
            (
                "where Python alone reads it: the fix is the number or list that it is made of, and what reads it has "
                "to change, too"
            ),
        ),
        withheld=(
            "where nothing reads it: delete it, or use a local",
            "where it lies on an accelerator by name: leave the device out as you register it",
        ),
    ),
    checkpoint_impact="As for RBF001.",
    references=("https://docs.pytorch.org/docs/stable/notes/modules.html#module-state",),
)

_INSTEAD = {
    NEVER_READ: "delete it, or use a local",
    UNREAD_HERE: "delete it where nothing needs it, else register it as a buffer",
    HOST_ONLY: "keep a number or a list of Python instead",
    REDUCED: "keep the number instead, or register it as a buffer",
    NUMBER: "use a number of Python, or register it as a buffer",
    CHOSEN_DEVICE: "register it as a buffer, so that the object can be moved later, too",
    NAMED_DEVICE: "leave the device out and register it as a buffer, so that the object goes to any device",
    TESTS_ALONE: "register it as a buffer where the test shows how to write an nn.Module class",
    LEFT_ALONE: "register it as a buffer, so that the object can be moved and saved later, too",
}
_REGISTERED = frozenset({UNREAD_HERE, REDUCED, NUMBER, CHOSEN_DEVICE, TESTS_ALONE, LEFT_ALONE})


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    found: dict[str, list[Write]] = {}
    reasons: dict[str, str] = {}
    for attribute, writes in plain_tensors(context).items():
        reason = inert(context, attribute) if attribute is not None else None
        if attribute is not None and reason is not None:
            found[attribute], reasons[attribute] = writes, reason
    fixes = attribute_fixes(context, [one for one, reason in reasons.items() if reason in _REGISTERED])
    for attribute, writes in found.items():
        is_host_value = reasons[attribute] == HOST_ONLY
        outcome = host_value_fix(context, writes[0]) if is_host_value else fixes.get(attribute, NO_FIX)
        yield _finding(context, writes[0], reasons[attribute], outcome)


def _finding(context: ClassContext, write: Write, reason: str, outcome: BufferFix) -> Finding:
    advice = _INSTEAD[reason]
    return Finding(
        rule=META,
        message=f"`{context.name}.{write.attribute}` is a plain tensor of which nothing comes: {reason}",
        span=write.target,
        statement=write.step.statement,
        help=f"{advice}; {outcome.note}" if outcome.note else advice,
        class_name=context.name,
        attribute=write.attribute,
        method=write.step.method,
        fix=outcome.fix,
    )
