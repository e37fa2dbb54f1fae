"""Why somebody should look at a fix that registers a buffer before it is applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.class_context.change import Change
from regbuf_lint.class_context.torchscript import may_be_scripted
from regbuf_lint.classes.attribute_hooks import Passing
from regbuf_lint.classes.definition import BUILDERS
from regbuf_lint.classes.outside_uses import looked_up_in_dict
from regbuf_lint.classes.shared_memory import sharing_memory
from regbuf_lint.fixes.buffer_plan import BUFFER_VALUES, Plan, by, first_tensors, later_writes, replacing, share_tensor
from regbuf_lint.fixes.persistence import changes_shape, is_computed_anew, may_start_empty
from regbuf_lint.fixes.shown_alone import why_shown
from regbuf_lint.fixes.unmet_demands import unmet_demands
from regbuf_lint.infer.makers import is_stood_for
from regbuf_lint.infer.outside_writes import averaged_from_outside, given_from_outside
from regbuf_lint.model.class_view import Write, WriteForm
from regbuf_lint.model.fix import Applicability
from regbuf_lint.model.mention import mention
from regbuf_lint.model.settings import Persistence
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import NAMELESS, Buffer, Dtype, Parameter, Tensor, Unset, is_only, may_be, tensors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.use import Use


_REFILLED = (
    "`from_pretrained` builds the model without values, so the fix also has `_init_weights` compute this one; check "
    "that both places give the same value"
)

_COPIERS = frozenset({"__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__copy__", "__deepcopy__"})


def judged(
    context: ClassContext, plans: Sequence[Plan], more: Sequence[str] = (), *, refilled: bool = False
) -> tuple[Applicability, str]:
    """How far to trust a fix that registers attributes, and why not further; no reason for a safe one.

    Args:
        context: the class.
        plans: the attributes that the fix registers.
        more: further reasons to look at it.
        refilled: whether the fix lets ``_init_weights`` fill the buffers that need it.
    """
    shown = why_shown(context, plans, refilled=refilled)
    if shown is not None:
        return Applicability.DISPLAY, shown
    doubts = [*([_REFILLED] if refilled else []), *doubts_about(context, plans), *more]
    return (Applicability.UNSAFE, doubts[0]) if doubts else (Applicability.SAFE, "")


def doubts_about(context: ClassContext, plans: Sequence[Plan]) -> list[str]:
    """Reasons to look at the fix, the weightiest first.

    Args:
        context: the class.
        plans: the attributes that one fix registers.
    """
    found = [doubt for plan in plans for doubt in _about_demands(context, plan)]
    found.extend(doubt for plan in plans for write in first_tensors(plan) for doubt in _about_values(write))
    if any(plan.attribute is None for plan in plans):
        found.append(
            "its name is only known at run time; registering a name that the object already has raises KeyError"
        )
    if any(write.form is WriteForm.UNPACKED for plan in plans for write in plan.chosen):
        found.append("it splits the statement: the items are registered one after the other")
    if share_tensor(plans):
        found.append("one tensor is stored under several names; as buffers they become separate tensors after `.to()`")
    found.extend(doubt for plan in plans for doubt in (*_about_taken_name(context, plan), *_about_views(context, plan)))
    other = next((one for plan in plans for one in plan.writes if not is_only(one.value, *BUFFER_VALUES)), None)
    if other is not None:
        found.append(_about_other(other))
    found.extend(doubt for plan in plans for doubt in _about_outside(context, plan))
    if any(may_start_empty(plan.writes) and _changes(context, plan) for plan in plans):
        found.append(
            "it starts empty and is filled later; DistributedDataParallel fails where processes hold other shapes"
        )
    found.extend(
        f"{by(write)} replaces it by an expanded tensor, which DistributedDataParallel cannot copy to other processes"
        for plan in plans
        for write in _left_expanded(context, plan)[:1]
    )
    found.extend(doubt for plan in plans for doubt in _about_other_shapes(context, plan))
    found.extend(
        f"`{plan.attribute}` is passed on while the object is built; who keeps it keeps the old tensor after `.to()`"
        for plan in plans
        if plan.attribute is not None and context.escapes(plan.attribute)
    )
    found.extend(
        f"the class saves `{plan.attribute}` by itself, so the fix leaves it out of `state_dict()`"
        for plan in plans
        if plan.attribute is not None and not plan.persistent and _is_saved_otherwise(context, plan.attribute)
    )
    found.extend(_about_averages(context, plans))
    found.extend(_about_compiling(context, plans))
    found.extend(_about_keys(context, plans))
    found.extend(
        f"`{plan.attribute} = None` in the class body ({mention(none.statement.start.row)}) becomes an annotation; "
        f"reading `{context.name}.{plan.attribute}` from the class then raises AttributeError"
        for plan in plans
        if plan.attribute is not None and (none := context.places.class_none(plan.attribute)) is not None
    )
    return [*found, *_about_class(context, plans)]


def _about_taken_name(context: ClassContext, plan: Plan) -> list[str]:
    """What stores the attribute where construction has not, before the method that registers it runs."""
    if plan.attribute is None or not may_be(context.value_of(plan.attribute), Unset):
        return []
    registering = {write.step.method for write in plan.chosen} - BUILDERS
    first = next((one for one in later_writes(context, plan) if one.step.method not in registering), None)
    if first is None or not registering:
        return []
    return [f"{by(first)} may store it before `{min(registering)}` registers it, which raises KeyError then"]


def _about_views(context: ClassContext, plan: Plan) -> list[str]:
    """What methods change in place in one attribute, and find changed in another."""
    if plan.attribute is None:
        return []
    methods = sorted({write.step.method for write in first_tensors(plan) if write.step.own})
    functions = (context.definition.methods[one] for one in methods if one in context.definition.methods)
    shared = {other for one in functions for other in sharing_memory(one, plan.attribute)}
    for other in sorted(shared):
        changing = next((one.method for name in (other, plan.attribute) for one in _changed(context, name)), None)
        if changing is not None:
            what = f"it shares memory with `self.{other}`, and `{changing}` changes one of them in place"
            return [f"{what}; as buffers they become two tensors after `.to()`"]
    return []


def _changed(context: ClassContext, attribute: str) -> list[Use]:
    return [one for one in context.trace(attribute).uses(attribute) if one.sink is Sink.MUTATED and not one.guessed]


def _about_other(write: Write) -> str:
    if is_only(write.value, *BUFFER_VALUES, Parameter):
        return f"{by(write)} may make a Parameter of it, which takes the place of the buffer"
    return f"{by(write)} may assign it something else than a tensor, which raises TypeError for a buffer"


def _about_averages(context: ClassContext, plans: Sequence[Plan]) -> list[str]:
    """What averages all buffers of a model, which integers refuse."""
    whole = {Dtype.INT, Dtype.BOOL}
    if not any(one.dtype in whole for plan in plans for write in plan.chosen for one in tensors(write.value)):
        return []
    place = averaged_from_outside(context.inference, context.symbol)
    if place is None:
        return []
    return [f"{context.mention(place[0], place[1].path)} averages each buffer of a model, which fails for integers"]


def _about_outside(context: ClassContext, plan: Plan) -> list[str]:
    """What code outside of the class does with an attribute of that name."""
    if plan.attribute is None:
        return []
    found = []
    given = list(given_from_outside(context.inference, context.symbol, plan.attribute))
    refused = next((one for one in given if one.is_refused), None)
    if refused is not None:
        found.append(
            f"code outside of the class ({context.mention(refused.span, refused.file.path)}) gives an attribute of "
            "that name something else, and a buffer takes nothing but tensors"
        )
    key = looked_up_in_dict(context.symbol.scope.file.tree).get(plan.attribute)
    if key is not None:
        found.append(
            f"code outside of the class ({mention(key.lineno)}) looks such an attribute up in `__dict__`, which does "
            "not hold buffers"
        )
    is_open = not plan.persistent and context.text.wanted_persistence(plan.attribute) is Persistence.AUTO
    tensor = next((one for one in given if is_open and one.is_another_tensor), None)
    if tensor is not None:
        found.append(
            f"code outside of the class ({context.mention(tensor.span, tensor.file.path)}) gives it another value, "
            "which checkpoints do not have; leave out `persistent=False` if they should"
        )
    return found


def _about_class(context: ClassContext, plans: Sequence[Plan]) -> list[str]:
    """What the class does with all of its attributes."""
    found = []
    if any(context.hooks.assignment_passes(plan.attribute) is not Passing.ALWAYS for plan in plans):
        found.append("the class has its own `__setattr__`, which `register_buffer` does not call")
    if context.hooks.copying_methods:
        copier = min(context.hooks.copying_methods)
        found.append(
            f"`{copier}` makes a shallow copy, which shares its buffers: assigning one there assigns it in both"
        )
    user = _dict_user(context)
    if user is not None:
        found.append(f"`{user}` goes through `__dict__`, which does not hold buffers")
    if context.subclass is not None and not is_stood_for(context.inference, context.symbol):
        subclass = context.subclass.scope.qualname
        found.append(
            f"only subclasses like `{subclass}` store it while they are built; others use `{context.name}` too"
        )
    if context.loads_without_construction and any(plan.persistent for plan in plans):
        found.append("`from_pretrained` leaves it without a value where the checkpoint was saved before the fix")
    return found


def _dict_user(context: ClassContext) -> str | None:
    """A method that does something else with ``__dict__`` than to copy or restore the whole object."""
    return min(context.family_uses.dict_users - _COPIERS, default=None)


def _about_demands(context: ClassContext, plan: Plan) -> list[str]:
    """What methods want of the attribute and a buffer does not give."""
    if plan.attribute is None:
        return []
    return unmet_demands(context, plan.attribute, is_cast=_is_cast(plan))


def _about_compiling(context: ClassContext, plans: Sequence[Plan]) -> list[str]:
    """What TorchScript makes of the methods that get a registration."""
    later = {write.step.method for plan in plans for write in plan.chosen if context.runs_later(write.step.method)}
    if not later or not may_be_scripted(context):
        return []
    return [f"TorchScript cannot compile `register_buffer`, should it have to compile `{min(later)}`"]


def _is_cast(plan: Plan) -> bool:
    """Whether ``.half()`` may change the dtype of the buffer."""
    kept = {Dtype.INT, Dtype.BOOL}
    return any(tensor.dtype not in kept for write in plan.chosen for tensor in tensors(write.value))


def _changes(context: ClassContext, plan: Plan) -> bool:
    return plan.attribute is not None and context.change_of(plan.attribute) is not Change.NONE


def _is_saved_otherwise(context: ClassContext, attribute: str) -> bool:
    """Whether the class itself saves what differs in each object, or changes."""
    differs = any(tensor.random for tensor in tensors(context.value_of(attribute)))
    return (differs or context.change_of(attribute) is not Change.NONE) and context.saves(attribute)


def _about_other_shapes(context: ClassContext, plan: Plan) -> list[str]:
    """What fails where a method puts a tensor of another shape in the buffer's place."""
    if plan.attribute is None:
        return []
    is_replaced = context.change_of(plan.attribute) in {Change.CACHE, Change.REPLACED}
    if not is_replaced and not changes_shape(context, plan.attribute):
        return []
    who = replacing(context, plan)
    if plan.persistent:
        return [f"{who} replaces it, and a checkpoint with another shape does not load"]
    if is_computed_anew(context, plan.attribute):
        return []
    return [f"{who} replaces it, and DistributedDataParallel fails where processes hold other shapes"]


