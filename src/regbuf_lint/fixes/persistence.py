"""Whether a checkpoint has to have what an attribute holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.class_context.change import Change
from regbuf_lint.classes.definition import methods_where, receiver_name
from regbuf_lint.classes.recomputing import computes_anew
from regbuf_lint.classes.stores import called_for, names_own, reshapes
from regbuf_lint.model.settings import Persistence
from regbuf_lint.model.trail import Source
from regbuf_lint.model.value import NOTHING, NoneValue, may_be, tensors
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.class_view import Write


def is_persistent(context: ClassContext, attribute: str | None, writes: list[Write]) -> bool:
    """Whether a checkpoint needs the value: it is random, or starts from parameters, which are; or it is state.

    What the class saves by itself need not be there, as its own way to load knows nothing of one key more, nor what
    methods only compute once more, as the constructor does.
    What may start empty or as None, or is a cache of ``forward``, changes its shape, and a saved one would not load.
    """
    if context.is_script_module or context.settings.without_persistent:
        return True
    wanted = context.text.wanted_persistence(attribute)
    if wanted is not Persistence.AUTO:
        return wanted is Persistence.ALWAYS
    change = Change.NONE if attribute is None else context.change_of(attribute)
    starts_empty = _starts_as_none(context, attribute) or may_start_empty(writes)
    if change is Change.CACHE or (change is not Change.NONE and starts_empty):
        return False  # a checkpoint that has it could not be loaded into a new object
    serves_one_run = attribute is not None and "cache" in attribute.lower() and change is not Change.NONE
    if serves_one_run or (attribute is not None and context.saves(attribute)):
        return False
    if any(tensor.random or tensor.derived for write in writes for tensor in tensors(write.value)):
        return True
    if attribute is not None and any(tensor.random for tensor in tensors(context.value_of(attribute))):
        return True  # filled in place after it was assigned
    if attribute is not None and change is not Change.NONE and is_computed_anew(context, attribute):
        return False
    if change is Change.REPLACED and attribute is not None:
        starts_as_none = may_be(context.value_of(attribute), NoneValue)
        lengths = (_is_other_range, _is_of_any_length, _takes_another_shape)
        return not (starts_as_none or any(one(context, attribute) for one in lengths))
    return change is Change.STATE and not (attribute is not None and changes_shape(context, attribute))


def may_start_empty(writes: Iterable[Write]) -> bool:
    """Whether some write puts a tensor without elements into the attribute."""
    return any(tensor.empty for write in writes for tensor in tensors(write.value))


def _starts_as_none(context: ClassContext, attribute: str | None) -> bool:
    """Whether the attribute is None at first, unless the constructor is given a tensor for it."""
    value = context.value_of(attribute) if attribute is not None else NOTHING
    return may_be(value, NoneValue) and all(tensor.argument for tensor in tensors(value))


def is_computed_anew(context: ClassContext, attribute: str) -> bool:
    """Whether methods that change the attribute after construction only give it what the constructor does."""
    changing = context.trace(attribute).changing(attribute)
    later = methods_where(context.definitions, changing.__contains__)
    functions = [one for one in later if names_own(one, attribute)]
    builders = list(methods_where(context.definitions, context.building.__contains__))
    return bool(functions) and all(computes_anew(one, builders, attribute) for one in functions)


def _is_other_range(context: ClassContext, attribute: str) -> bool:
    """Whether the constructor makes a range, in whose place methods put what they make of numbers, as of a step count.

    Its length is their caller's choice, so a saved one would not load.
    """
    called = called_for(methods_where(context.definitions, context.building.__contains__), attribute)
    stores = context.trace(attribute).replacements(attribute)
    made = all(origin.source is Source.FRESH for store in stores for origin in store.trail.tensors)
    return made and any(has("spacing_functions", f"torch.{name}") for name in called)


def _is_of_any_length(context: ClassContext, attribute: str) -> bool:
    """Whether a method that runs later gives the attribute what is as long as numbers in something else say."""
    called = called_for(methods_where(context.definitions, context.runs_later), attribute)
    return any(has("ragged_functions", f"torch.{name}") or has("ragged_methods", name) for name in called)


def changes_shape(context: ClassContext, attribute: str) -> bool:
    """Whether a method gives the attribute another shape, its own value or what is made like another tensor."""
    return _is_reshaped(context, attribute) or _takes_another_shape(context, attribute)


def _takes_another_shape(context: ClassContext, attribute: str) -> bool:
    """Whether it has no dimensions when it is built, and a method gives it what is shaped like another tensor."""
    starts = list(tensors(context.value_of(attribute)))
    if not starts or not all(one.is_number for one in starts):
        return False
    anew = [one for one in context.trace(attribute).stores(attribute) if not one.own_flows]
    called = called_for(methods_where(context.definitions, context.runs_later), attribute)
    return bool(anew) and any(name.endswith("_like") for name in called)


def _is_reshaped(context: ClassContext, attribute: str) -> bool:
    """Whether a method that runs after construction gives the attribute its own value in another shape."""
    return any(
        reshapes(function, receiver_name(function), attribute)
        for function in methods_where(context.definitions, context.runs_later)
    )
