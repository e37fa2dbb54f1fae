"""RBF001: a tensor assigned to ``self`` that is neither Parameter nor buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.finding import Finding, Related
from regbuf_lint.model.rule import FixAvailability, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import Buffer, Parameter, is_tensor, may_be, tensors
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.rules.attribute_fixes import attribute_fixes
from regbuf_lint.rules.base import Rule
from regbuf_lint.rules.buffer_fix import BufferFix, computed_name_fix
from regbuf_lint.rules.buffer_plan import becomes_assignment
from regbuf_lint.rules.change import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.rules.context import ClassContext

META = RuleMeta(
    code="RBF001",
    name="plain-tensor-attribute",
    summary="a tensor assigned to self while the nn.Module is built, neither Parameter nor buffer",
    severity=Severity.ERROR,
    on_by_default=True,
    fixable=FixAvailability.SOMETIMES,
)

DOCS = RuleDocs(
    what=(
        "Reports a tensor that is assigned to an attribute of `self` while an `nn.Module` is built (in `__init__`, "
        "`__post_init__`, or a method that they call) and that is neither an `nn.Parameter` nor a registered buffer. "
        "It is reported once per class and attribute, at the first assignment. A constant that the class reads for "
        "Python alone (`.item()`, a condition, the bounds of a draw, `extra_repr`) may stay where it is. So may what a "
        "comment at the assignment says is no buffer, and why."
    ),
    why=(
        "`nn.Module` keeps track of registered state only. A plain tensor stays on its device after `.to()` or "
        "`.cuda()`, keeps its dtype after `.half()`, and is missing from `state_dict()`, `buffers()`, and from what "
        "FSDP, DDP and `torch.export` see. It is met as `Expected all tensors to be on the same device`, or as a value "
        "that is lost when a checkpoint is loaded."
    ),
    example=(
        "class Attention(nn.Module):\n"
        "    def __init__(self, n: int) -> None:\n"
        "        super().__init__()\n"
        "        self.mask = torch.tril(torch.ones(n, n))\n"
    ),
    use_instead=(
        "class Attention(nn.Module):\n"
        "    def __init__(self, n: int) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("mask", torch.tril(torch.ones(n, n)), persistent=False)\n'
    ),
    fix_safety=(
        "Safe where the tensor is made on the spot and nothing else holds it. Unsafe where it may be somebody else's "
        "(an argument, another attribute, a cached result), is complex, of double precision or expanded, where a "
        "method gives it to NumPy, asserts its dtype, makes it the `.data` of another tensor or joins it with one "
        "that it makes on the CPU, where it starts empty and changes or a method expands it later, where TorchScript "
        "may compile the method that would register it, where one statement gives several attributes their values, "
        "where another branch assigns what may be no tensor (it is registered as well), where the name is only known "
        "at run time, and where the tensor is computed from parameters: the fix then detaches it. What "
        "is assigned before `super().__init__()` is registered behind it, which is unsafe where constructors of base "
        "classes run in between; `x = None` of the class becomes an annotation, unsafe too. What the attribute holds "
        "before the tensor, in the same block and seen by nobody else, stays in a local. Withheld, with the reason in "
        "the help, where registration would raise or change what the code means: for what is needed before "
        "`super().__init__()` by others than the constructor itself, for a name that the class, a base or `nn.Module` "
        "already defines, for an attribute that is later deleted or set to something that is no tensor, that is "
        "looked up in `__dict__`, or that shallow copies of the object change, where an own `__getattr__` finds no "
        "buffers or an own `__setattr__` keeps tensors elsewhere, where a method changes each of the object's "
        "buffers, and where an annotation would become a field of a dataclass. Shown and not applied for "
        "`nn.Parameter(t).to(device)`, which is no Parameter wherever the cast does something: the cast belongs "
        "before the Parameter. For parts of models with `from_pretrained`, whose `_init_weights` has to fill a buffer "
        "that no checkpoint holds, the fix writes that too and is unsafe; where `_init_weights` can't compute the "
        "value it is shown and not applied."
    ),
    checkpoint_impact=(
        "With `--persistent auto`, a value that every construction rebuilds is registered with `persistent=False` and "
        "`state_dict()` keeps its keys. A random value, or state that other methods change, becomes persistent: "
        "`state_dict()` gains its key, and loading an older checkpoint wants `strict=False`. What `forward` replaces "
        "whole is a cache, and what starts empty changes its shape: both stay out of checkpoints, since a tensor of "
        "another shape does not load. Moving a tensor (`self.x = self.x.to(device)`) makes no state of it, nor does "
        "computing it once more by the constructor's own expression."
    ),
    references=(
        "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",
        "https://docs.pytorch.org/docs/stable/notes/modules.html#module-state",
    ),
)


def _is_plain_tensor_write(context: ClassContext, write: Write) -> bool:
    """Whether a write leaves an unregistered tensor in the attribute that should not be there."""
    if not is_tensor(write.value) or write.form in {WriteForm.BYPASS, WriteForm.DELETED}:
        return False
    if write.fills_buffer:
        return False
    if context.is_to_be_trained(write.attribute, write.value) or _stays_empty(context, write):
        return False
    return not any(tensor.generator_state for tensor in tensors(write.value))


def _stays_empty(context: ClassContext, write: Write) -> bool:
    """Whether a tensor without elements stands for nothing, and no method puts another one in its place."""
    if not all(tensor.empty for tensor in tensors(write.value)):
        return False
    return write.attribute is None or context.change_of(write.attribute) is Change.NONE


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    events = context.construction.events
    own = [event for event in events if isinstance(event, Write) and event.step.own]
    writes = [write for write in own if _is_plain_tensor_write(context, write)]
    if not writes or context.registers_on_assignment:
        return
    reported: dict[str, list[Write]] = {}
    for attribute in dict.fromkeys(write.attribute for write in writes):
        if context.looks_after(attribute):
            continue
        mine = [write for write in writes if write.attribute == attribute]
        if attribute is None:
            yield from (_finding(context, [write], computed_name_fix(context, write)) for write in mine)
        elif _survives(context, attribute, mine) and not context.read_on_host(attribute):
            reported[attribute] = mine
    fixes = attribute_fixes(context, reported)
    for attribute, mine in reported.items():
        yield _finding(context, mine, fixes[attribute])


def _survives(context: ClassContext, attribute: str, writes: list[Write]) -> bool:
    """Whether one of the writes may still be what the attribute holds when construction ends.

    Where another path registers the attribute, who leaves it plain on this one does so on purpose.
    """
    state = context.construction.attributes.get(attribute)
    if state is None or may_be(state.value, Buffer):
        return False
    if may_be(state.value, Parameter) and not tensors(state.value):
        return False  # what was plain for a while became one wherever it was a tensor
    return any(write.number in state.writes for write in writes)


def _finding(context: ClassContext, mine: list[Write], outcome: BufferFix) -> Finding:
    first = mine[0]
    what = f"`{context.name}.{first.attribute}`" if first.attribute else f"an attribute of `{context.name}`"
    buffer = context.registered_as(first.attribute) if first.attribute else None
    advice = outcome.advice or _advice(context, first, buffer)
    lost = f"while the buffer `{buffer}`, now the same, moves" if buffer else "and `state_dict()` does not save it"
    return Finding(
        rule=META,
        message=f"{what} is a plain tensor: `.to()` and `.half()` leave it behind {lost}",
        span=first.target,
        statement=first.step.statement,
        help=f"{advice}; {outcome.note}" if outcome.note else advice,
        class_name=context.name,
        attribute=first.attribute,
        method=first.step.method,
        fix=outcome.fix,
        related=tuple(Related(write.target, "assigned again here") for write in mine[1:]),
    )


def _advice(context: ClassContext, write: Write, buffer: str | None) -> str:
    """What to write instead, where the attribute's tensor is no buffer of another name, or is one."""
    wanted = f"read `self.{buffer}` instead" if buffer else f"register it: `{_registration(context, write)}`"
    if write.attribute is None or context.is_used_later(write.attribute):
        return wanted
    return f"{wanted}; but nothing reads it once the object is built: delete it, or keep it in a local variable"


def _registration(context: ClassContext, write: Write) -> str:
    """What to write instead, in the style of the fixes."""
    if write.attribute and becomes_assignment(context, write):
        name = context.text_style(write.step.method).buffer_name or "nn.Buffer"
        return f"self.{write.attribute} = {name}(...)"
    name = f'"{attribute_key(write.attribute, context.name)}"' if write.attribute else "name"
    return f"self.register_buffer({name}, ...)"


RULE = Rule(META, DOCS, check)
