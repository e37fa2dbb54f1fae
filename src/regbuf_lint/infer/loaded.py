"""Deciding what ``torch.load`` returned by what the class, its bases and its subclasses do with it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.infer.locations import shared_location
from regbuf_lint.infer.subclasses import subclasses
from regbuf_lint.infer.trace.loaded_uses import loaded_uses
from regbuf_lint.model.class_view import Construction, Write
from regbuf_lint.model.value import NAMELESS, Loaded, Part, Place, Sequence, Tensor, Value, may_be

if TYPE_CHECKING:
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.infer.trace.loaded_uses import Noted
    from regbuf_lint.model.value import Alternative

_TENSOR = Tensor(argument=NAMELESS)
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
    return construction.with_values({name: partial(_value, found=_alternatives(noted, name)) for name in wanted})


def _alternatives(noted: Noted, attribute: str) -> tuple[Alternative, ...]:
    """What a loaded object in an attribute is, by its uses; nothing where they don't tell."""
    whole, item, element = (Place(attribute, part) for part in Part)
    if whole in noted.others:
        return ()
    holds = element in noted.tensors or (item in noted.tensors and whole not in noted.tensors)
    tensors = (_TENSOR,) if whole in noted.tensors or item in noted.tensors else ()
    return (*tensors, _TENSORS) if holds else tensors


def _value(value: Value, found: tuple[Alternative, ...]) -> Value:
    loaded = frozenset(one for one in value if isinstance(one, Loaded))
    if any(one.is_moved for one in loaded):
        location = shared_location(loaded)
        found = tuple(replace(one, location=location) for one in found if isinstance(one, Tensor))
    return (value - loaded).union(found) if loaded and found else value
