"""Where a value comes from while a method runs, and how it got here."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Source(Enum):
    """What a value was made of."""

    __hash__ = object.__hash__  # sets of origins are made all the time, and that of `Enum` is slow

    ENTRY = "an attribute of the object, as the method finds it"
    PARAMETER = "an argument of the method"
    OBJECT = "what follows the object: its buffers, its Parameters, the outputs of its parts"
    FRESH = "made in the method"


class Flow(Enum):
    """How a value got from its origin to where it is."""

    __hash__ = object.__hash__

    SAME = "the value itself, or another view of it"
    ELEMENT = "a part of a list, dict or tensor"
    COMPUTED = "computed from it, on its device"
    MOVED = "moved to some device by hand"
    TO_CPU = "moved to the CPU by name"
    CHECKED = "the value itself, where its device has been compared with another"
    BESIDE = "a new tensor on its device"
    JOINED = "computed together with what follows the object, and so on the same device"
    PLACE = "its device or dtype alone"
    METADATA = "its shape, or another number that is the same wherever it lies"


class Cast(Enum):
    """What a method has done to the dtype of a value."""

    __hash__ = object.__hash__

    NONE = "nothing, as far as is known"
    NAMED = "the code names its floating dtype, or it has torch's own as new tensors do"
    TAKEN = "it has the dtype of something else"


_NO_TENSOR = frozenset({Flow.PLACE, Flow.METADATA, Flow.JOINED})
_FREE = frozenset({Flow.SAME, Flow.ELEMENT, Flow.COMPUTED})
"""How a value got here that nobody has moved, and that no device was compared for."""
_NAMED = frozenset({Source.PARAMETER, Source.OBJECT})
_COMPUTING = frozenset({Flow.ELEMENT, Flow.COMPUTED})


class Origin(Struct, frozen=True):
    """One thing that a value was made of.

    Attributes:
        source: what it was made of.
        name: of the attribute or argument; for a new tensor its device: empty where none is said, which is the CPU,
            else ``cpu``, ``number`` for one without dimensions, which goes with tensors of any device, or ``said``.
        flow: how it got here.
        changed: whether something was computed of it, or a part of it taken, after it was moved by hand or its device
            compared.
        computed: whether that is something computed, which has memory of its own.
        refilled: whether the method has put other numbers in the place of all that the attribute held.
        guessed: whether something that is not followed has given it, which need not have used the origin.
        declared: whether it is an argument that its annotation says to be a tensor.
        cast: what the method has done to its dtype.
    """

    source: Source
    name: str = ""
    flow: Flow = Flow.SAME
    changed: bool = False
    computed: bool = False
    refilled: bool = False
    guessed: bool = False
    declared: bool = False
    cast: Cast = Cast.NONE

    @property
    def is_tensor(self) -> bool:
        """Whether the value may be a tensor that lies where its origin does."""
        return self.flow not in _NO_TENSOR

    @property
    def on_cpu(self) -> bool:
        """Whether it lies on the CPU wherever the object is."""
        return self.flow is Flow.TO_CPU or (self.source is Source.FRESH and self.name in {"", "cpu"} and not self.moved)

    @property
    def moved(self) -> bool:
        """Whether the method itself has put it where it is."""
        return self.flow in {Flow.MOVED, Flow.TO_CPU}

    @property
    def follows(self) -> bool:
        """Whether it is a tensor that lies where the object or the method's arguments are."""
        known = self.source in {Source.PARAMETER, Source.OBJECT}
        return known and self.is_tensor and self.flow is not Flow.TO_CPU

    def then(self, flow: Flow) -> Origin:
        """The origin of a value to which something more has happened."""
        return _next(self, flow)


@lru_cache(maxsize=10_000)
def _next(origin: Origin, flow: Flow) -> Origin:
    """``Origin.then``; the same few are asked about again and again."""
    if flow is Flow.SAME or origin.flow in _NO_TENSOR:
        return origin
    if flow in _COMPUTING and origin.flow not in _FREE:
        return replace(origin, changed=True, computed=origin.computed or flow is Flow.COMPUTED)
    return origin if (origin.flow, flow) == (Flow.COMPUTED, Flow.ELEMENT) else replace(origin, flow=flow)


