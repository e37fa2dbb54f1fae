"""The fix of an attribute that is assigned before ``super().__init__()``: it is registered right behind that.

The assignment moves there as it is, where nothing needs the attribute before; else a local holds the tensor until then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.classes.definition import BUILDERS, names_string
from regbuf_lint.classes.uses import together
from regbuf_lint.fixes.buffer_annotations import annotation_edits
from regbuf_lint.fixes.buffer_fix import BufferFix, judged_fix, message, text_style, withheld
from regbuf_lint.fixes.buffer_plan import (
    Plan,
    Withheld,
    becomes_assignment,
    calls_on,
    is_early,
    plan_for,
    refuse_calls_on_none,
)
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.value import tensors
from regbuf_lint.rewrite.errors import CannotRewrite
from regbuf_lint.rewrite.lines import type_comment
from regbuf_lint.rewrite.names import free_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.fix import Edit
    from regbuf_lint.placement.early_assignment import EarlyAssignment
    from regbuf_lint.rewrite.registration import Registered

_LATE = "it is then set after the constructors of base classes have run, not before"
_FORMS = frozenset({WriteForm.PLAIN, WriteForm.ANNOTATED, WriteForm.UNPACKED, WriteForm.AUGMENTED})

_WITHOUT_CONSTRUCTOR = frozenset({"torch.nn.Module", "abc.ABC", "typing.Generic", "typing.Protocol", "object"})
"""Classes outside of the project whose constructors call nothing of the class, nn.Module's among them."""


def early_fix(context: ClassContext, attribute: str) -> BufferFix:
    """The fix of an attribute that is assigned before the object is initialised, or why there is none."""
    writes = context.writes(attribute)
    try:
        early = _early(context, attribute, writes)
        return _fix(context, _plan(context, attribute, writes, early), early)
    except (CannotRewrite, Withheld) as reason:
        return withheld(reason)


def _early(context: ClassContext, attribute: str, writes: list[Write]) -> EarlyAssignment:
    """How the constructor treats the attribute until the object is initialised.

    Raises:
        Withheld: it is assigned elsewhere, or may be needed by then.
    """
    where = _where(context, writes)
    for write in writes:
        if is_early(context, write) and not (write.step.own and write.step.method == "__init__"):
            msg = f"it is assigned in `{write.step.method}`, which runs {where}"
            raise Withheld(msg)
        if is_early(context, write) and write.form not in _FORMS:
            msg = f"it is assigned {where} by `{write.form.value}`, which cannot move behind it"
            raise Withheld(msg)
    if context.subclass is not None:
        msg = f"it is assigned {where}, where registering raises AttributeError"
        raise Withheld(msg)
    early = context.places.early_assignment(attribute)
    if isinstance(early, str):
        msg = f"it is assigned {where}, and {early}"
        raise Withheld(msg)
    reader = _read_by_bases(context, attribute, early.read)
    if reader is not None:
        msg = f"it is assigned {where}, and {reader} may read it while base classes are initialised"
        raise Withheld(msg)
    return early


def _where(context: ClassContext, writes: list[Write]) -> str:
    if not context.construction.initialised:
        return "without `super().__init__()`"
    first = next(write for write in writes if is_early(context, write))
    return "before `nn.Module.__init__` runs again" if first.step.initialised else "before `super().__init__()`"


def _plan(context: ClassContext, attribute: str, writes: list[Write], early: EarlyAssignment) -> Plan:
    plan = plan_for(context, attribute, [_as_if_initialised(context, write) for write in writes])
    if any(_is_late(write, early) for write in plan.chosen):
        msg = "it is assigned before `super().__init__()` and again behind it, where it may not be a buffer yet"
        raise Withheld(msg)
    return plan


def _as_if_initialised(context: ClassContext, write: Write) -> Write:
    number = max(write.number, context.construction.begun)
    return replace(write, number=number, step=replace(write.step, initialised=True))


def _is_late(write: Write, early: EarlyAssignment) -> bool:
    return write.step.statement.start > early.call.start


def _fix(context: ClassContext, plan: Plan, early: EarlyAssignment) -> BufferFix:
    late = [] if _is_initialised_by_torch(context) else [_LATE]
    what = f"{message([plan])} behind `super().__init__()`"
    return judged_fix(context, [plan], what, _edits(context, plan, early), late)


def _edits(context: ClassContext, plan: Plan, early: EarlyAssignment) -> list[Edit]:
    from regbuf_lint.rewrite.early import from_local, moved, renamed  # noqa: PLC0415  libcst is slow to load

    source, first = context.source, plan.chosen[0]
    style, how = text_style(context, first), _registered(context, plan, early)
    assigned = [write for write in plan.writes if not _is_late(write, early)]
    if any(type_comment(source, write.step.statement) is not None for write in assigned):
        msg = "it is assigned before `super().__init__()` with a type comment"
        raise Withheld(msg)
    annotations = annotation_edits(context, [plan])
    in_order = early.is_last and _is_initialised_by_torch(context)
    if early.movable is not None and (in_order or not _is_random(first)):
        return [*annotations, *style.with_import(moved(source, early.movable, first.target, early.call, how, style))]
    local = free_name(plan.attribute or "", style.taken_names)
    edits = [edit for one, places in early.places.items() for edit in renamed(source, one, places, local, style)]
    behind = from_local(source, first.target, local, early.call, how, style)
    return [*annotations, *edits, *style.with_import([behind])]


def _registered(context: ClassContext, plan: Plan, early: EarlyAssignment) -> Registered:
    from regbuf_lint.rewrite.registration import Registered  # noqa: PLC0415  libcst is slow to load

    values = [write.value for write in plan.writes if not _is_late(write, early)]
    every = replace(plan.chosen[0], value=frozenset().union(*values))
    refuse_calls_on_none(every)
    return Registered(plan.persistent, calls_on(every), by_call=not becomes_assignment(context, every))


def _is_random(write: Write) -> bool:
    return any(tensor.random for tensor in tensors(write.value))


def _read_by_bases(context: ClassContext, attribute: str, called: Iterable[str]) -> str | None:
    """What may use the attribute while the constructors of base classes run, in words.

    Args:
        context: the class.
        attribute: the attribute.
        called: attributes of the object, methods among them, that the class itself reads until then.
    """
    inference = context.inference
    own, others = context.object_uses, together(map(inference.uses, inference.classes(context.built)[1:]))
    names = {read for read, methods in others.read.items() if "__init__" in methods} | {*called}
    before = 0
    while len(names) > before:
        before = len(names)
        names |= {read for read, methods in own.read.items() if methods & names}
    reader = min(names & own.users(attribute), default=None)
    if reader is not None:
        return f"`{reader}`"
    if others.users(attribute) & BUILDERS:
        return "the constructor of a base class"
    values = [value for one in context.definitions for value in one.values.values()]
    return "a base class that looks up names of the class's attributes" if names_string(values, attribute) else None


def _is_initialised_by_torch(context: ClassContext) -> bool:
    """Whether no constructor but that of nn.Module runs between the class's own statements."""
    outside = {base.name for base in context.inference.outside_bases(context.built)}
    bases = context.inference.classes(context.built)[1:]
    return outside <= _WITHOUT_CONSTRUCTOR and not any(
        BUILDERS & context.inference.definition(base).methods.keys() for base in bases
    )