def _about_keys(context: ClassContext, plans: Sequence[Plan]) -> list[str]:
    """What a key more in checkpoints breaks, unless the configuration asks for the key."""
    too_old = context.settings.without_persistent
    why = f"`persistent=False` came with torch 1.6, and {too_old}; " if too_old else ""
    effect = "older checkpoints load with `strict=False` only"
    return [
        f"{why}`state_dict()` gains `{plan.attribute or 'its key'}`, and {effect}"
        for plan in plans
        if plan.persistent and context.text.wanted_persistence(plan.attribute) is not Persistence.ALWAYS
    ]


def _left_expanded(context: ClassContext, plan: Plan) -> list[Write]:
    """Where an assignment that the fix leaves as it is gives the buffer a tensor whose elements share memory."""
    left = [write for write in plan.writes if write not in plan.chosen]
    every = (*left, *later_writes(context, plan))
    return [write for write in every if any(one.expanded for one in tensors(write.value))]


def _about_values(write: Write) -> list[str]:
    found = [doubt for tensor in tensors(write.value) for doubt in (*_about_kind(tensor), *_about_holders(tensor))]
    if may_be(write.value, Buffer):
        found.append("it is the same tensor as another buffer, and becomes one of its own after `.to()`")
    return found


def _about_kind(tensor: Tensor) -> list[str]:
    """What a buffer, which is moved, cast and loaded, makes of such a tensor."""
    found = []
    if tensor.dtype is Dtype.DOUBLE:
        found.append("it may be in double precision, and as a buffer it follows `.half()` and `.float()`")
    elif tensor.chosen_precision:
        found.append("its precision is chosen where it is made, and `.half()` changes that of a buffer")
    if tensor.expanded:
        found.append("it is an expanded view, so the fix copies it: nothing can be loaded into such a view")
    return found


def _about_holders(tensor: Tensor) -> list[str]:
    """Who else may hold the tensor, and keeps the old one."""
    if tensor.argument == NAMELESS:
        return ["it comes from outside; check that this is never a Parameter, which nothing would train any more"]
    if tensor.argument:
        return [
            (
                f"it is what the caller gives as `{tensor.argument}`; check that this is never a Parameter, which "
                "nothing would train any more, or a number, which `register_buffer` refuses with TypeError"
            )
        ]
    if tensor.alias:
        return [f"it is the same tensor as `self.{tensor.alias}`; as buffers they become two tensors after `.to()`"]
    return [] if tensor.fresh else ["something else holds the same tensor, and keeps the old one when the buffer moves"]
