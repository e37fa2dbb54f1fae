"""Why somebody should look at a fix that registers a buffer before it is applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.class_context.change import Change
from regbuf_lint.class_context.torchscript import may_be_scripted
from regbuf_lint.classes.attribute_hooks import Passing
from regbuf_lint.classes.demands import Demand
from regbuf_lint.fixes.buffer_plan import BUFFER_VALUES, Plan
from regbuf_lint.fixes.buffer_refill import needs_refill
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.value import Buffer, Dtype, NoneValue, Tensor, is_only, may_be, tensors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.class_context.context import ClassContext


_UNFILLED = (
    "the fix is one half of it, and not applied: `from_pretrained` builds the model on `meta` and leaves a buffer that "
    "no checkpoint holds uninitialised, so `_init_weights` has to fill it as well"
)


_REFILLED = (
    "`from_pretrained` builds the model on `meta`, so the fix lets `_init_weights` compute the value once more; both "
    "have to give the same one"
)


_UNMET = {
    Demand.HOST: "gives it to NumPy, which raises for a tensor on an accelerator",
    Demand.DTYPE: "asserts its dtype, which `.half()` changes for a buffer",
    Demand.PLACE: "joins it with a tensor that it makes on the CPU, which needs the buffer's device then",
    Demand.MEMORY: "makes it the data of another tensor, and once both are on one device, they share their memory",
}


def judged(
    context: ClassContext, plans: Sequence[Plan], more: Sequence[str] = (), *, refilled: bool = False
) -> tuple[Applicability, str]:
    """How far to trust a fix that registers attributes, and a note about that for its finding; none for a safe one.

    Args:
        context: the class.
        plans: the attributes that the fix registers.
        more: further reasons to look at it.
        refilled: whether the fix lets ``_init_weights`` fill the buffers that need it.
    """
    if not refilled and any(needs_refill(context, plan) for plan in plans):
        return Applicability.DISPLAY, _UNFILLED
    doubts = [*([_REFILLED] if refilled else []), *doubts_about(context, plans), *more]
    return (Applicability.UNSAFE, f"the fix needs a look: {doubts[0]}") if doubts else (Applicability.SAFE, "")


def doubts_about(context: ClassContext, plans: Sequence[Plan]) -> list[str]:
    """Reasons to look at the fix, the weightiest first.

    Args:
        context: the class.
        plans: the attributes that one fix registers.
    """
    found = [doubt for plan in plans for write in _first_tensors(plan) for doubt in _about_values(write)]
    if any(plan.attribute is None for plan in plans):
        found.append("the name is only known at run time, and it must not be an attribute already")
    if any(write.form is WriteForm.UNPACKED for plan in plans for write in plan.chosen):
        found.append("the statement is split: locals take the items, and the attributes are registered behind it")
    if _shares_tensor(plans):
        found.append("one tensor gets several names, and registered ones become several tensors after `.to()`")
    if any(not is_only(write.value, *BUFFER_VALUES) for plan in plans for write in plan.writes):
        found.append("another statement assigns it what may be no tensor, and that raises TypeError for a buffer")
    if any(context.may_start_empty(plan.attribute) and _changes(context, plan) for plan in plans):
        found.append("it starts empty, and DistributedDataParallel cannot broadcast what ranks fill apart in shape")
    if any(_becomes_expanded(context, plan) for plan in plans):
        found.append("a method puts an expanded tensor in its place, which DistributedDataParallel cannot broadcast")
    if any(plan.persistent and _changes_shape(context, plan) for plan in plans):
        found.append("a method puts another value in its place, and one of another shape cannot be loaded again")
    found.extend(
        f"`{plan.attribute}` is handed on while the object is built, and who keeps it keeps the old tensor"
        for plan in plans
        if plan.attribute is not None and context.escapes(plan.attribute)
    )
    found.extend(doubt for plan in plans for doubt in _about_demands(context, plan))
    found.extend(_about_compiling(context, plans))
    found.extend(
        f"`{plan.attribute} = None` of the class becomes an annotation, and other files may read it there"
        for plan in plans
        if plan.attribute is not None and context.places.class_none(plan.attribute) is not None
    )
    return [*found, *_about_class(context, plans)]


def _about_class(context: ClassContext, plans: Sequence[Plan]) -> list[str]:
    """What the class does with all of its attributes."""
    found = []
    if any(context.assignment_passes(plan.attribute) is not Passing.ALWAYS for plan in plans):
        found.append("the class has its own `__setattr__`, which a registration goes around")
    if context.copying_methods:
        copier = min(context.copying_methods)
        found.append(f"`{copier}` makes a shallow copy, and a buffer that is assigned there is assigned in both")
    user = context.dict_user()
    if user is not None:
        found.append(f"`{user}` goes through `__dict__`, where a buffer is not found")
    if context.subclass is not None:
        subclass = context.subclass.scope.qualname
        found.append(
            f"only classes like `{subclass}` store it while they are built, and others may use `{context.name}`"
        )
    if context.loads_without_construction and any(plan.persistent for plan in plans):
        found.append("`from_pretrained` leaves it uninitialised where the checkpoint was saved before the fix")
    return found


def _about_demands(context: ClassContext, plan: Plan) -> list[str]:
    """What methods want of the attribute and a buffer does not give."""
    demands = context.demands_on(plan.attribute) if plan.attribute is not None else {}
    unmet = {one: method for one, method in demands.items() if one is not Demand.DTYPE or _is_cast(plan)}
    return [f"`{method}` {_UNMET[one]}" for one, method in unmet.items()]


def _about_compiling(context: ClassContext, plans: Sequence[Plan]) -> list[str]:
    """What TorchScript makes of the methods that get a registration."""
    later = {write.step.method for plan in plans for write in plan.chosen if context.runs_later(write.step.method)}
    if not later or not may_be_scripted(context):
        return []
    return [f"TorchScript compiles no registration, should it have to compile `{min(later)}`"]


def _first_tensors(plan: Plan) -> list[Write]:
    """The writes that become registrations, and those that then fill a buffer which was None before."""
    filling = [write for write in plan.writes if write.step.own and write not in plan.chosen]
    after_none = [write for write in filling if may_be(write.prior, NoneValue) and not may_be(write.prior, Tensor)]
    return [*plan.chosen, *after_none]


def _is_cast(plan: Plan) -> bool:
    """Whether ``.half()`` may change the dtype of the buffer."""
    kept = {Dtype.INT, Dtype.BOOL}
    return any(tensor.dtype not in kept for write in plan.chosen for tensor in tensors(write.value))


def _changes(context: ClassContext, plan: Plan) -> bool:
    return plan.attribute is not None and context.change_of(plan.attribute) is not Change.NONE


def _changes_shape(context: ClassContext, plan: Plan) -> bool:
    """Whether a later value may have another shape, so that ``load_state_dict`` raises RuntimeError."""
    return plan.attribute is not None and context.change_of(plan.attribute) in {Change.CACHE, Change.REPLACED}


def _becomes_expanded(context: ClassContext, plan: Plan) -> bool:
    """Whether a method that runs later assigns a tensor whose elements share memory."""
    later = context.later_events(plan.attribute) if plan.attribute is not None else ()
    writes = (event for event in later if isinstance(event, Write))
    return any(tensor.expanded for write in writes for tensor in tensors(write.value))


def _shares_tensor(plans: Sequence[Plan]) -> bool:
    """Whether two attributes are targets of one chained assignment."""
    chained = [write.step.statement for plan in plans for write in plan.chosen if write.form is WriteForm.CHAINED]
    return len(set(chained)) < len(chained)


def _about_values(write: Write) -> list[str]:
    found = []
    for tensor in tensors(write.value):
        if tensor.derived:
            found.append(
                "the tensor is computed from parameters and would carry their graph, so the fix detaches it; "
                "where it has to follow them, compute it in `forward`"
            )
        if tensor.dtype is Dtype.COMPLEX:
            found.append(
                "the tensor is complex, and `.to(torch.bfloat16)` drops the imaginary part of a complex buffer"
            )
        if tensor.dtype is Dtype.DOUBLE:
            found.append("the tensor is of double precision, which `.half()` takes from a buffer")
        if tensor.expanded:
            found.append("the tensor is expanded, so the fix copies it: such a buffer cannot be loaded into")
        if tensor.argument:
            found.append("it comes from outside: a Parameter, somebody's tensor, or a number, which no buffer takes")
        elif tensor.alias:
            found.append(f"it is the same tensor as `{tensor.alias}`, and two buffers become two tensors after `.to()`")
        elif not tensor.fresh:
            found.append("something else holds the same tensor, which stays behind when the buffer moves")
    if may_be(write.value, Buffer):
        found.append("it is the same tensor as another buffer, and becomes another one after `.to()`")
    return found
