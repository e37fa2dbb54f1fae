"""Deciding what ``torch.load`` returned by what the class, its bases and its subclasses do with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from regbuf_lint.infer.subclasses import subclasses
from regbuf_lint.infer.trace.loaded_uses import loaded_uses
from regbuf_lint.model.class_view import AttributeState, Construction, Event, Write
from regbuf_lint.model.value import Loaded, Part, Place, Sequence, Tensor, Value, may_be

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.infer.trace.loaded_uses import Noted
    from regbuf_lint.model.value import Alternative

_TENSOR = Tensor(argument="?")
"""What was saved may have been a Parameter."""
_TENSORS = Sequence("list", None, frozenset({Tensor(fresh=False)}))


def with_loaded_tensors(inference: Inference, symbol: ClassSymbol, construction: Construction) -> Construction:
    """The construction with those loaded values as tensors, or lists of them, that are used so."""
    written = [event for event in construction.events if isinstance(event, Write) and may_be(event.value, Loaded)]
    if not written:
        return construction
    wanted = frozenset(event.attribute for event in written if event.attribute is not None)
    every = tuple(subclasses(inference, symbol))
    noted = loaded_uses(inference, symbol, every, wanted, construction.attributes)
    found = {attribute: _alternatives(noted, attribute) for attribute in wanted}
    events = tuple(_event(event, found) for event in construction.events)
    attributes = {
        name: AttributeState(_value(state.value, found[name]), state.writes) if name in found else state
        for name, state in construction.attributes.items()
    }
    return replace(construction, events=events, attributes=attributes)


def _alternatives(noted: Noted, attribute: str) -> tuple[Alternative, ...]:
    """What a loaded object in an attribute is, by its uses; nothing where they don't tell."""
    whole, item, element = (Place(attribute, part) for part in Part)
    if whole in noted.others:
        return ()
    holds = element in noted.tensors or (item in noted.tensors and whole not in noted.tensors)
    tensors = (_TENSOR,) if whole in noted.tensors or item in noted.tensors else ()
    return (*tensors, _TENSORS) if holds else tensors


def _event(event: Event, found: Mapping[str, tuple[Alternative, ...]]) -> Event:
    if not isinstance(event, Write) or event.attribute is None or event.attribute not in found:
        return event
    known = found[event.attribute]
    return replace(event, value=_value(event.value, known), prior=_value(event.prior, known))


def _value(value: Value, found: tuple[Alternative, ...]) -> Value:
    loaded = frozenset(one for one in value if isinstance(one, Loaded))
    if any(one.is_moved for one in loaded):
        found = tuple(one for one in found if isinstance(one, Tensor))
    return (value - loaded).union(found) if loaded and found else value
