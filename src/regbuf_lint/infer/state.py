"""What is known at one point of a run: locals, attributes of the object under construction, whether it is reached."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from regbuf_lint.infer.generators import lies_nowhere
from regbuf_lint.model.class_view import AttributeState
from regbuf_lint.model.trail import NOWHERE, Source, made, merged
from regbuf_lint.model.value import (
    FOLLOWING,
    UNSET,
    Unset,
    Value,
    is_only,
    join,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from regbuf_lint.model.trail import Trail


class State:
    """Bindings at one point; branches work on copies that are joined where they meet.

    Attributes:
        locals: the function's own names.
        trails: where their values come from, as far as that is followed.
        attributes: attributes of the object under construction.
        initialised: whether ``nn.Module.__init__`` has run on every path to here.
        alive: False after ``return``, ``raise``, ``break`` or ``continue``.
        seeded: packages whose own generator has got a known seed, and what it draws repeats itself.
    """

    __slots__ = ("alive", "attributes", "initialised", "locals", "seeded", "trails")

    def __init__(
        self,
        names: Mapping[str, Value] | None = None,
        attributes: Mapping[str, AttributeState] | None = None,
        *,
        initialised: bool = False,
    ) -> None:
        self.locals = dict(names or {})
        self.attributes = dict(attributes or {})
        self.initialised = initialised
        self.alive = True
        self.trails: dict[str, Trail] = {}
        self.seeded: frozenset[str] = frozenset()

    def copy(self) -> State:
        """An independent state with the same bindings."""
        twin = State(self.locals, self.attributes, initialised=self.initialised)
        twin.alive = self.alive
        twin.seeded = self.seeded
        if self.trails:
            twin.trails = dict(self.trails)
        return twin

    def become(self, other: State) -> None:
        """Take over the bindings of another state."""
        self.locals = other.locals
        self.attributes = other.attributes
        self.initialised = other.initialised
        self.alive = other.alive
        self.trails = other.trails
        self.seeded = other.seeded

    def attribute(self, name: str) -> AttributeState:
        """State of one attribute; ``Unset`` where nothing has set it.

        Names that are computed with unknown parts are kept as patterns (``mask_*``) and cover every name that fits.
        """
        return _named(self.attributes, name, _patterns(self.attributes))


_MISSING = AttributeState()


def _patterns(attributes: Mapping[str, AttributeState]) -> Iterator[str]:
    """The names with unknown parts."""
    return (name for name in attributes if "*" in name)


def _named(attributes: Mapping[str, AttributeState], name: str, patterns: Iterable[str]) -> AttributeState:
    known = attributes.get(name)
    if known is None:
        fitting = (pattern for pattern in patterns if fnmatchcase(name, pattern))
        known = attributes.get(next(fitting, ""), _MISSING)
    return known


def meet(states: Iterable[State]) -> State:
    """The state where several paths meet; paths that ended before do not count."""
    every = list(states)
    alive = [state for state in every if state.alive]
    if not alive:
        return every[0]
    if len(alive) == 1:
        return alive[0]
    first = alive[0]
    met = State(first.locals, first.attributes, initialised=all(state.initialised for state in alive))
    met.seeded = frozenset.intersection(*(state.seeded for state in alive))
    for name in _differing([state.locals for state in alive]):
        met.locals[name] = join(state.locals.get(name, UNSET) for state in alive)
    differing = _differing([state.attributes for state in alive])
    # Looked for once: attributes that one path lacks may be as many as there are.
    tables = [(state.attributes, [*_patterns(state.attributes)]) for state in alive] if differing else []
    for name in differing:
        parts = [_named(attributes, name, patterns) for attributes, patterns in tables]
        met.attributes[name] = parts[0] if all(part is parts[0] for part in parts) else _meet_attributes(name, parts)
    met.trails.update(first.trails)
    for name in _differing([state.trails for state in alive]):
        met.trails[name] = merged(state.trails.get(name, NOWHERE) for state in alive)
    return met


def _differing(tables: Sequence[Mapping[str, object]]) -> set[str]:
    """The names that not all of several tables have with the very same value; mostly few of many."""
    first, *others = tables
    found: set[str] = set()
    for other in others:
        found.update(other.keys() - first.keys())
        found.update(name for name, value in first.items() if other.get(name) is not value)
    return found


def _meet_attributes(name: str, parts: list[AttributeState]) -> AttributeState:
    is_followed = any(part.trail is not None for part in parts)
    return AttributeState(
        join(part.value for part in parts),
        frozenset[int]().union(*(part.writes for part in parts)),
        merged(trail_at_entry(name, part) for part in parts) if is_followed else None,
    )


def trail_at_entry(name: str, known: AttributeState) -> Trail:
    """Where the value of an attribute comes from; what nothing has set since the method began is as it found it."""
    if known.trail is not None:
        return known.trail
    value = without(known.value, Unset)
    if value and all(map(lies_nowhere, value)):
        return NOWHERE
    return made(Source.OBJECT, f"self.{name}") if is_only(value, *FOLLOWING) else made(Source.ENTRY, name)