class Trail(Struct, frozen=True):
    """The origins of a value.

    Attributes:
        origins: all things that it may have been made of; none for what Python makes by itself, as numbers.
        items: those of the parts of a tuple or list, where these are known one by one.
        each: that of what iterating gives, where it is more than a part of the whole.
    """

    origins: frozenset[Origin] = frozenset()
    items: tuple[Trail, ...] | None = None
    each: Trail | None = None

    def __bool__(self) -> bool:
        return bool(self.origins)

    @property
    def tensors(self) -> frozenset[Origin]:
        """The origins of what may be a tensor."""
        return frozenset(one for one in self.origins if one.is_tensor)

    def then(self, flow: Flow) -> Trail:
        """The trail of what is made of the value."""
        return self if not self.origins or flow is Flow.SAME else _after(self.origins, flow)

    def cast(self, cast: Cast) -> Trail:
        """The trail of a value after a cast."""
        if cast is Cast.NONE or not self.origins:
            return self
        return Trail(frozenset(replace(one, cast=cast) if one.is_tensor else one for one in self.origins))

    def guessed(self) -> Trail:
        """The trail of what something that is not followed gives for the value."""
        computed = (one.then(Flow.COMPUTED) for one in self.tensors)
        return Trail(frozenset(replace(one, guessed=True) for one in computed))

    def refilled(self, name: str) -> Trail:
        """The trail of a value that may be an attribute, or a view of it, all of whose numbers are others now."""
        own = {one for one in self.origins if (one.source, one.name, one.flow) == (Source.ENTRY, name, Flow.SAME)}
        if not own:
            return self
        return Trail(frozenset(replace(one, refilled=True) if one in own else one for one in self.origins))

    @property
    def names(self) -> frozenset[str]:
        """The names of arguments and of what follows the object."""
        own = frozenset(one.name for one in self.origins if one.source in _NAMED)
        return own if self.each is None else own | self.each.names

    def renamed(self, names: Mapping[str, str]) -> Trail:
        """The same trail where arguments, and what follows the object, have other names."""
        if names.keys().isdisjoint(self.names):
            return self
        return Trail(
            frozenset(
                replace(one, name=names.get(one.name, one.name)) if one.source in _NAMED else one
                for one in self.origins
            ),
            None if self.items is None else tuple(one.renamed(names) for one in self.items),
            None if self.each is None else self.each.renamed(names),
        )

    def item(self, index: int) -> Trail:
        """The trail of the part at an index, which may count from the end."""
        if self.items is not None and -len(self.items) <= index < len(self.items):
            return self.items[index]
        return self.then(Flow.ELEMENT)

    @property
    def element(self) -> Trail:
        """The trail of what iterating over the value gives."""
        if self.each is not None:
            return self.each
        return merged(self.items) if self.items else self.then(Flow.ELEMENT)


@lru_cache(maxsize=10_000)
def _after(origins: frozenset[Origin], flow: Flow) -> Trail:
    """The trail of what is made of values of these origins."""
    placing = _placing(origins) if flow is Flow.PLACE else origins
    return Trail(frozenset(one.then(flow) for one in placing))


def _placing(origins: frozenset[Origin]) -> frozenset[Origin]:
    """The origins that say where a value lies: of what has been moved, what it was moved to."""
    moved = frozenset(one for one in origins if one.moved)
    placing = origins - moved
    if any(one.flow is Flow.TO_CPU for one in moved):
        return placing | {Origin(Source.FRESH, "cpu")}
    return placing or frozenset({Origin(Source.FRESH, "said")})


NOWHERE = Trail()
"""The trail of a number, a string or a function."""


def merged(trails: Iterable[Trail]) -> Trail:
    """The trail of a value that is one of several."""
    every = list(trails)
    if every and all(one is every[0] for one in every):  # most are, and the same is told faster than the equal
        return every[0]
    every = list(dict.fromkeys(every))
    if len(every) == 1:
        return every[0]
    lengths = {len(one.items) if one.items is not None else -1 for one in every}
    origins = frozenset[Origin]().union(*(one.origins for one in every))
    if len(lengths) != 1 or -1 in lengths:
        return Trail(origins)
    columns = zip(*(one.items for one in every if one.items is not None), strict=True)
    return Trail(origins, tuple(merged(column) for column in columns))


def listed(items: Iterable[Trail]) -> Trail:
    """The trail of a tuple or list."""
    every = tuple(items)
    return Trail(frozenset[Origin]().union(*(one.origins for one in every)), every)


def made(source: Source, name: str = "", flow: Flow = Flow.SAME) -> Trail:
    """The trail of what has one origin."""
    return Trail(frozenset({Origin(source, name, flow)}))
