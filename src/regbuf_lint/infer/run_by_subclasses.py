"""The objects by which a class is judged: what only the construction of classes that inherit from it tells."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.container_fills import filled_in
from regbuf_lint.classes.definition import BUILDERS
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.index.symbols import own_name
from regbuf_lint.infer.callers import construct_as_called
from regbuf_lint.infer.construction import attributes_after, later_events
from regbuf_lint.infer.makers import MOST_SUBCLASSES, concrete_classes, is_stood_for
from regbuf_lint.infer.subclasses import MOST_LOOKED_AT, subclasses, subclasses_in
from regbuf_lint.model.class_view import Write
from regbuf_lint.model.value import Buffer, Distribution, Parameter, Sequence, Tensor, may_be
from regbuf_lint.model.value import Mapping as MappingValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import AttributeState, Construction, Event
    from regbuf_lint.model.value import Alternative

MOST_FAR_SUBCLASSES = 3
"""Of them, those in other files, whose construction may lead to many more files."""
_REGISTERING = ("register_buffer", "add_state", "__setattr__")


def constructions_through_subclasses(
    inference: Inference, symbol: ClassSymbol, own: Construction | None, *, stood_for: bool
) -> Iterator[tuple[ClassSymbol, Construction]]:
    """nn.Module classes whose construction tells what that of a class does not, with its steps as seen by the class.

    They run methods of the class that its own construction does not run, or stand for it.

    Args:
        inference: what the run shares.
        symbol: the class, which may be a mixin.
        own: its own construction, None where it is no nn.Module class.
        stood_for: whether objects of the class are made as ones of its subclasses alone.
    """
    every = concrete_classes(inference, symbol) if stood_for else _running_more(inference, symbol, own)
    for one in every:
        construction = construct_as_called(inference, one)
        if construction is not None:
            yield one, construction.seen_by(symbol.name)


def _running_more(inference: Inference, symbol: ClassSymbol, own: Construction | None) -> Iterator[ClassSymbol]:
    """The classes whose construction runs methods of a class that its own does not run.

    Other files are looked through only where they call a method of the class that certainly stores a tensor, whatever
    is passed: most classes have none, and following all that inherits from them would cost more than everything else.
    """
    near = subclasses_in(inference, symbol, symbol.scope.file)
    called = inference.project.called_where_derived(symbol.scope.file, own_name(symbol))
    if not near and not called:
        return
    run_already = frozenset[str]() if own is None else own.called | BUILDERS
    waiting = _storing_methods(inference, symbol) - run_already
    if not waiting:
        return
    modules = _modules(inference, near)[:MOST_SUBCLASSES]
    if waiting & called:
        family = islice(subclasses(inference, symbol), MOST_LOOKED_AT)
        calling = (
            one for one in family if one not in near and inference.project.calls_on_self(one.scope.file) & waiting
        )
        far = _modules(inference, calling)[:MOST_FAR_SUBCLASSES]
        if far and any(_keeps_tensor(inference, symbol, method) for method in sorted(waiting & called)):
            modules.extend(far)
    for subclass in modules:
        construction = inference.constructor(inference, subclass)
        if construction is not None and _makes_a_difference(inference, symbol, waiting, construction):
            yield subclass


def _makes_a_difference(
    inference: Inference, symbol: ClassSymbol, methods: AbstractSet[str], construction: Construction
) -> bool:
    """Whether some methods of a class do something in the construction of a subclass that a rule may speak of."""
    if any(_fills(inference, symbol, method, construction.attributes) for method in methods & construction.called):
        return True
    steps = (event.step for event in construction.events if _matters(event))
    return any(step.owner == symbol.name and step.method in methods for step in steps)


def _modules(inference: Inference, symbols: Iterable[ClassSymbol]) -> list[ClassSymbol]:
    modules = (one for one in symbols if inference.hierarchy.membership(one).verdict is Verdict.YES)
    return [one for one in modules if not is_stood_for(inference, one)]


def _storing_methods(inference: Inference, symbol: ClassSymbol) -> frozenset[str]:
    """The methods of a class that store or register something on the object, or fill its lists and dicts."""
    methods, uses = inference.definition(symbol).methods, inference.uses(symbol)
    registering = (uses.read.get(name, set()) for name in _REGISTERING)
    filling = {name for name, function in methods.items() if filled_in(function)}
    return frozenset(methods) & frozenset().union(*uses.stored.values(), *registering, uses.dynamic, filling)


def _keeps_tensor(inference: Inference, symbol: ClassSymbol, method: str) -> bool:
    """Whether a method stores a tensor or registers something, whatever it is called with."""
    if any(event.step.own and _matters(event) for event in later_events(inference, symbol, method)):
        return True
    return _fills(inference, symbol, method, attributes_after(inference, symbol, method))


def _fills(inference: Inference, symbol: ClassSymbol, method: str, attributes: Mapping[str, AttributeState]) -> bool:
    """Whether a list or dict that a method of a class fills holds tensors in the end."""
    filled = filled_in(inference.definition(symbol).methods[method])
    values = [attributes[name].value for name in filled if name in attributes]
    return any(isinstance(one, (Sequence, MappingValue)) and _holds_tensor(one) for value in values for one in value)


def _matters(event: Event) -> bool:
    """Whether a rule may have something to say of what happens."""
    if not isinstance(event, Write):
        return True
    return any(map(_holds_tensor, event.value)) or may_be(event.prior, Buffer)


def _holds_tensor(one: Alternative) -> bool:
    if isinstance(one, Sequence):
        return any(map(_holds_tensor, one.element))
    if isinstance(one, MappingValue):
        return any(_holds_tensor(inner) for value in (one.rest, *dict(one.items).values()) for inner in value)
    return isinstance(one, (Tensor, Buffer, Distribution, Parameter))
