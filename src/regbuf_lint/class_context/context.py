"""What a rule sees of one nn.Module class, and the questions that several rules ask about it."""

from __future__ import annotations

import weakref
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from regbuf_lint.class_context.change import Change
from regbuf_lint.class_context.hooks import ClassHooks
from regbuf_lint.class_context.places import ClassPlaces, outside_collision
from regbuf_lint.class_context.text import ClassText
from regbuf_lint.classes.attribute_hooks import Passing
from regbuf_lint.classes.definition import BUILDERS, receiver_name
from regbuf_lint.classes.outside_uses import always_run_with, read_outside
from regbuf_lint.classes.reaching import is_stored_again
from regbuf_lint.classes.reasons import names_say_plain
from regbuf_lint.classes.stores import assigned_attributes
from regbuf_lint.classes.uses import MOVERS, together
from regbuf_lint.infer.chosen_devices import works_on
from regbuf_lint.infer.construction import later_events
from regbuf_lint.infer.draws import is_drawn_by_torch
from regbuf_lint.infer.locations import location_of
from regbuf_lint.infer.outside_reads import is_called_by_others, is_read_in_other_files
from regbuf_lint.infer.subclasses import MOST_LOOKED_AT, subclasses
from regbuf_lint.infer.trace.following import traced
from regbuf_lint.model.class_view import GradientRequest, Registration, Write, by_attribute, seen_by
from regbuf_lint.model.mention import mention
from regbuf_lint.model.trail import Flow
from regbuf_lint.model.use import KEEPING, SAVING, Sink
from regbuf_lint.model.value import (
    NAMELESS,
    NONE,
    NOTHING,
    Distribution,
    Location,
    Tensor,
    asks_for_gradient,
    may_be,
    tensors,
    tensors_inside,
)
from regbuf_lint.model.value import Mapping as MappingValue
from regbuf_lint.model.value import Sequence as SequenceValue
from regbuf_lint.torch_facts.library_functions import saves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.classes.uses import AttributeUses
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import Construction, Event
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.model.span import Span
    from regbuf_lint.model.use import Trace
    from regbuf_lint.model.value import Value
    from regbuf_lint.source.text import SourceText


_HOLDING = (Tensor, SequenceValue, MappingValue, Distribution)
"""What an attribute can be whose tensors somebody may ask about."""


_ENTRIES = MOVERS | {"forward"}
"""What others call on any nn.Module, whatever its constructor has run."""


