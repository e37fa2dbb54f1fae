"""Plain tensors of which nothing comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.index.exports import is_exported
from regbuf_lint.index.import_chains import imports
from regbuf_lint.index.known_classes import outside_class
from regbuf_lint.infer.lifetimes import is_left_where_made
from regbuf_lint.infer.serving_tests import serves_tests_alone
from regbuf_lint.model.trail import Flow
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import (
    ON_CPU,
    Literal,
    Location,
    NoneValue,
    Tensor,
    holds_numbers,
    is_only,
    tensors_inside,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.index.files import FileFacts
    from regbuf_lint.model.use import Store, Trace

NEVER_READ = "nothing reads it once the object is built"
UNREAD_HERE = "nothing in its file reads it once the object is built, though other files read an attribute of that name"
HOST_ONLY = "Python alone reads it"
REDUCED = "only numbers without dimensions are computed from it, which go with tensors of any device"
NUMBER = "it is a number, which goes with tensors of any device"
_REPLICATING = "DataParallel"
CHOSEN_DEVICE = "it lies on the device that was chosen when the object was built, and stays there"
NAMED_DEVICE = "it lies on an accelerator by name and stays there, and nobody makes replicas"
TESTS_ALONE = "only tests build objects of its class, and they fail where anything is wrong"
LEFT_ALONE = "who makes objects of its class uses them at once, and neither moves nor saves one"


def inert(context: ClassContext, attribute: str) -> str | None:
    """Why nothing comes of the plain tensors in an attribute, or in its containers; None where something does or may.

    What differs in each object is missing from a checkpoint, whatever reads it.
    """
    if _serves_tests(context):
        return TESTS_ALONE
    return _inert_by_uses(context, attribute) or (LEFT_ALONE if _is_left_where_made(context) else None)


def _inert_by_uses(context: ClassContext, attribute: str) -> str | None:
    """The same by what methods and other code do with the attribute."""
    trace = context.trace(attribute)
    is_kept = context.is_kept_elsewhere(attribute)
    is_read_here = bool(trace.uses(attribute)) or is_kept or context.is_used_later(attribute)
    if not is_read_here and not context.is_read_elsewhere(attribute):
        return NEVER_READ
    if is_read_here and not trace.was_followed(attribute):
        return None
    if not is_kept and _is_only_looked_after(context, attribute):
        return NEVER_READ
    value = context.value_of(attribute)
    if any(one.random or one.derived for one in tensors_inside(value)) or context.in_dict(attribute) is not None:
        return None
    if not is_read_here:
        return UNREAD_HERE
    if trace.is_host_only(attribute) and not is_kept and not context.is_read_beside(attribute):
        is_reduced = any(one.sink is Sink.REDUCED for one in trace.uses(attribute))
        return REDUCED if is_reduced else HOST_ONLY
    if holds_numbers(value) and not trace.is_updated(attribute) and _stays_number(trace, attribute):
        return NUMBER
    return _stays_where_put(context, attribute)


def _is_only_looked_after(context: ClassContext, attribute: str) -> bool:
    """Whether methods move the tensor, or put other numbers in the place of all it holds, and nothing uses these."""
    trace = context.trace(attribute)
    uses, stores = trace.uses(attribute), trace.stores(attribute)
    is_unused = all(one.sink is Sink.MUTATED and one.refilled for one in uses)
    if not is_unused or not all(one.only_moves for one in stores):
        return False
    caring = frozenset(one.method for one in uses) | {one.method for one in stores}
    return not context.is_used_later(attribute, but=caring) and not context.is_read_elsewhere(attribute)


def _stays_number(trace: Trace, attribute: str) -> bool:
    """Whether no method gives the number dimensions, nor puts something else in its place."""
    uses = trace.uses(attribute)
    if any(one.sink is Sink.GROWN for one in uses):
        return False
    met = {one.method for one in uses if one.meets_itself}
    return all(_keeps_number(store, is_met=store.method in met) for store in trace.stores(attribute))


def _keeps_number(store: Store, *, is_met: bool) -> bool:
    """Whether a method never puts what may lie elsewhere now in a number's place and now leaves that: no running value.

    What a method always replaces is a placeholder, and so is what it computes nothing with.
    """
    if is_only(store.value, Tensor):
        return True
    is_left = is_met and not store.certain and not is_only(store.value, NoneValue, Literal)
    return not store.own_flows and not is_left


def _stays_where_put(context: ClassContext, attribute: str) -> str | None:
    """Why nothing comes of tensors that are all put on some device, where no method changes them.

    Who chooses a device there, or names one, moves the object to the same one, unless a trainer does; on one by name
    it stays behind all the same where DataParallel copies the object to others. A method that moves it to its inputs
    by hand then moves nothing, unless callers make the tensor, wherever they like.
    """
    value = context.value_of(attribute)
    places = _places(tensors_inside(value))
    if Location.OFFERED in places and context.works_on_kept_device:
        places = (places - {Location.OFFERED}) | {Location.CHOSEN}
    if not places or not places <= {Location.CHOSEN, Location.NAMED}:
        return None
    trace = context.trace(attribute)
    if _is_moved_by_trainer(context) or trace.is_updated(attribute):
        return None
    if not all(one.keeps for one in trace.stores(attribute)):
        return None
    is_given = any(one.argument for one in tensors_inside(value))
    if is_given and any(use.flow is Flow.MOVED for use in trace.uses(attribute)):
        return None
    if _may_be_replicated(context):
        return None
    return NAMED_DEVICE if Location.NAMED in places else CHOSEN_DEVICE


def _places(held: Iterable[Tensor]) -> set[Location]:
    """Where tensors lie; what stays on the CPU on one path alone, as in ``x.cuda() if use_cuda else x``, is chosen."""
    by_content: dict[Tensor, set[Location]] = {}
    for one in held:
        content = replace(one, location=Location.DEFAULT, dims=None, fresh=True, alias="")
        by_content.setdefault(content, set()).add(one.location)
    return {place for places in by_content.values() for place in _chosen(places)}


def _chosen(places: set[Location]) -> set[Location]:
    elsewhere = places - ON_CPU
    return {Location.CHOSEN} if elsewhere and elsewhere != places else places


def _serves_tests(context: ClassContext) -> bool:
    if _is_moved_by_trainer(context):
        return False
    return all(serves_tests_alone(context.inference, one) for one in {context.symbol, context.built})


def _is_left_where_made(context: ClassContext) -> bool:
    """Whether functions make all objects of a class, and let go of each without moving or saving it."""
    inference, classes = context.inference, {context.symbol, context.built}
    if _is_moved_by_trainer(context) or any(is_exported(inference.project, one) for one in classes):
        return False
    return all(is_left_where_made(inference, one) for one in classes)


def _may_be_replicated(context: ClassContext) -> bool:
    """Whether a file that makes replicas of models has, or imports, the file of the class."""
    inference = context.inference

    def find(file: FileFacts) -> bool:
        making = inference.project.files_calling_anywhere(file, _REPLICATING)
        return any(imports(inference.outlines, one, file) for one in making)

    return inference.replicated.found(context.symbol.scope.file, find)


def _is_moved_by_trainer(context: ClassContext) -> bool:
    bases = (outside_class(base.name) for base in context.inference.hierarchy.order(context.built))
    return any(base is not None and base.moved_by_trainer for base in bases)
