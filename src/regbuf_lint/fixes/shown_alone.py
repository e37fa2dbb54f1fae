"""Why a fix that registers a buffer is shown and not applied: more has to change with it, or it is hardly wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.class_context.change import Change
from regbuf_lint.classes.outside_uses import read_outside_class
from regbuf_lint.fixes.buffer_plan import calls_on, first_tensors, share_tensor
from regbuf_lint.fixes.buffer_refill import needs_refill
from regbuf_lint.fixes.persistence import is_persistent
from regbuf_lint.fixes.unmet_demands import HALF, made_beside
from regbuf_lint.infer.construction import construct
from regbuf_lint.infer.given_arguments import may_be_given_parameters
from regbuf_lint.model.class_view import Write
from regbuf_lint.model.settings import Persistence
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import NAMELESS, Differs, Dtype, tensors, tensors_inside
from regbuf_lint.torch_facts.table import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.fixes.buffer_plan import Plan
    from regbuf_lint.model.value import Tensor

_UNFILLED = (
    f"{HALF}: `from_pretrained` builds the model without "
    "values and fills in what the checkpoint has; this buffer is in no checkpoint, so `_init_weights` has to set it"
)

_CUT_OFF = (
    "it is computed from parameters, or from what requires a gradient, and a buffer has to be detached: training no "
    "longer reaches them through it; if it has to follow them, compute it in `forward`"
)

_LOADED_OVER = (
    "it is one tensor under two names, and a checkpoint that has both would be loaded into the same memory twice; "
    "give each name a tensor of its own, as `.clone()` does"
)

_UNREAD = "nothing here reads it once the object is built; whether code elsewhere does, only its author knows"
_FOREIGN_STATE = "it comes from outside, and only its author knows whether checkpoints have to hold it"
_DRAWN_NUMBER = "it is one number, drawn or computed anew in each object, and checkpoints hardly have to hold it"

_BY_PROCESS = (
    "it depends on the rank of the process, and DistributedDataParallel gives each process the buffers of the first; "
    "compute it in `forward`, or pass `broadcast_buffers=False`"
)
_COMPLEX = "it is complex, and `.to(torch.bfloat16)` drops the imaginary part of a buffer with no more than a warning"


def why_shown(context: ClassContext, plans: Sequence[Plan], *, refilled: bool) -> str | None:
    """Why a fix is not applied; None where it may be.

    Args:
        context: the class.
        plans: the attributes that the fix registers.
        refilled: whether the fix lets ``_init_weights`` fill the buffers that need it.
    """
    if not refilled and any(needs_refill(context, plan) for plan in plans):
        return _UNFILLED
    beside = next((what for plan in plans if plan.attribute and (what := made_beside(context, plan.attribute))), None)
    if beside is not None:
        return f"{HALF}: {beside}"
    if any("detach" in calls_on(write) for plan in plans for write in first_tensors(plan)):
        return _CUT_OFF
    is_one = share_tensor(plans) and any(plan.persistent for plan in plans)
    if is_one or any(_is_loaded_over(context, plan) for plan in plans):
        return _LOADED_OVER
    return next((why for plan in plans if plan.attribute and (why := _why(context, plan, plan.attribute))), None)


def _is_loaded_over(context: ClassContext, plan: Plan) -> bool:
    """Whether a new object has one tensor twice, and a checkpoint has values for it: the last one loaded counts."""
    held = [list(tensors(write.value)) for write in first_tensors(plan)]
    return any(one and all(_is_saved_too(context, plan, tensor) for tensor in one) for one in held)


def _is_saved_too(context: ClassContext, plan: Plan, tensor: Tensor) -> bool:
    """Whether a tensor is another attribute's or a Parameter's, and a checkpoint has a value for it."""
    if plan.persistent:
        return bool(tensor.alias) or tensor.view_of_parameter
    return bool(tensor.alias) and is_persistent(context, tensor.alias, context.writes(tensor.alias))


def _why(context: ClassContext, plan: Plan, attribute: str) -> str | None:
    held = [tensor for write in first_tensors(plan) for tensor in tensors(write.value)]
    return (
        _about_names(context, attribute)
        or _about_parameters(context, attribute, held)
        or _about_content(held)
        or _about_precision(context, attribute)
        or _about_saving(context, plan, attribute, held)
        or (_UNREAD if held and _is_unread(context, attribute) else None)
    )


def _about_names(context: ClassContext, attribute: str) -> str | None:
    """What subclasses, and methods that look for buffers, make of one that has this name, or that comes first."""
    shadowing = _shadowing_subclass(context, attribute)
    if shadowing is not None:
        return f"`{shadowing}` has an attribute of that name in its body, over which `register_buffer` raises KeyError"
    early = _subclass_storing_before(context, attribute)
    if early is not None:
        return f"`{early}` stores it before `super().__init__()`, and over that `register_buffer` raises KeyError"
    taker = context.hooks.takes_first_buffer
    if taker is not None:
        return f"`{taker}` takes the first buffer of the object for its dtype or values, and this one may come first"
    return None


def _about_parameters(context: ClassContext, attribute: str, held: Sequence[Tensor]) -> str | None:
    weighs = any(one.sink is Sink.WEIGHT for one in context.trace(attribute).uses(attribute))
    given = next((one.argument for one in held if _may_be_parameter(context, one.argument, is_weight=weighs)), None)
    return None if given is None else f"`{given}` may be a Parameter, and as a buffer nothing would train it any more"


def _about_content(held: Sequence[Tensor]) -> str | None:
    if any(one.differs is Differs.BY_PROCESS for one in held):
        return _BY_PROCESS
    return _COMPLEX if any(one.dtype is Dtype.COMPLEX for one in held) else None


def _about_precision(context: ClassContext, attribute: str) -> str | None:
    mover = _keeping_precision(context, attribute)
    if mover is None:
        return None
    return f"`{mover}` moves it and leaves its precision as it is, and as a buffer it follows `.half()`"


def _about_saving(context: ClassContext, plan: Plan, attribute: str, held: Sequence[Tensor]) -> str | None:
    if not plan.persistent or context.text.wanted_persistence(attribute) is not Persistence.AUTO:
        return None
    if any(one.argument == NAMELESS for one in held):
        return _FOREIGN_STATE
    is_drawn = context.change_of(attribute) is Change.NONE and all(one.is_number for one in held)
    return _DRAWN_NUMBER if is_drawn else None


def _shadowing_subclass(context: ClassContext, attribute: str) -> str | None:
    """A subclass whose body has an attribute of that name."""
    found = (one for one in context.subclasses_at_hand if context.inference.definition(one).defines(attribute))
    return next((one.scope.qualname for one in found), None)


def _subclass_storing_before(context: ClassContext, attribute: str) -> str | None:
    """A subclass that gives an object the attribute before its bases are initialised."""
    for subclass in context.subclasses_at_hand:
        if attribute not in context.inference.uses(subclass).stored:
            continue
        built = construct(context.inference, subclass)
        events = built.events if built is not None else ()
        if any(isinstance(one, Write) and one.attribute == attribute and not one.step.initialised for one in events):
            return subclass.scope.qualname
    return None


def _may_be_parameter(context: ClassContext, argument: str, *, is_weight: bool) -> bool:
    built = context.inference, context.built
    return argument not in {"", NAMELESS} and may_be_given_parameters(*built, argument, is_weight=is_weight)


def _keeping_precision(context: ClassContext, attribute: str) -> str | None:
    """An own ``to`` or the like that moves an attribute among others of which one has a precision that was chosen."""
    for mover in context.own_movers(attribute):
        moved = (name for name in context.construction.attributes if mover in context.own_movers(name))
        held = (one for name in moved for one in tensors_inside(context.value_of(name)))
        if any(one.chosen_precision or one.dtype is Dtype.DOUBLE for one in held):
            return mover
    return None


def _is_unread(context: ClassContext, attribute: str) -> bool:
    """Whether no method of the class, its bases and subclasses uses an attribute that others may know by its name."""
    if context.in_dict(attribute) is not None or context.family_uses.dict_users:
        return False
    if any(map(context.runs_later, context.readers(attribute))) or attribute in context.family_uses.by_inner:
        return False
    elsewhere = read_outside_class(context.symbol.scope.file.tree, context.symbol.scope.node, attribute)
    if elsewhere and attribute not in table().properties:
        return False
    trace = context.trace(attribute)
    return trace.was_followed(attribute) and not trace.stores(attribute) and not trace.uses(attribute)
