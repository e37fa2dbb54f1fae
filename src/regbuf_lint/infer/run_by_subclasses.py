"""The objects by which a class is judged: what only the construction of classes that inherit from it tells."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.classes.container_fills import FILLING, filled_in
from regbuf_lint.classes.definition import BUILDERS
from regbuf_lint.classes.uses import uses_of
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
_STORE = re.compile(
    r"\.\w+[^=]*=(?!=)|\.\w+\s*[,\\]\s*$|setattr|register_|add_state|__dict__"
    r"|\.(?:" + "|".join(sorted(FILLING)) + r")\("
)
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
    run_already = frozenset[str]() if own is None else own.called | BUILDERS
    open_methods = _methods_that_may_store(inference, symbol) - run_already
    if not open_methods:
        return
    near = subclasses_in(inference, symbol, symbol.scope.file)
    called = inference.project.called_where_derived(symbol.scope.file, own_name(symbol))
    modules = _modules(inference, near)[:MOST_SUBCLASSES]
    if not open_methods & called and not any(_runs(inference, subclass, open_methods) for subclass in modules):
        return
    waiting = _storing_methods(inference, symbol, open_methods)
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


def _runs(inference: Inference, subclass: ClassSymbol, methods: AbstractSet[str]) -> bool:
    construction = inference.constructor(inference, subclass)
    return construction is not None and not methods.isdisjoint(construction.called)


def _modules(inference: Inference, symbols: Iterable[ClassSymbol]) -> list[ClassSymbol]:
    modules = (one for one in symbols if inference.hierarchy.membership(one).verdict is Verdict.YES)
    return [one for one in modules if not is_stood_for(inference, one)]


def _methods_that_may_store(inference: Inference, symbol: ClassSymbol) -> frozenset[str]:
    """Methods of a class whose text looks as if they stored something on the object; quick, and never too few."""
    source = symbol.scope.file.source
    return frozenset(
        name
        for name, node in inference.definition(symbol).methods.items()
        if any(
            map(_STORE.search, (source.line(row) for row in range(node.lineno, (node.end_lineno or node.lineno) + 1)))
        )
    )


def _storing_methods(inference: Inference, symbol: ClassSymbol, methods: frozenset[str]) -> frozenset[str]:
    """Those of some methods of a class that store or register something on the object, or fill its lists and dicts."""
    definition = inference.definition(symbol)
    uses = uses_of(definition, methods)
    registering = (uses.read.get(name, set()) for name in _REGISTERING)
    filling = {name for name in methods if filled_in(definition.methods[name])}
    return frozenset().union(*uses.stored.values(), *registering, uses.dynamic, filling)


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
