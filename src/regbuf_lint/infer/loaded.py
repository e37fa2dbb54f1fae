"""Deciding what ``torch.load`` returned by how the class, its bases and its subclasses use the attribute."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from regbuf_lint.classes.evidence import evidence_in
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.model.class_view import AttributeState, Construction, Event, Write
from regbuf_lint.model.value import Loaded, Tensor, Value, may_be

if TYPE_CHECKING:
    from regbuf_lint.classes.evidence import Evidence
    from regbuf_lint.infer.inference import Inference


def with_loaded_tensors(inference: Inference, symbol: ClassSymbol, construction: Construction) -> Construction:
    """The construction with those loaded values as tensors that are used as tensors."""
    written = [event for event in construction.events if isinstance(event, Write) and may_be(event.value, Loaded)]
    if not written:
        return construction
    family = [*inference.classes(symbol), *_subclasses(inference, symbol)]
    evidence = evidence_in(inference.definition(one) for one in family)
    events = tuple(_event(event, evidence) for event in construction.events)
    attributes = {
        name: AttributeState(_value(state.value), state.writes) if evidence.is_tensor(name) else state
        for name, state in construction.attributes.items()
    }
    return replace(construction, events=events, attributes=attributes)


def _event(event: Event, evidence: Evidence) -> Event:
    if not isinstance(event, Write) or event.attribute is None or not evidence.is_tensor(event.attribute):
        return event
    return replace(event, value=_value(event.value), prior=_value(event.prior))


def _value(value: Value) -> Value:
    # What was saved may have been a Parameter.
    return frozenset(Tensor(argument="?") if isinstance(one, Loaded) else one for one in value)


def _subclasses(inference: Inference, symbol: ClassSymbol) -> list[ClassSymbol]:
    name = symbol.scope.qualname.rpartition(".")[2]
    found = []
    for file in inference.project.files_mentioning(symbol.scope.file, name):
        for scope in file.class_scopes():
            candidate = ClassSymbol(scope)
            if candidate != symbol and symbol in inference.classes(candidate):
                found.append(candidate)
    return found
