"""RBF105: a buffer that is also stored under another attribute, or in a list or dict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.registry import exempting
from regbuf_lint.findings.inert import inert
from regbuf_lint.fixes.buffer_aliases import alias_fix
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.finding import Finding
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Buffer, Mapping, NoneValue, Sequence, is_only, is_tensor, may_be, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.value import Alternative, Value

META = RuleMeta(
    code="RBF105",
    name="stale-buffer-alias",
    summary="a buffer also stored under another attribute or in a container: the alias stays behind on `.to()`",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports a registered buffer that is assigned to a second attribute of `self`, or put into a list, tuple or "
        "dict there, while an `nn.Module` is built."
    ),
    why=(
        "`.to()`, `.cuda()` and `.half()` put a new tensor in the place of each buffer. The second name still holds "
        "the old one: on the old device, with the old dtype, and blind to every later change of the buffer."
    ),
    example=(
        "class Mixer(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("first", torch.ones(4), persistent=False)\n'
        "        self.second = self.first\n"
        "        self.both = [self.first, self.second]\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.second + sum(self.both)\n"
    ),
    use_instead=(
        "class Mixer(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("first", torch.ones(4), persistent=False)\n'
        '        self.register_buffer("second", self.first, persistent=False)\n'
        "\n"
        "    @property\n"
        "    def both(self) -> list[torch.Tensor]:\n"
        "        return [self.first, self.second]\n"
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x * self.second + sum(self.both)\n"
    ),
    fix_safety=FixSafety(
        does="Makes the second name a buffer of its own, as RBF001 does, where the first one is still a plain tensor.",
        unsafe=(
            (
                "always: the two become separate tensors after `.to()`. A property, or a plain read of the buffer, "
                "may be better"
            ),
        ),
        withheld=(
            (
                "the class changes the buffer, or a checkpoint may load other values into it: the second one would "
                "not change with it"
            ),
            "it is a buffer of another object, or in a container, for which a property is better",
            "the fix of RBF001 would be withheld",
        ),
    ),
    checkpoint_impact="As for RBF001.",
    references=("https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to",),
)


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    if context.hooks.registers_on_assignment:
        return
    reported: set[str] = set()
    for event in context.construction.events:
        if not isinstance(event, Write) or not event.attribute or event.attribute in reported:
            continue
        if not _is_alias(context, event) or exempting(context, event.attribute) is not None:
            continue
        if inert(context, event.attribute) is not None:
            continue
        reported.add(event.attribute)
        yield _finding(context, event, event.attribute)


def _is_alias(context: ClassContext, write: Write) -> bool:
    if not write.step.own or write.form in {WriteForm.BYPASS, WriteForm.DELETED} or may_be(write.prior, Buffer):
        return False
    state = context.construction.attributes.get(write.attribute or "")
    if state is None or write.number not in state.writes:
        return False
    if is_only(write.value, Sequence, Mapping):  # what is put into a list after it was stored shows at the end only
        return is_only(state.value, Sequence, Mapping, NoneValue) and _holds_buffer(state.value)
    return _holds_buffer(write.value)


def _holds_buffer(value: Value) -> bool:
    """Whether every alternative is a buffer or a container of buffers, None beside them."""
    if not any(_is_held(one) for one in value):
        return False
    return all(isinstance(one, NoneValue) or _is_held(one) or _is_empty(one) for one in value)


def _is_held(one: Alternative) -> bool:
    if isinstance(one, Buffer):
        return not one.registers_itself
    parts = parts_of(one)
    # A container that holds plain tensors too is reported as such.
    return any(map(_is_buffer, parts)) and not any(map(is_tensor, parts))


def _is_buffer(value: Value) -> bool:
    return may_be(value, Buffer) and is_only(value, Buffer, NoneValue)


def _is_empty(one: Alternative) -> bool:
    return isinstance(one, (Sequence, Mapping)) and not any(parts_of(one))


def _finding(context: ClassContext, write: Write, attribute: str) -> Finding:
    inside = is_only(write.value, Sequence, Mapping)
    what = "holds buffers in a container" if inside else "is a second name of a buffer"
    fix = alias_fix(context, attribute, write)
    advice = f"read the buffer where it is needed, or make `{attribute}` a property that returns it"
    return Finding(
        rule=META,
        message=f"`{context.name}.{attribute}` {what}: after `.to()` it still holds the old tensor, on the old device",
        span=write.target,
        statement=write.step.statement,
        help="; ".join(filter(None, (advice, fix.note))),
        class_name=context.name,
        attribute=attribute,
        method=write.step.method,
        fix=fix.fix,
    )
