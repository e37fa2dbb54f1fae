"""What becomes of an attribute once its object is built: the trace, as rules and exemptions query it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from regbuf_lint.model.trail import Flow, Origin, Source, Trail
from regbuf_lint.model.value import NoneValue, Parameter, is_only, may_be

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from regbuf_lint.model.span import Span
    from regbuf_lint.model.value import Value


class Sink(Enum):
    """Where a value ends."""

    HOST = "Python makes a number, a string or a decision of it"
    NUMPY = "NumPy takes it, which works on the CPU alone"
    ON_CPU = "a function of torch takes it, which wants it on the CPU alone"
    METADATA = "its shape is asked for, or whether it is None"
    PLACE = "its device or dtype is asked for"
    EMPTINESS = "the number of its elements is compared"
    REDUCED = "reduced to a number without dimensions, which goes with tensors of any device"
    GROWN = "a number that gets dimensions, and goes with tensors of its own device alone from then on"
    INDEX = "an index into something else"
    BY_DEVICE = "a list or dict from which a device, or its number, chooses"
    DRAW = "the argument of a draw with a generator of the object"
    MEETS = "computed together with others"
    COPIED = "copied into another tensor, from whatever device"
    PASSED = "passed to what is not followed"
    PART = "given to the constructor of an nn.Module class, where it is that object's affair what becomes of it"
    RETURNED = "returned"
    STORED = "stored in an attribute"
    MUTATED = "changed in place"
    MUTATED_COPY = "moved by hand and then changed in place, which changes the tensor itself where it lay there before"
    WEIGHT = "the weight with which a layer of torch computes"


HOST_ONLY = frozenset({Sink.HOST, Sink.REDUCED, Sink.METADATA, Sink.EMPTINESS, Sink.PLACE, Sink.GROWN})
"""Ends that are the same wherever a tensor lies; what is made in its place has ends of its own."""

_CPU_ALONE = frozenset({Sink.NUMPY, Sink.ON_CPU})

_OTHERS = frozenset({Flow.COMPUTED, Flow.JOINED, Flow.BESIDE, Flow.PLACE, Flow.METADATA})
"""Ways on which another value comes of a tensor."""

KEEPING = frozenset({Sink.PASSED, Sink.STORED})
"""Ends at which somebody else may hold the tensor."""

MEETING = frozenset({Sink.MEETS, Sink.COPIED})
"""Ends at which others are there, too: what the tensor is computed with, or copied into."""

IDENTITY = frozenset({"__eq__", "__ne__", "__hash__", "__repr__", "__str__", "__format__", "extra_repr"})
"""Methods that compare or show an object: on another device a tensor would even give it another hash."""


SAVING = frozenset({"state_dict", "_save_to_state_dict", "get_extra_state"})
"""Methods of an nn.Module that say what a checkpoint has (torch 2.13)."""

DRAWN = "drawn"
"""Name of the new origin of what is filled at random in place."""

AS_DEVICE = "device"
"""What takes a value as the device itself, which a tensor never is."""

MATRIX_PRODUCT = "@"
"""The operator with which a tensor meets the other factor of a product of matrices."""

ASSERTED = "assert"
"""What asks for a dtype in order to fail where it is another one."""


class Use(Struct, frozen=True):
    """One use of an attribute.

    Attributes:
        attribute: its name.
        sink: what becomes of it.
        flow: how it got there from the attribute.
        entry: the method that somebody calls.
        method: the method or function in which it is used, the entry or one that it calls.
        span: place of the expression.
        path: the file of that place.
        partners: origins of what it is computed with.
        callee: what takes it, as it is written in the text; the attribute that it is stored in.
        certain: whether each call of the entry that gets to its end gets there.
        refilled: whether the method has put other numbers in the place of all that the attribute held.
        guessed: whether something that is not followed was given the tensor before, and gave what is used here.
        is_cast: whether the method has cast it before.
    """

    attribute: str
    sink: Sink
    flow: Flow
    entry: str
    method: str
    span: Span
    path: Path
    partners: frozenset[Origin] = frozenset()
    callee: str = ""
    certain: bool = False
    refilled: bool = False
    guessed: bool = False
    is_cast: bool = False

    def joined(self, other: Use) -> Use:
        """This use together with another one of the same attribute at the same place."""
        return replace(
            self,
            partners=self.partners | other.partners,
            certain=self.certain or other.certain,
            refilled=self.refilled and other.refilled,
            guessed=self.guessed and other.guessed,
            is_cast=self.is_cast and other.is_cast,
        )

    @property
    def may_be_held(self) -> bool:
        """Whether somebody else gets the tensor itself, or a part of it, and may hold it."""
        return self.sink in {*KEEPING, Sink.PART} and self.flow not in _OTHERS

    @property
    def meets_itself(self) -> bool:
        """Whether the tensor is computed with others, and not what was computed of it before."""
        return self.sink in MEETING and self.flow not in _OTHERS

    @property
    def is_drawn(self) -> bool:
        """Whether the tensor is filled at random in place."""
        return self.sink is Sink.MUTATED and any(one.name == DRAWN for one in self.partners)

    @property
    def ends_on_host(self) -> bool:
        """Whether Python makes the same of the tensor wherever it lies; NumPy does where it is brought to the CPU."""
        return self.sink in HOST_ONLY or (self.sink in _CPU_ALONE and self.flow is Flow.TO_CPU)

    @property
    def hurts(self) -> bool:
        """Whether the tensor is computed with what follows the object or comes in from outside."""
        return any(one.follows for one in self.partners)

    @property
    def meets_new(self) -> bool:
        """Whether the tensor is computed with what has been made on the CPU, and nothing that follows the object."""
        return any(one.on_cpu for one in self.partners) and not self.hurts

    @property
    def meets_new_alone(self) -> bool:
        """Whether the tensor is computed with nothing but what has been made on the CPU."""
        return self.sink in MEETING and bool(self.partners) and all(one.on_cpu for one in self.partners)

    def is_moved_after(self, uses: tuple[Use, ...]) -> bool:
        """Whether the method moves by hand what it computes of the tensor."""
        return any(one.entry == self.entry and one.flow is Flow.MOVED for one in uses)


class Move(Struct, frozen=True):
    """A method moves what it reads of an attribute by hand, and leaves the attribute as it is.

    Attributes:
        attribute: its name.
        method: the method or function in which it does so.
        span: place of the expression.
        path: the file of that place.
    """

    attribute: str
    method: str
    span: Span
    path: Path


class Store(Struct, frozen=True):
    """A method gives an attribute another value.

    Attributes:
        attribute: its name.
        entry: the method that somebody calls.
        method: the method in which the assignment stands.
        span: place of the statement.
        path: the file of that place.
        trail: what the value is made of.
        value: what it can be.
        certain: whether each call of the entry that gets to its end gets there.
    """

    attribute: str
    entry: str
    method: str
    span: Span
    path: Path
    trail: Trail
    value: Value
    certain: bool

    @property
    def _own(self) -> tuple[Origin, ...]:
        """Those origins of the new value that are the attribute's own former one."""
        return tuple(one for one in self.trail.origins if one.source is Source.ENTRY and one.name == self.attribute)

    @property
    def own_flows(self) -> frozenset[Flow]:
        """How the attribute's own former value got into the new one."""
        return frozenset(one.flow for one in self._own)

    @property
    def computes_from_own(self) -> bool:
        """Whether the new value is computed from the former one."""
        return any(one.changed or one.flow not in {*_UNCHANGED, Flow.BESIDE} for one in self._own)

    @property
    def puts_on_cpu(self) -> bool:
        """Whether the method itself moves the new value to the CPU."""
        return bool(self.trail.tensors) and all(one.flow is Flow.TO_CPU for one in self.trail.tensors)

    @property
    def keeps_argument(self) -> bool:
        """Whether the new value is what the caller of the method gives, or another view of it."""
        given = self.trail.tensors
        return bool(given) and all(one.source is Source.PARAMETER and one.flow is Flow.SAME for one in given)

    @property
    def moves_by_hand(self) -> bool:
        """Whether the method puts the former value on another device."""
        return self.only_moves and Flow.MOVED in self.own_flows

    @property
    def keeps(self) -> bool:
        """Whether the new value is the former one, at most cast, on the device where it was."""
        return self.only_moves and self.own_flows == {Flow.SAME}

    @property
    def only_moves(self) -> bool:
        """Whether the new value is the former one, at most moved or cast, and no Parameter that shares its memory."""
        is_own = bool(self.own_flows & _UNCHANGED) and not may_be(self.value, Parameter)
        return is_own and all(
            one.source is Source.ENTRY and one.name == self.attribute and one.flow in _UNCHANGED and not one.changed
            for one in self.trail.tensors
            if one.flow is not Flow.BESIDE
        )


