"""RBF001: a tensor assigned to ``self`` that is neither Parameter nor buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.findings.class_tensors import class_tensors
from regbuf_lint.findings.evidence import evidence
from regbuf_lint.findings.inert import inert
from regbuf_lint.findings.plain_tensors import plain_tensors
from regbuf_lint.findings.set_by_methods import at_first, set_by_methods
from regbuf_lint.findings.tensor_containers import tensor_containers
from regbuf_lint.fixes.attribute_fixes import attribute_fixes
from regbuf_lint.fixes.buffer_fix import BufferFix, computed_name_fix
from regbuf_lint.fixes.buffer_plan import becomes_assignment
from regbuf_lint.model.class_view import Write
from regbuf_lint.model.finding import Finding, Related
from regbuf_lint.model.rule import FixAvailability, FixSafety, RuleDocs, RuleMeta, Severity
from regbuf_lint.model.value import FLOATING, tensors
from regbuf_lint.rewrite.names import attribute_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Write
    from regbuf_lint.model.finding import Evidence

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
        "It is reported once per class and attribute, at the first assignment. What nothing comes of (a number without "
        "dimensions, what nothing reads once the object is built, what Python alone reads) is left to RBF006. What a "
        "comment at the assignment says is no buffer, and why, may stay where it is. A tensor that only another method "
        "assigns is reported where that makes it on the CPU, and methods need it where other tensors are; and so is "
        "what a method such as `fit` computes in the place of None, where `forward` computes with it; and a tensor in "
        "the body of the class with which methods compute where the object is, and which no object has for itself."
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
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x.masked_fill(self.mask == 0, 0)\n"
    ),
    use_instead=(
        "class Attention(nn.Module):\n"
        "    def __init__(self, n: int) -> None:\n"
        "        super().__init__()\n"
        '        self.register_buffer("mask", torch.tril(torch.ones(n, n)), persistent=False)\n'
        "\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x.masked_fill(self.mask == 0, 0)\n"
    ),
    fix_safety=FixSafety(
        does=(
            "Registers the tensor where it is assigned. An unsafe, withheld or shown fix says why in the help of "
            "its finding."
        ),
        safe=(
            (
                "where the tensor is made on the spot, nothing else holds it, no method gives the attribute another "
                "value, and whatever a method computes it with follows the object, is moved there, or is registered "
                "in the same edit"
            ),
        ),
        unsafe=(
            "the buffer is persistent: `state_dict()` gains a key, as it always does with torch before 1.6",
            "it shares memory with another attribute, and a method changes one of them in place",
            "it may be somebody else's tensor (an argument, another attribute, a cached result), or a number",
            (
                "it is an expanded view, or may be of double precision, as NumPy's arrays are; or the code chose its "
                "precision"
            ),
            (
                "it starts empty and changes, a method expands it, or replaces it by something else than the "
                "constructor's expression"
            ),
            "a method combines it with an attribute whose fix is unsafe, or with one of unknown kind, which stays",
            (
                "a method gives it to NumPy or another function that wants it on the CPU, asserts its dtype, draws "
                "with it by a generator of the object, or makes it the `.data` of another tensor"
            ),
            (
                "a method gives it, with a tensor whose dtype the code names, as in `x.float() @ self.basis`, to a "
                "function that takes one dtype alone"
            ),
            "a method moves it and changes what that gives in place: a copy today, and the buffer itself later",
            "TorchScript may compile the method that would register it",
            "one statement gives several attributes their values, or the name is only known at run time",
            "another branch assigns what may be no tensor, which is registered as well",
            "it is assigned before `super().__init__()`, and constructors of bases run in between",
            "the class says `x = None`, which becomes an annotation",
            "code outside of the class gives an attribute of that name a number, or a value that no checkpoint has",
            "it holds integers, and code of the package averages all buffers of a model",
        ),
        shown=(
            "it is computed from parameters, or from what requires a gradient: a buffer has to be detached",
            "a method joins it with a tensor that stays on the CPU, and would fail on an accelerator",
            (
                "it is an argument that may be a Parameter: some caller gives one, it is the weight of a layer, or "
                "nobody tells"
            ),
            "an own `to` moves it, or what it belongs to, and keeps a precision that the code chose",
            "it depends on the rank of the process, and DistributedDataParallel gives all the buffers of the first",
            "it is complex, and a cast to bfloat16 would drop the imaginary part of a buffer",
            "it is one tensor under two names, of which checkpoints hold one: both would be loaded into one memory",
            "a subclass has the name in its body, or stores it before it calls `super().__init__()`",
            "a method takes the first buffer of the object, `next(self.buffers())`, for its dtype or values",
            "it would be saved, though it comes from outside, or is one number that each object draws",
            "no method reads it, and other code may, as far as names tell",
            "it is `nn.Parameter(t).to(device)`, where the cast belongs before the Parameter",
            (
                "a model with `from_pretrained` has an `_init_weights` that can't compute the value. Where it can, "
                "the fix writes that, too, and is unsafe"
            ),
        ),
        withheld=(
            "others than the constructor itself need it before `super().__init__()`",
            "only a method that is no constructor assigns it: it lies where that makes it, and has its shape by it",
            "the class, a base or `nn.Module` has the name already",
            "a subclass runs `nn.Module.__init__` again after it is assigned, and would drop the buffer",
            "it is later deleted, set to something that is no tensor, or looked up in `__dict__`",
            "one statement gives it a Parameter or a plain tensor, and no text tells which",
            "shallow copies of the object change it, or a method changes each of the object's buffers",
            "an own `__getattr__` finds no buffers, or an own `__setattr__` keeps tensors elsewhere",
            "an annotation would become a field of a dataclass",
            "it stands in the body of the class, and all objects share it",
        ),
    ),
    checkpoint_impact=(
        "With `--persistent auto`:\n\n"
        "- what every construction rebuilds is registered with `persistent=False`: `state_dict()` keeps its keys;\n"
        "- random values, and state that methods change, become persistent: `state_dict()` gains the key, and older "
        "checkpoints load with `strict=False`;\n"
        "- what `forward` replaces whole, what starts empty, a range that methods replace by another one, and what "
        "`torch.nonzero` and the like find stay out: a tensor of another shape does not load;\n"
        "- what methods fill anew in place before they read it is scratch, and stays out too;\n"
        "- moving a tensor (`self.x = self.x.to(device)`), and computing it once more by the constructor's own "
        "expression, make no state of it."
    ),
    references=(
        "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer",
        "https://docs.pytorch.org/docs/stable/notes/modules.html#module-state",
    ),
)

_UNKNOWN_ORDER = "it lies where the method makes it, and whether the object has been moved by then is not known here"


def check(context: ClassContext) -> Iterator[Finding]:
    """Findings of one class."""
    reported: dict[str, list[Write]] = {}
    for attribute, writes in plain_tensors(context).items():
        if attribute is None:
            yield from (_finding(context, [write], computed_name_fix(context, write)) for write in writes)
        elif inert(context, attribute) is None:
            reported[attribute] = writes
    fixes = attribute_fixes(context, reported, tensor_containers(context) if reported else ())
    for attribute, writes in reported.items():
        yield _finding(context, writes, fixes[attribute])
    for attribute, writes in set_by_methods(context).items():
        yield _finding(context, writes, _left_to_author(context, attribute, writes[0]))
    for write in class_tensors(context).values():
        advice = f"register it in the constructor, in place of the class attribute: `{_registration(context, write)}`"
        yield _finding(context, [write], BufferFix(None, "all objects of the class share it", advice))


def _left_to_author(context: ClassContext, attribute: str, write: Write) -> BufferFix:
    """What to write instead where a method, and no constructor, gives the attribute its tensor."""
    if at_first(context, attribute):
        registration = _registration(context, write).replace("...", "torch.zeros(...)")
        advice = f"register it in the constructor with a tensor of its shape: `{registration}`"
        return BufferFix(None, f"the constructor does not know what `{write.step.method}` computes", advice)
    advice = f"declare it in the constructor: `{context.text.registration_of_none(attribute)}`"
    return BufferFix(None, _UNKNOWN_ORDER, advice)


def _finding(context: ClassContext, mine: list[Write], outcome: BufferFix) -> Finding:
    first = mine[0]
    found = evidence(context, first.attribute) if first.attribute else ()
    what = f"`{context.name}.{first.attribute}`" if first.attribute else f"an attribute of `{context.name}`"
    buffer = context.registered_as(first.attribute) if first.attribute else None
    advice = outcome.advice or _advice(context, first, buffer)
    return Finding(
        rule=META,
        message=f"{what} is a plain tensor: {_consequence(context, mine, outcome, found, buffer)}",
        span=first.target,
        statement=first.step.statement,
        help=f"{advice}; {outcome.note}" if outcome.note else advice,
        class_name=context.name,
        attribute=first.attribute,
        method=first.step.method or None,
        fix=outcome.fix,
        related=tuple(Related(write.target, "assigned again here") for write in mine[1:]),
        evidence=found,
    )


def _consequence(
    context: ClassContext, mine: list[Write], outcome: BufferFix, found: tuple[Evidence, ...], buffer: str | None
) -> str:
    """What breaks, and when."""
    casts = any(one.dtype in FLOATING for write in mine for one in tensors(write.value))
    name = mine[0].attribute
    around = " of a model around it" if name is not None and context.own_movers(name) else ""
    left = f"`.to()` and `.half()`{around} leave it behind" if casts else f"`.to()`{around} leaves it behind"
    if buffer:
        return f"{left} while the buffer `{buffer}`, now the same, moves"
    adds = outcome.fix.adds if outcome.fix is not None else ()
    is_saved_by_fix = bool(adds) if name is None else attribute_key(name, context.name) in adds
    is_left_out = outcome.fix is None and bool(mine[0].step.method) and not (name and context.saves(name))
    is_unsaved = is_saved_by_fix or is_left_out
    unsaved = " and `state_dict()` does not save it" if is_unsaved else ""
    return f"{left}{unsaved}" + (f"; {found[0].message}" if found else "")


def _advice(context: ClassContext, write: Write, buffer: str | None) -> str:
    """What to write instead, where the attribute's tensor is no buffer of another name, or is one."""
    return f"read `self.{buffer}` instead" if buffer else f"register it: `{_registration(context, write)}`"


def _registration(context: ClassContext, write: Write) -> str:
    """What to write instead, in the style of the fixes."""
    if write.attribute and becomes_assignment(context, write):
        name = context.text.style(write.step.method).buffer_name or "nn.Buffer"
        return f"self.{write.attribute} = {name}(...)"
    name = f'"{attribute_key(write.attribute, context.name)}"' if write.attribute else "name"
    return f"self.register_buffer({name}, ...)"