class ClassContext:
    """One nn.Module class of the file that is being checked, with what is known of its family.

    Attributes:
        symbol: the class.
        construction: what building an object of it does.
        source: text of its file.
        settings: the run's settings.
        subclass: the nn.Module class that inherits from it and whose construction it is, None where it is its own.
        built: the class whose construction is looked at: the class itself, or one that inherits from it.
        inference: what all classes share.
    """

    def __init__(
        self,
        inference: Inference,
        symbol: ClassSymbol,
        construction: Construction,
        *,
        subclass: ClassSymbol | None = None,
    ) -> None:
        self.symbol = symbol
        self.construction = construction
        self.source: SourceText = symbol.scope.file.source
        self.settings: Settings = inference.settings
        self.subclass = subclass
        self.built = subclass or symbol
        self.inference = inference
        self._traces: dict[tuple[frozenset[str], frozenset[str]], Trace] = {}
        self._others_run: dict[str, frozenset[str]] = {}
        self._later_events: dict[str, Mapping[str | None, list[Event]]] = {}

    @cached_property
    def building(self) -> frozenset[str]:
        """Names of the methods that run while the object is built."""
        return self.construction.called | BUILDERS

    def trace(self, attribute: str) -> Trace:
        """What becomes of an attribute once the object is built."""
        return self._traced(attribute, self._run_by_others(attribute))

    def trace_again(self, attribute: str) -> Trace:
        """What becomes of an attribute where somebody calls methods again that build the object, as a ``reset``."""
        again = self.building - BUILDERS
        return self.trace(attribute) if self.readers(attribute).isdisjoint(again) else self._traced(attribute, again)

    def _run_by_others(self, attribute: str) -> frozenset[str]:
        """What reads an attribute and is run by some constructions alone, and by other code of the package as well.

        So is a model made ready for inference when it is built, or later, as its maker likes.
        """
        if attribute not in self._others_run:
            leading = self._leading_to(attribute)
            called = frozenset(one for one in leading if is_called_by_others(self.inference, self.symbol, one))
            self._others_run[attribute] = self.inference.reached_from(self.built, called)
        return self._others_run[attribute]

    def _leading_to(self, attribute: str) -> Iterator[str]:
        """The public methods by which some constructions, and nothing else, come to what reads and does not set it."""
        reading = self.readers(attribute) - BUILDERS
        if not reading or any(map(self.runs_later, reading)):
            return
        setting = self.family_uses.stored.get(attribute, set())
        for method in sorted(self.building - self._always_built_by):
            if method.startswith("_"):
                continue
            reached = self.inference.reached_from(self.built, frozenset({method}))
            if not reached.isdisjoint(reading) and reached.isdisjoint(setting):
                yield method

    @cached_property
    def _always_built_by(self) -> frozenset[str]:
        """The methods that each construction runs."""
        bodies = [self.inference.definition(one).methods for one in self.inference.classes(self.built)]
        return frozenset(always_run_with(BUILDERS, bodies))

    def own_movers(self, attribute: str) -> tuple[str, ...]:
        """The methods named ``to`` or the like that move the attribute, which no owner of the object calls."""
        stores = self.trace(attribute).stores(attribute)
        return tuple(one.entry for one in stores if one.entry in MOVERS and one.moves_by_hand)

    def _traced(self, attribute: str, again: frozenset[str]) -> Trace:
        """What becomes of an attribute in the methods that run later, and in those that are to be run again.

        All attributes that the class's own statements give tensors are followed at once, and all that they leave to
        methods that run later; any other one by itself.
        """
        groups = (self._own_tensors, self.left_to_methods)
        asked = next((one for one in groups if attribute in one), frozenset({attribute}))
        known = self._traces.get((asked, again))
        if known is None:
            known = self._followed(asked, lambda method: self.runs_later(method) or method in again)
            self._traces[asked, again] = known
        return known

    @property
    def was_stopped(self) -> bool:
        """Whether a method is too large to tell all that becomes of an attribute, of those asked about so far."""
        return any(trace.was_stopped for trace in self._traces.values())

    def _followed(self, attributes: frozenset[str], runs: Callable[[str], bool]) -> Trace:
        at_end = self.construction.attributes
        return traced(self.inference, self.built, self.subclasses_at_hand, attributes, runs, at_end)

    @cached_property
    def _own_tensors(self) -> frozenset[str]:
        """The attributes to which the class's own statements give what holds tensors."""
        writes = (event for event in self.construction.events if isinstance(event, Write) and event.step.own)
        names = {write.attribute for write in writes if may_be(write.value, *_HOLDING)}
        return frozenset(name for name in names if name is not None)

    @cached_property
    def left_to_methods(self) -> frozenset[str]:
        """The attributes that the class's own methods store once the object is built, and nothing, or None, before."""
        functions = (one for one in self.definition.functions if one.name not in self.building)
        stored = frozenset[str]().union(*map(assigned_attributes, functions))
        return frozenset(name for name in stored if self.value_of(name) <= NONE)

    def mention(self, span: Span, path: Path) -> str:
        """How a message names a place, which may be in another file."""
        return mention(span.start.row, "" if path == self.symbol.scope.file.path else path.name)

    @property
    def name(self) -> str:
        """Dotted qualified name within the file."""
        return self.symbol.scope.qualname

    @cached_property
    def definition(self) -> ClassDefinition:
        """The class as it is written."""
        return self.inference.definition(self.symbol)

    def events_of(self, attribute: str | None) -> Sequence[Event]:
        """What construction does to an attribute, in order; None stands for names known at run time alone."""
        return self._events_by_attribute.get(attribute, ())

    def writes(self, attribute: str | None) -> list[Write]:
        """Every write of construction to an attribute, in order."""
        return [event for event in self.events_of(attribute) if isinstance(event, Write)]

    @cached_property
    def _events_by_attribute(self) -> Mapping[str | None, list[Event]]:
        return by_attribute(self.construction.events)

    @cached_property
    def registrations(self) -> tuple[Registration, ...]:
        """Every registration of a buffer by construction, in order."""
        return tuple(event for event in self.construction.events if isinstance(event, Registration))

    def value_of(self, attribute: str) -> Value:
        """What an attribute is when construction ends; nothing where no path sets it."""
        known = self.construction.attributes.get(attribute)
        return known.value if known is not None else NOTHING

    @cached_property
    def uses(self) -> AttributeUses:
        """Uses of attributes in the class's own methods."""
        return self.inference.uses(self.symbol)

    @cached_property
    def object_uses(self) -> AttributeUses:
        """Uses of attributes in methods of the class that is built and its bases."""
        return self.inference.object_uses(self.built)

    @property
    def never_initialises(self) -> bool:
        """Whether no text that construction runs could call ``nn.Module.__init__``."""
        decorators = self.inference.definition(self.built).decorators - {"dataclass"}
        if decorators or self.overrides("__new__") is not None:
            return False
        building = frozenset(one for one in BUILDERS if self.inference.find_method(self.built, one) is not None)
        called = self.construction.called | building
        return bool(building) and self.inference.is_free_of(self.built, called, ("super", "__init__"))

    def overrides(self, *methods: str) -> str | None:
        """The first of ``methods`` that the class or a base whose source is at hand defines."""
        return next((name for name in methods if self.inference.find_method(self.built, name) is not None), None)

    @cached_property
    def _family(self) -> tuple[ClassSymbol, ...]:
        """The class, its bases, and those classes of its package that inherit from it."""
        return (*self.inference.classes(self.symbol), *self.subclasses_at_hand)

    def readers(self, attribute: str) -> frozenset[str]:
        """Names of the methods of the class, its bases and subclasses that name the attribute to read it."""
        return frozenset(self.family_uses.read.get(attribute, ()))

    @cached_property
    def definitions(self) -> tuple[ClassDefinition, ...]:
        """The bodies of the class, its bases, and the classes that inherit from it."""
        return tuple(self.inference.definition(one) for one in self._family)

    @cached_property
    def family_uses(self) -> AttributeUses:
        """Uses of attributes in methods of the class, its bases, and the classes that inherit from it."""
        inference = self.inference
        return together([inference.object_uses(self.symbol), *map(inference.uses, self.subclasses_at_hand)])

    def change_of(self, attribute: str) -> Change:
        """What methods that run after construction do to the attribute."""
        if self.trace(attribute).is_updated(attribute):
            return Change.STATE
        if not self.trace(attribute).replacements(attribute):
            return Change.NONE
        return Change.CACHE if self.trace(attribute).is_replaced_by_forward(attribute) else Change.REPLACED

    def is_to_be_trained(self, attribute: str | None, value: Value) -> bool:
        """Whether a tensor asks for a gradient in order to be trained.

        One that is computed and that a later call puts another in place of is not: a Parameter could not be replaced.
        """
        asks = asks_for_gradient(value) or (
            attribute in self.asked_for_gradient and asks_for_gradient(self.value_of(attribute))
        )
        if not asks:
            return False
        if attribute is None or is_drawn_by_torch(self.inference, self._family, attribute):
            return True
        return not self.trace(attribute).replacements(attribute)

    @cached_property
    def asked_for_gradient(self) -> frozenset[str]:
        """The attributes that a statement after the assignment asks for a gradient."""
        return frozenset(event.attribute for event in self.construction.events if isinstance(event, GradientRequest))

    def runs_later(self, method: str) -> bool:
        """Whether a method runs after construction, be it then only or then too, as ``forward`` and ``to`` do."""
        return method not in BUILDERS and (
            method in _ENTRIES or method not in self.building or method in self._used_later
        )

    @cached_property
    def _used_later(self) -> frozenset[str]:
        """What such methods, and those that construction does not run, name, directly or through others."""
        named: dict[str, list[str]] = {}
        for name, methods in self.family_uses.read.items():
            for method in methods:
                named.setdefault(method, []).append(name)
        found: set[str] = set()
        waiting = [method for method in named if method in _ENTRIES or method not in self.building]
        while waiting:
            more = [name for name in named.get(waiting.pop(), ()) if name not in found]
            found.update(more)
            waiting += more
        return frozenset(found)

    def later_events(self, attribute: str) -> tuple[Event, ...]:
        """What methods that construction does not call do to the attribute."""
        methods = self.object_uses.stored.get(attribute, set()) - self.construction.called - BUILDERS
        found = (event for method in sorted(methods) for event in self._later(method).get(attribute, ()))
        return tuple(seen_by(event, self.symbol.name) for event in found)

    def _later(self, method: str) -> Mapping[str | None, list[Event]]:
        """What a method that construction does not call does, by attribute."""
        known = self._later_events.get(method)
        if known is None:
            known = by_attribute(later_events(self.inference, self.built, method))
            self._later_events[method] = known
        return known

    def is_held_elsewhere(self, attribute: str) -> bool:
        """Whether another attribute, or another object, may hold the very tensor that an attribute holds."""
        functions = (function for one in self.definitions for function in one.methods.values())
        if self.escapes(attribute) or any(is_stored_again(function, attribute) for function in functions):
            return True
        return not self._held_by.get(attribute, frozenset()) <= {attribute}

    @cached_property
    def _held_by(self) -> Mapping[str, set[str | None]]:
        """The attributes to which construction gives the very tensor that an attribute holds, by that attribute."""
        found: dict[str, set[str | None]] = {}
        for event in self.construction.events:
            for tensor in tensors(event.value) if isinstance(event, Write) else ():
                found.setdefault(tensor.alias, set()).add(event.attribute)
        return found

    def escapes(self, attribute: str) -> bool:
        """Whether a method that builds the object passes the attribute to something that may keep it."""
        return not self.building.isdisjoint(self.object_uses.escaping.get(attribute, ()))

    def saves(self, attribute: str) -> bool:
        """Whether the class itself writes the value to a file, or into what its own methods add to ``state_dict()``."""
        uses = self.trace(attribute).uses(attribute)
        return any(saves(use.callee) or use.entry in SAVING for use in uses)

    def is_kept_elsewhere(self, attribute: str) -> bool:
        """Whether something else may hold the very tensor of the attribute once the object is built.

        A part that is built with a tensor is judged for itself, unless it cannot know that what it gets is one.
        """
        if not self.escapes(attribute):
            return False
        held = tensors_inside(self.value_of(attribute))
        foreign = any(one.argument == NAMELESS or not (one.fresh or one.argument) for one in held)
        keeping = KEEPING | {Sink.PART} if foreign else KEEPING
        trace = self._followed(frozenset({attribute}), BUILDERS.__contains__)
        uses = (use for use in trace.uses(attribute) if use.flow is Flow.SAME)
        return not trace.was_followed(attribute) or any(use.sink in keeping for use in uses)

    @cached_property
    def subclasses_at_hand(self) -> tuple[ClassSymbol, ...]:
        """Classes of the package that inherit from this one; not all where there are very many."""
        return tuple(islice(subclasses(self.inference, self.symbol), MOST_LOOKED_AT))

    def deleted(self, attribute: str) -> bool:
        """Whether some method deletes the attribute."""
        return attribute in self.object_uses.deleted

    def in_dict(self, attribute: str) -> str | None:
        """A method that looks the attribute up in ``__dict__``, where a buffer is not found."""
        return min(self.family_uses.in_dict.get(attribute, ()), default=None)

    def ignored(self, attribute: str | None) -> bool:
        """Whether the configuration asks for silence about an attribute, or the names that its author chose do."""
        return names_say_plain(self.name, attribute or "") or self.is_ignored_by_settings(attribute)

    def is_ignored_by_settings(self, attribute: str | None) -> bool:
        """Whether the configuration asks for silence about an attribute, None for one of a computed name."""
        return any(self.matches(attribute, pattern) for pattern in self.settings.ignore_attributes)

    def matches(self, attribute: str | None, pattern: str) -> bool:
        """Whether an attribute, None for a computed name, is one of those that a pattern speaks of."""
        name = attribute or ""
        classes = {self.name, self.built.scope.qualname}
        owners = {"", *(f"{one}." for one in classes), *(f"{one.rpartition('.')[2]}." for one in classes)}
        return any(fnmatchcase(f"{owner}{name}", pattern) for owner in owners)

    @cached_property
    def text(self) -> ClassText:
        """The text of the class: which names it has, and what new text looks like."""
        return ClassText(weakref.proxy(self))

    @cached_property
    def hooks(self) -> ClassHooks:
        """The ways other than those of nn.Module by which the class keeps, finds and copies its attributes."""
        return ClassHooks(weakref.proxy(self))

    @cached_property
    def places(self) -> ClassPlaces:
        """Where an edit may stand in the class."""
        return ClassPlaces(weakref.proxy(self))

    @cached_property
    def works_on_kept_device(self) -> bool:
        """Whether methods work on a device that the constructor is offered and keeps: moved, the object fails there."""
        held = {name: location_of(state.value) for name, state in self.construction.attributes.items()}
        stored = self.object_uses.stored
        offered = (name for name in sorted(held) if held[name] is Location.OFFERED)
        kept = [name for name in offered if not any(map(self.runs_later, stored.get(name, ())))]
        later = [one for base in self.definitions for one in base.functions if self.runs_later(one.name)]
        return any(works_on(one, f"{receiver_name(one)}.{name}") for one in later for name in kept)

    def collision(self, attribute: str) -> str | None:
        """What else already gives objects an attribute of that name, in words; None where nothing does."""
        for base in self.inference.classes(self.built):
            definition = self.inference.definition(base)
            if definition.defines(attribute):
                return self._collision_with(base, definition, attribute)
        return outside_collision(self, attribute)

    def _collision_with(self, base: ClassSymbol, definition: ClassDefinition, attribute: str) -> str:
        kind = "class attribute"
        if attribute in definition.properties:
            kind = "property"
        elif attribute in definition.methods:
            kind = "method"
        where = "" if base == self.symbol else f" of `{base.scope.qualname}` in {base.scope.file.path.name}"
        return f"a {kind}{where}"

    @cached_property
    def loads_without_construction(self) -> bool:
        """Whether ``from_pretrained`` of transformers may build the class on ``meta`` and fill only what was saved.

        It does so to every nn.Module inside a pretrained model, so the whole file counts (transformers 5.23).
        """
        file = self.symbol.scope.file
        return "PreTrainedModel" in file.source.text or file.name.partition(".")[0] == "transformers"

    @cached_property
    def is_script_module(self) -> bool:
        """Whether the class is a ScriptModule, which refuses buffers that are not persistent."""
        return any(base.name == "torch.jit.ScriptModule" for base in self.inference.outside_bases(self.built))

    def registered_as(self, attribute: str) -> str | None:
        """The buffer of another name as which construction registers the very tensor that the attribute holds."""
        named = (event for event in self.registrations if event.attribute != attribute and event.step.own)
        held = (event for event in named if any(one.alias == attribute for one in tensors(event.value)))
        return next((event.attribute for event in held if self._says_attribute(event.argument, attribute)), None)

    def _says_attribute(self, place: Span | None, attribute: str) -> bool:
        """Whether an expression of the class is ``self.attribute``, and no cast of it, which may be a copy."""
        return place is not None and self.source.slice(place).partition(".")[2] == attribute

    def is_used_later(self, attribute: str, but: frozenset[str] = frozenset()) -> bool:
        """Whether the class, a subclass, or code of its file may use the attribute once the object is built.

        Args:
            attribute: its name.
            but: methods whose uses are known to be none.
        """
        if any(map(self.runs_later, self.readers(attribute) - but)) or self.in_dict(attribute):
            return True
        if attribute in self.family_uses.by_inner:
            return True
        if self._reads_all or self.is_read_beside(attribute):
            return True
        return self.hooks.assignment_passes(attribute) is not Passing.ALWAYS

    @cached_property
    def _reads_all(self) -> bool:
        """Whether a class of the project goes through ``__dict__``; an installed one does so for all."""
        is_installed = self.inference.project.is_installed
        return any(self.inference.uses(one).dict_users for one in self._family if not is_installed(one.scope.file))

    def is_read_elsewhere(self, attribute: str) -> bool:
        """Whether other files of the package read an attribute of that name from what may be an object of the class."""
        return is_read_in_other_files(self.inference, self.symbol, attribute)

    def is_read_beside(self, attribute: str) -> bool:
        """Whether other code of the file reads an attribute of that name."""
        return read_outside(self.symbol.scope.file.tree, self.definitions, attribute)