_UNCHANGED = frozenset({Flow.SAME, Flow.MOVED, Flow.TO_CPU, Flow.CHECKED})


class MethodSummary(Struct, frozen=True):
    """What one call of a method from outside does, all methods that it calls on the object included.

    Attributes:
        name: the method.
        owner: qualified name of the class in whose body it stands.
        uses: of the attributes that were asked about, in the order of the text.
        stores: the values that these attributes get.
        moves: of what it reads of them.
        stopped: whether the method is too large, so that not all of it was followed.
        tensors: unknown values that it uses as nothing but a tensor can be used.
    """

    name: str
    owner: str
    uses: tuple[Use, ...] = ()
    stores: tuple[Store, ...] = ()
    moves: tuple[Move, ...] = ()
    stopped: bool = False
    tensors: frozenset[Origin] = frozenset()


class Trace(Struct, frozen=True, eq=False):
    """What becomes of some attributes of a class, by the methods that others call.

    Attributes:
        attributes: those that were asked about.
        methods: a summary for each method that may touch one of them.
    """

    attributes: frozenset[str] = frozenset()
    methods: tuple[MethodSummary, ...] = ()
    _uses: dict[str, list[Use]] = field(default_factory=dict)
    _stores: dict[str, list[Store]] = field(default_factory=dict)
    _stopped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stopped.extend(method.name for method in self.methods if method.stopped)
        for method in self.methods:
            for use in method.uses:
                self._uses.setdefault(use.attribute, []).append(use)
            for store in method.stores:
                self._stores.setdefault(store.attribute, []).append(store)

    def uses(self, attribute: str) -> tuple[Use, ...]:
        """Uses of the value that construction, or an earlier call, left in the attribute."""
        return tuple(self._uses.get(attribute, ()))

    def stores(self, attribute: str) -> tuple[Store, ...]:
        """What methods assign to the attribute."""
        return tuple(self._stores.get(attribute, ()))

    def move_before(self, use: Use) -> Move | None:
        """The move by hand after which a method uses an attribute as it does; None where it is none of the method's."""
        every = (one for method in self.methods for one in method.moves if one.attribute == use.attribute)
        before = [
            one for one in every if (one.path, one.method) == (use.path, use.method) and one.span.start <= use.span.end
        ]
        return max(before, key=lambda one: one.span, default=None)

    def by_entry(self, attribute: str) -> Mapping[str, tuple[Use, ...]]:
        """The uses by the method that somebody calls."""
        found: dict[str, list[Use]] = {}
        for use in self.uses(attribute):
            found.setdefault(use.entry, []).append(use)
        return {name: tuple(uses) for name, uses in found.items()}

    @property
    def was_stopped(self) -> bool:
        """Whether a method is too large, so that not all of it was followed."""
        return bool(self._stopped)

    def was_followed(self, attribute: str) -> bool:
        """Whether the attribute was asked about and all methods were followed to their ends."""
        return attribute in self.attributes and not self.was_stopped

    @property
    def tensors(self) -> frozenset[Origin]:
        """Unknown values that some method uses as nothing but a tensor can be used."""
        return frozenset[Origin]().union(*(method.tensors for method in self.methods))

    def reads(self, attribute: str) -> tuple[Use, ...]:
        """Uses of what construction left there for more than its shape or place, at a device that was not checked."""
        return tuple(one for one in self.uses(attribute) if one.sink not in _ASKING and one.flow is not Flow.CHECKED)

    def is_host_only(self, attribute: str) -> bool:
        """Whether nothing but Python reads the tensor, and no method gives the attribute another one.

        What is drawn anew in place counts as Python's, too: where it lies does not matter then. So does what is
        compared or computed with tensors that the method makes on the CPU: what comes of it is Python's as well. The
        weight of a layer meets the layer's input in a use of its own.
        """
        if self.replacements(attribute) or not self.was_followed(attribute) or not self.uses(attribute):
            return False
        return all(
            one.ends_on_host or one.sink is Sink.WEIGHT or one.is_drawn or one.entry in IDENTITY or one.meets_new_alone
            for one in self.uses(attribute)
        )

    def is_replaced_before_read(self, attribute: str) -> bool:
        """Whether each method that gives the attribute a value does so before it reads it, as if it were a local.

        Other methods may read it where ``forward`` always sets it. Wherever the new value lies, it would lie there as a
        buffer, too.
        """
        stores = self.replacements(attribute)
        if not stores or not self.was_followed(attribute):
            return False
        if any(one.own_flows for one in stores):
            return False
        setting, reading = {one.entry for one in stores}, {one.entry for one in self.reads(attribute)}
        if any(one.moves_by_hand and one.entry in setting for one in self.stores(attribute)):
            return False
        always = any(one.certain and one.entry == _FORWARD for one in stores)
        return not setting & reading and (always or not reading)

    def moved_for(self, attribute: str) -> Iterator[Store]:
        """Moves of other attributes on the condition that this one, which is moved with them, lies elsewhere.

        Once this one is a buffer the condition is never true again, and the others stay where they are.
        """
        asked = self._asking_place(attribute)
        moving = {one.method for one in self._moves_on_condition(attribute)} & asked
        for name in sorted(self.attributes - {attribute}) if moving else ():
            methods = moving - self._asking_place(name)
            yield from (one for one in self._moves_on_condition(name) if one.method in methods)

    def _moves_on_condition(self, attribute: str) -> list[Store]:
        return [one for one in self.stores(attribute) if one.moves_by_hand and not one.certain]

    def _asking_place(self, attribute: str) -> set[str]:
        """The methods that compare the attribute's device, or its dtype, with another one."""
        return {one.method for one in self.uses(attribute) if one.sink is Sink.PLACE and not one.callee}

    def meets_cpu(self, attribute: str) -> bool:
        """Whether methods want the tensor on the CPU.

        They compute it together with what they move there, or they make new tensors there, or give it to NumPy or to
        another function that takes it there alone, and move by hand what comes of it. What NumPy takes in a method that
        draws or saves says nothing where others compute with the tensor and leave NumPy alone.
        """
        uses = self.uses(attribute)
        joined = (one for one in uses if one.sink in _JOINED and one.flow not in {Flow.MOVED, Flow.TO_CPU})
        if any(partner.flow is Flow.TO_CPU for one in joined if not one.hurts for partner in one.partners):
            return True
        stores = self.stores(attribute)
        moved_elsewhere = any(one.flow is Flow.MOVED for store in stores for one in store.trail.tensors)
        if any(one.puts_on_cpu for one in stores) and not moved_elsewhere:
            return True
        met = [one for one in uses if one.sink is Sink.MEETS and one.flow is not Flow.MOVED]
        if any(one.hurts for one in met) or self.is_updated(attribute):
            return False
        if any(one.meets_new and one.is_moved_after(uses) for one in met):
            return True
        wanted = (one for one in uses if one.sink in _CPU_ALONE and one.flow is not Flow.TO_CPU)
        wanting = {one.entry for one in wanted} - IDENTITY
        return _FORWARD in wanting or (bool(wanting) and {one.entry for one in uses if one.sink in MEETING} <= wanting)

    def is_chosen_by_device(self, attribute: str) -> bool:
        """Whether a method chooses a tensor out of the attribute by the device on which it needs one."""
        return any(one.sink is Sink.BY_DEVICE for one in self.uses(attribute))

    def is_drawn_by_generator(self, attribute: str) -> bool:
        """Whether the attribute is read only for draws with a generator that the object holds."""
        reads = self.reads(attribute)
        return self.was_followed(attribute) and bool(reads) and all(one.sink is Sink.DRAW for one in reads)

    def replacements(self, attribute: str) -> tuple[Store, ...]:
        """What methods assign to the attribute, None and the tensor itself, at most moved, left aside."""
        return tuple(one for one in self.stores(attribute) if not one.only_moves and not is_only(one.value, NoneValue))

    def is_updated(self, attribute: str) -> bool:
        """Whether a method changes the tensor in place, or computes the next from it: state of the object.

        What may also be the tensor itself, at most moved, is not computed from it. What each method fills anew before
        it reads it is no state, and neither is what something that is not followed made of it.
        """
        if self._is_scratch(attribute):
            return any(one.computes_from_own for one in self.replacements(attribute))
        if any(one.sink is Sink.MUTATED and not (one.is_drawn or one.guessed) for one in self.uses(attribute)):
            return True
        return any(one.computes_from_own for one in self.replacements(attribute))

    def _is_scratch(self, attribute: str) -> bool:
        """Whether methods read the tensor, and each fills it anew in place before."""
        uses = [one for one in self.uses(attribute) if one.sink not in _ASKING]
        return any(one.sink is not Sink.MUTATED for one in uses) and all(one.refilled for one in uses)

    def changing(self, attribute: str) -> frozenset[str]:
        """Names of the methods in which the tensor is changed in place, or another one is put in its place."""
        changed = (one.method for one in self.uses(attribute) if one.sink is Sink.MUTATED)
        return frozenset((*changed, *(one.method for one in self.replacements(attribute))))

    def is_replaced_by_forward(self, attribute: str) -> bool:
        """Whether all methods that put another tensor in its place run in ``forward``."""
        stores = self.replacements(attribute)
        served = {(one.method, one.span) for one in stores if one.entry == _FORWARD}
        return bool(stores) and all((one.method, one.span) in served for one in stores)

    def is_asked_for_elements(self, attribute: str) -> bool:
        """Whether a method compares the number of elements, or of rows."""
        return any(one.sink is Sink.EMPTINESS for one in self.uses(attribute))


_FORWARD = "forward"
_JOINED = frozenset({Sink.MEETS, Sink.MUTATED})
_ASKING = frozenset({Sink.METADATA, Sink.PLACE, Sink.EMPTINESS, Sink.GROWN})
