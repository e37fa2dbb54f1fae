"""What a rule sees of one nn.Module class, and the questions that several rules ask about it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.classes.annotations import (
    FIELD_DECORATORS,
    AnnotationPlace,
    annotated_in_methods,
    annotation_place,
    is_evaluated_in_body,
    is_expression,
    postpones_evaluation,
)
from regbuf_lint.classes.blocks import is_alone_in_block
from regbuf_lint.classes.buffer_walks import walks_own_buffers
from regbuf_lint.classes.container_uses import obstacle
from regbuf_lint.classes.definition import ClassDefinition, bound_in, names_in
from regbuf_lint.classes.host_samples import sampled_for_host
from regbuf_lint.classes.method_place import MethodPlace, method_place
from regbuf_lint.classes.moves import device_moves
from regbuf_lint.classes.placeholders import called_in_forward, fill_before_reading, read_outside, starts_as_placeholder
from regbuf_lint.classes.scratch import refreshes, starts_on_own_device
from regbuf_lint.classes.uses import MOVERS
from regbuf_lint.index.imports import Import, import_edit, is_free, run_time_spelling
from regbuf_lint.index.known_classes import outside_class, torch_class
from regbuf_lint.index.scopes import FunctionBinding
from regbuf_lint.index.symbols import ClassSymbol
from regbuf_lint.infer.construction import later_events
from regbuf_lint.infer.merges import is_merged_over_settings
from regbuf_lint.infer.owners import moved_by_owner
from regbuf_lint.infer.recipients import is_given_to_registering_class, is_named_by_heirs
from regbuf_lint.model.class_view import Registration, Write
from regbuf_lint.model.settings import BufferStyle
from regbuf_lint.model.value import NOTHING, Other, Tensor, asks_for_gradient, is_only, tensors
from regbuf_lint.rewrite.style import TextStyle, quote_of
from regbuf_lint.rules.change import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from regbuf_lint.classes.moves import DeviceMove
    from regbuf_lint.classes.uses import AttributeUses
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import Construction, Event
    from regbuf_lint.model.fix import Edit
    from regbuf_lint.model.settings import Persistence, Settings
    from regbuf_lint.model.span import Span
    from regbuf_lint.model.value import Value
    from regbuf_lint.source.text import SourceText

_BUILDERS = frozenset({"__init__", "__post_init__"})
_COPIERS = frozenset({"__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__copy__", "__deepcopy__"})


class ClassContext:
    """One nn.Module class of the file that is being checked.

    Attributes:
        symbol: the class.
        construction: what building an object of it does.
        source: text of its file.
        settings: the run's settings.
        heir: the nn.Module class that inherits from it and whose construction it is, None where it is its own.
    """

    def __init__(
        self, inference: Inference, symbol: ClassSymbol, construction: Construction, *, heir: ClassSymbol | None = None
    ) -> None:
        self.symbol = symbol
        self.construction = construction
        self.source: SourceText = symbol.scope.file.source
        self.settings: Settings = inference.settings
        self.heir = heir
        self._built = heir or symbol
        self._inference = inference

    @property
    def name(self) -> str:
        """Dotted qualified name within the file."""
        return self.symbol.scope.qualname

    @cached_property
    def definition(self) -> ClassDefinition:
        """The class as it is written."""
        return self._inference.definition(self.symbol)

    def value_of(self, attribute: str) -> Value:
        """What an attribute is when construction ends; nothing where no path sets it."""
        known = self.construction.attributes.get(attribute)
        return known.value if known is not None else NOTHING

    @cached_property
    def uses(self) -> AttributeUses:
        """Uses of attributes in the class's own methods."""
        return self._inference.uses(self.symbol)

    @cached_property
    def _all_uses(self) -> tuple[AttributeUses, ...]:
        return tuple(self._inference.uses(base) for base in self._inference.classes(self._built))

    def moved_by_hand(self, attribute: str | None) -> bool:
        """Whether the class or a base takes care of the attribute by itself, as by overriding ``_apply`` or ``to``."""
        if any(uses.touches(attribute or "") for uses in self._movers):
            return True
        listed = [outside_class(outside.name) for outside in self._inference.outside_bases(self._built)]
        return any(known is not None and attribute in known.moved for known in listed)

    @cached_property
    def _movers(self) -> tuple[AttributeUses, ...]:
        """Uses of attributes in methods that move the whole nn.Module, and in those that they call."""
        return self._inference.uses_in(self._built, self._inference.reached_from(self._built, MOVERS))

    def looks_after(self, attribute: str | None) -> bool:
        """Whether a tensor in the attribute is no defect: the class moves it by itself, or wants it on the CPU."""
        if self.ignored(attribute) or self.moved_by_hand(attribute):
            return True
        if self.never_initialises and not self.construction.initialised:
            return True  # without nn.Module's own `__init__`, moving the object fails, and so would a registration
        return attribute is not None and (
            self.sampled_on_cpu(attribute)
            or self.filled_by_each_call(attribute)
            or self.is_scratch(attribute)
            or self.registered_elsewhere(attribute)
            or moved_by_owner(self._inference, self._built, attribute)
        )

    def registered_elsewhere(self, attribute: str) -> bool:
        """Whether the attribute is read by the constructor alone, and what it holds is a buffer somewhere else."""
        building = self.construction.called | _BUILDERS
        if not _methods([uses.read for uses in self._family_uses], attribute) <= building:
            return False
        if is_named_by_heirs(self._inference, self.symbol, attribute):
            return False
        if is_given_to_registering_class(self._inference, self._built, attribute, frozenset(building)):
            return True
        held: set[str] = set()
        registered: set[str] = set()
        for event in self.construction.events:
            if isinstance(event, Write) and event.attribute == attribute:
                held |= _arguments(event)
            elif isinstance(event, Registration):
                registered |= _arguments(event)
        return bool(held & registered)

    def filled_by_each_call(self, attribute: str) -> bool:
        """Whether ``forward``, or each reader, first replaces a placeholder by what it makes of its arguments."""
        building = self.construction.called | _BUILDERS
        if not any(starts_as_placeholder(one, attribute, building) for one in self._definitions):
            return False
        changing = _methods([table for one in self._family_uses for table in (one.stored, one.mutated)], attribute)
        filling = changing - building
        functions = [one.methods[name] for one in self._definitions for name in filling & one.methods.keys()]
        if not fill_before_reading(functions, attribute):
            return False
        if all(self._serves_forward(name) or name in self._called_in_forward for name in filling):
            return True
        readers = set(filter(self.runs_later, _methods([one.read for one in self._family_uses], attribute)))
        return readers | filling <= {one.name for one in functions} and not read_outside(
            self.symbol.scope.file.tree, self._definitions, attribute
        )

    def is_scratch(self, attribute: str) -> bool:
        """Whether the attribute starts as a constant on the device that the class keeps, and is refreshed in use.

        What only callers change, as by a method that fits it, is state.
        """
        if self.change_of(attribute) not in {Change.CACHE, Change.REPLACED}:
            return False
        replacing = set(filter(self.runs_later, _methods([one.replaced for one in self._family_uses], attribute)))
        if any(name != "forward" and not self._callers(name) for name in replacing):
            return False
        building = self.construction.called | _BUILDERS
        starts = starts_on_own_device(self._definitions, attribute, building)
        return starts and refreshes(self._definitions, attribute, replacing)

    def sampled_for_host(self, attribute: str) -> bool:
        """Whether methods do nothing with the distribution in an attribute but draw numbers and indices from it."""
        return sampled_for_host(self._definitions, attribute)

    def is_merged_over_settings(self, attribute: str) -> bool:
        """Whether a method merges the attribute over a dict of numbers and the like."""
        return is_merged_over_settings(self._inference, self.symbol, attribute)

    @cached_property
    def _called_in_forward(self) -> frozenset[str]:
        return called_in_forward(self.symbol.scope.file.tree)

    def sampled_on_cpu(self, attribute: str) -> bool:
        """Whether only methods that prepare batches for a loader (``collate_fn=self.sample``) read the attribute."""
        collating = frozenset[str]().union(*(uses.collating for uses in self._all_uses))
        if not collating:
            return False
        preparing = self._inference.reached_from(self._built, collating) | self.construction.called | _BUILDERS
        readers = frozenset[str]().union(*(uses.read.get(attribute, ()) for uses in self._all_uses))
        return readers <= preparing and not readers <= self.construction.called | _BUILDERS

    def walks_own_buffers(self) -> str | None:
        """A method of the class or a base that does something with each buffer of the object itself."""
        definitions = (self._inference.definition(base) for base in self._inference.classes(self._built))
        return next((name for one in definitions if (name := walks_own_buffers(one)) is not None), None)

    @cached_property
    def takes_state_apart(self) -> bool:
        """Whether the class or a base takes things out of nn.Module's own dictionaries, or may."""
        inner = ("_buffers", "_parameters", "_modules", "__dict__", "__delattr__")
        return any(name in uses.read for uses in self._all_uses for name in inner)

    @cached_property
    def names_attributes_at_run_time(self) -> bool:
        """Whether the class or a base sets or deletes attributes whose names are not known here."""
        return any(uses.dynamic for uses in self._all_uses)

    def read_by_property(self, name: str) -> frozenset[str] | None:
        """Attributes that the getter of a property reads; None where the name is no property."""
        if not any(
            name in self._inference.definition(base).properties for base in self._inference.classes(self._built)
        ):
            return None
        return frozenset(read for uses in self._all_uses for read, methods in uses.read.items() if name in methods)

    @property
    def never_initialises(self) -> bool:
        """Whether no text that construction runs could call ``nn.Module.__init__``."""
        if self.heir is not None or self.definition.decorators or self.overrides("__new__") is not None:
            return False
        return self._inference.is_free_of(self._built, self.construction.called | {"__init__"}, ("super", "__init__"))

    @cached_property
    def registers_on_assignment(self) -> bool:
        """Whether a ``__setattr__`` of the class or a base registers buffers by itself."""
        every = self._inference.uses_in(self._built, frozenset({"__setattr__"}))
        return any(name in uses.read for uses in every for name in ("register_buffer", "_buffers"))

    def overrides(self, *methods: str) -> str | None:
        """The first of ``methods`` that the class or a base whose source is at hand defines."""
        for base in self._inference.classes(self._built):
            for method in methods:
                if method in self._inference.definition(base).methods:
                    return method
        return None

    @cached_property
    def _family(self) -> tuple[ClassSymbol, ...]:
        """The class, its bases, and those classes of the file that inherit from it."""
        heirs = [heir for heir in map(ClassSymbol, self.symbol.scope.file.class_scopes()) if self._is_heir(heir)]
        return (*self._inference.classes(self.symbol), *heirs)

    @cached_property
    def _definitions(self) -> tuple[ClassDefinition, ...]:
        return tuple(self._inference.definition(one) for one in self._family)

    @cached_property
    def _family_uses(self) -> tuple[AttributeUses, ...]:
        return tuple(self._inference.uses(one) for one in self._family)

    def _is_heir(self, other: ClassSymbol) -> bool:
        return other != self.symbol and self.symbol in self._inference.classes(other)

    def change_of(self, attribute: str) -> Change:
        """What methods that run after construction do to the attribute."""
        uses = self._family_uses
        state = _methods([one.mutated for one in uses], attribute)
        state |= {
            method
            for method in _methods([one.updated for one in uses], attribute)
            if not self._moves(method, attribute)
        }
        if any(self.runs_later(method) for method in state):
            return Change.STATE
        replacing = set(filter(self.runs_later, _methods([one.replaced for one in uses], attribute)))
        if not replacing:
            return Change.NONE
        return Change.CACHE if all(self._serves_forward(method) for method in replacing) else Change.REPLACED

    def is_to_be_trained(self, attribute: str | None, value: Value) -> bool:
        """Whether a tensor asks for a gradient in order to be trained.

        One that is computed and that a later call puts another in place of is not: a Parameter could not be replaced.
        """
        if not asks_for_gradient(value):
            return False
        if attribute is None or any(tensor.random for tensor in tensors(value)):
            return True
        assigning = _methods([table for one in self._family_uses for table in (one.replaced, one.updated)], attribute)
        return not any(self.runs_later(method) for method in assigning)

    def _moves(self, method: str, attribute: str) -> bool:
        """Whether all that a method assigns to an attribute is its own tensor, moved or cast by some helper."""
        if method in self.construction.called | _BUILDERS:
            return False
        events = later_events(self._inference, self.symbol, method)
        values = [event.value for event in events if isinstance(event, Write) and event.attribute == attribute]
        found = [tensors(value) for value in values if is_only(value, Tensor, Other)]  # `x.type(None)` is a string
        return len(found) == len(values) > 0 and all(
            several and all(tensor.alias == attribute for tensor in several) for several in found
        )

    def runs_later(self, method: str) -> bool:
        """Whether a method runs after construction, be it then only or then too."""
        if method in _BUILDERS:
            return False
        if method not in self.construction.called:
            return True
        return any(
            caller not in self.construction.called and caller not in _BUILDERS for caller in self._callers(method)
        )

    def _callers(self, method: str) -> set[str]:
        return _methods([uses.read for uses in self._family_uses], method)

    def _serves_forward(self, method: str) -> bool:
        """Whether ``forward`` calls a method, directly or through others."""
        seen: set[str] = set()
        waiting = {method}
        while waiting:
            seen |= waiting
            waiting = {caller for one in waiting for caller in self._callers(one)} - seen
        return "forward" in seen

    def later_events(self, attribute: str) -> tuple[Event, ...]:
        """What methods that construction does not call do to the attribute."""
        methods = self.uses.stored.get(attribute, set()) - self.construction.called - _BUILDERS
        events = [later_events(self._inference, self._built, method) for method in sorted(methods)]
        return tuple(event for several in events for event in several if event.attribute == attribute)

    @property
    def device_moves(self) -> tuple[DeviceMove, ...]:
        """Calls of ``self.x.to(y.device)`` in the class's own methods."""
        return tuple(device_moves(self.definition))

    def asks_for(self, attribute: str) -> bool:
        """Whether a method that runs after construction asks whether the attribute is None, or is there."""
        methods = _methods([uses.guarded for uses in self._family_uses], attribute)
        return any(self.runs_later(method) for method in methods)

    def handed_on(self, attribute: str) -> bool:
        """Whether a method that builds the object passes the attribute to something that may keep it."""
        building = self.construction.called | _BUILDERS
        return any(not building.isdisjoint(uses.handed_on.get(attribute, ())) for uses in self._all_uses)

    def deleted(self, attribute: str) -> bool:
        """Whether some method deletes the attribute."""
        return any(attribute in uses.deleted for uses in self._all_uses)

    def in_dict(self, attribute: str) -> str | None:
        """A method that looks the attribute up in ``__dict__``, where a buffer is not found."""
        methods = frozenset[str]().union(*(uses.in_dict.get(attribute, ()) for uses in self._family_uses))
        return min(methods, default=None)

    def dict_user(self) -> str | None:
        """A method that does something else with ``__dict__`` than to copy or restore the whole object."""
        methods = frozenset[str]().union(*(uses.dict_users for uses in self._family_uses))
        return min(methods - _COPIERS, default=None)

    def collision(self, attribute: str) -> str | None:
        """What else already gives objects an attribute of that name, in words; None where nothing does."""
        for base in self._inference.classes(self._built):
            definition = self._inference.definition(base)
            if definition.defines(attribute):
                return self._collision_with(base, definition, attribute)
        for outside in self._inference.outside_bases(self._built):
            known = torch_class(outside.name)
            if known is not None and attribute in (known.names | known.parameters):
                return f"an attribute of `{outside.name}`"
            listed = outside_class(outside.name)
            if listed is not None and attribute in listed.members:
                return f"an attribute of `{outside.name}`"
        known = torch_class("torch.nn.Module")
        return "an attribute of `torch.nn.Module`" if known is not None and attribute in known.names else None

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

    def method_place(self, method: str, statement: Span) -> MethodPlace | None:
        """Where the class's own method stands around a statement."""
        return method_place(self.definition, method, statement)

    def container_obstacle(self, attribute: str, assignment: Span) -> str | None:
        """Why a property that makes a new list each time cannot take the place of an attribute."""
        return obstacle(self._definitions, self.symbol.scope.file.tree, attribute, assignment)

    def named_in_class(self, name: str) -> bool:
        """Whether the class, a base or an heir defines or annotates a name in its body."""
        return any(one.defines(name) or name in one.annotations or name in one.setters for one in self._definitions)

    @cached_property
    def functions_at_hand(self) -> frozenset[str]:
        """How the class calls functions of its file, and methods that it or a base has."""
        bindings = self.symbol.scope.file.scope.bindings
        functions = (name for name, bound in bindings.items() if all(isinstance(one, FunctionBinding) for one in bound))
        bases = self._inference.classes(self.symbol)
        methods = (f"self.{name}" for base in bases for name in self._inference.definition(base).methods)
        return frozenset((*functions, *methods))

    @cached_property
    def attribute_names(self) -> frozenset[str]:
        """Every name that the class, its bases and heirs use or define as an attribute; patterns for computed ones."""
        tables = (table for uses in self._family_uses for table in (uses.read, uses.stored))
        bodies = (
            own for one in self._definitions for own in (one.methods, one.properties, one.values, one.annotations)
        )
        return frozenset[str]().union(self.construction.attributes, *tables, *bodies)

    def names_in_method(self, method: str) -> frozenset[str]:
        """Names that a new local variable of the method must not have."""
        function = self.definition.methods.get(method)
        return frozenset() if function is None else names_in(function)

    def ignored(self, attribute: str | None) -> bool:
        """Whether the configuration asks for silence about an attribute."""
        return any(self._matches(attribute, pattern) for pattern in self.settings.ignore_attributes)

    def wanted_persistence(self, attribute: str | None) -> Persistence:
        """What the configuration says of ``persistent`` for a new buffer; the longest pattern that matches counts."""
        several = self.settings.per_attribute_persistent
        matching = [one for one in several if self._matches(attribute, one.pattern)]
        chosen = max(matching, key=lambda one: len(one.pattern), default=None)
        return self.settings.persistent if chosen is None else chosen.persistent

    def _matches(self, attribute: str | None, pattern: str) -> bool:
        """Whether an attribute, None for a computed name, is one of those that a pattern speaks of."""
        name = attribute or ""
        last = self.name.rpartition(".")[2]
        return any(fnmatchcase(one, pattern) for one in (name, f"{last}.{name}", f"{self.name}.{name}"))

    def torch_name(self, name: str, method: str) -> str | None:
        """How a method can spell a class of ``torch.nn.parameter`` (``nn.Buffer``, ``torch.nn.Buffer``), if it can."""
        function = self.definition.methods.get(method)
        hidden = frozenset[str]() if function is None else bound_in(function)
        return run_time_spelling(self.symbol.scope, f"torch.nn.{name}", f"torch.nn.parameter.{name}", hidden)

    @cached_property
    def _buffer_import(self) -> tuple[str, Edit | None]:
        """What ``nn.Buffer`` is called after an import that the file lacks, and that import; none where none fits."""
        file = self.symbol.scope.file
        for wanted, name in ((Import("torch.nn", "Buffer"), "Buffer"), (Import("torch", "nn"), "nn.Buffer")):
            if is_free(file, wanted.name):
                edit = import_edit(file, wanted, self.settings.line_length)
                return ("", None) if edit is None else (name, edit)
        return "", None

    def spelling(self, name: str) -> str | None:
        """How the file spells a dotted name, if its imports reach it."""
        return self._inference.spelling(self.symbol.scope.file, name)

    @cached_property
    def annotation_place(self) -> AnnotationPlace | None:
        """Where a class-level annotation goes."""
        return annotation_place(self.symbol)

    @property
    def makes_fields_of_annotations(self) -> bool:
        """Whether a class-level annotation becomes an argument of the constructor."""
        return bool(self.definition.decorators & FIELD_DECORATORS)

    def annotates(self, attribute: str) -> bool:
        """Whether the class, a base or an heir annotates the attribute in its body, or the class in a method."""
        return self.named_in_class(attribute) or attribute in annotated_in_methods(self.definition)

    @property
    def may_write_unions(self) -> bool:
        """Whether ``X | None`` can stand in an annotation of the file."""
        return self.settings.has_union_types or postpones_evaluation(self.symbol.scope.file.tree)

    def in_class_body(self, annotation: str) -> str | None:
        """An annotation as it can stand in the body of the class, quoted where it has to be; None if it can't."""
        if not is_expression(annotation):
            return None
        if is_evaluated_in_body(self.symbol, annotation):
            return annotation
        quote = quote_of(self.source.text)
        for mark in (quote, "'" if quote == '"' else '"'):
            if mark not in annotation and "\\" not in annotation:
                return f"{mark}{annotation}{mark}"
        return None

    def is_alone_in_block(self, statement: Span) -> bool:
        """Whether a statement is all that its block holds."""
        return is_alone_in_block(self.symbol, statement)

    @cached_property
    def is_script_module(self) -> bool:
        """Whether the class is a ScriptModule, which refuses buffers that are not persistent."""
        return any(base.name == "torch.jit.ScriptModule" for base in self._inference.outside_bases(self._built))

    @cached_property
    def indent_unit(self) -> str:
        """White space of one level, as the class's own body has it."""
        outer = self.source.line(self.symbol.scope.node.lineno) if hasattr(self.symbol.scope.node, "lineno") else ""
        inner = self.annotation_place.indent if self.annotation_place is not None else ""
        return inner[len(outer) - len(outer.lstrip()) :] or "    "

    def text_style(self, method: str) -> TextStyle:
        """What new text in a method looks like."""
        known = self.torch_name("Buffer", method)
        name, edit = self._buffer_import if known is None else (known, None)
        return TextStyle(
            self.settings.buffer_style,
            name,
            quote_of(self.source.text),
            self.indent_unit,
            self.settings.line_length,
            self.names_in_method(method),
            self.name.rpartition(".")[2],
            edit,
        )

    @property
    def wants_nn_buffer(self) -> bool:
        """Whether fixes assign ``nn.Buffer``."""
        return self.settings.buffer_style is BufferStyle.NN_BUFFER


def _arguments(event: Write | Registration) -> set[str]:
    """Names of the constructor's arguments that the value of an event is."""
    return {tensor.argument for tensor in tensors(event.value) if not tensor.fresh} - {"", "?"}


def _methods(tables: Iterable[Mapping[str, set[str]]], name: str) -> set[str]:
    """All methods under a name in several tables."""
    return {method for table in tables for method in table.get(name, ())}
