"""What a rule sees of one nn.Module class, and the questions that several rules ask about it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.class_context.caretaking import Caretaking
from regbuf_lint.class_context.change import Change
from regbuf_lint.classes.attribute_hooks import Passing, finds_buffers, passing
from regbuf_lint.classes.buffer_walks import walks_own_buffers
from regbuf_lint.classes.definition import ClassDefinition, bound_in, names_in
from regbuf_lint.classes.moves import device_moves
from regbuf_lint.classes.shallow_copies import assigns, copying_methods
from regbuf_lint.index.imports import Import, import_edit, is_free, run_time_spelling
from regbuf_lint.index.known_classes import outside_class, torch_class
from regbuf_lint.index.scopes import FunctionBinding
from regbuf_lint.model.settings import BufferStyle
from regbuf_lint.placement.annotations import (
    FIELD_DECORATORS,
    AnnotationPlace,
    annotated_in_methods,
    annotation_place,
    is_evaluated_in_body,
    is_expression,
    postpones_evaluation,
)
from regbuf_lint.placement.blocks import is_alone_in_block
from regbuf_lint.placement.class_none import ClassNone, class_none, read_before, read_on_class
from regbuf_lint.placement.computed_names import is_read_by_same_name
from regbuf_lint.placement.container_uses import obstacle
from regbuf_lint.placement.early_assignment import EarlyAssignment, early_assignment
from regbuf_lint.placement.method_place import MethodPlace, method_place
from regbuf_lint.placement.preliminary import preliminary_places
from regbuf_lint.placement.weight_initialiser import Repeated, WeightInitialiser, repeated, weight_initialiser
from regbuf_lint.rewrite.style import TextStyle, quote_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from regbuf_lint.classes.moves import DeviceMove
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.model.class_view import Write
    from regbuf_lint.model.fix import Edit
    from regbuf_lint.model.settings import Persistence
    from regbuf_lint.model.span import Span


class ClassContext(Caretaking):
    """One nn.Module class of the file that is being checked, and what a fix has to know of its text."""

    @cached_property
    def walks_own_buffers(self) -> str | None:
        """A method of the class or a base that does something with each buffer of the object itself."""
        definitions = (self._inference.definition(base) for base in self._inference.classes(self._built))
        return next((name for one in definitions if (name := walks_own_buffers(one)) is not None), None)

    def assignment_passes(self, attribute: str | None) -> Passing:
        """What the ``__setattr__`` of the class and its bases make of a plain tensor that is assigned."""
        definitions = (self._inference.definition(base) for base in self._inference.classes(self._built))
        own = [one.methods["__setattr__"] for one in definitions if "__setattr__" in one.methods]
        found = {passing(function, attribute) for function in own}
        return next((one for one in (Passing.NEVER, Passing.MAYBE) if one in found), Passing.ALWAYS)

    @cached_property
    def finds_no_buffers(self) -> bool:
        """Whether the class or a base has a ``__getattr__`` that does not give what is registered."""
        definitions = (self._inference.definition(base) for base in self._inference.classes(self._built))
        own = (one.methods["__getattr__"] for one in definitions if "__getattr__" in one.methods)
        return not all(map(finds_buffers, own))

    def early_assignment(self, attribute: str) -> EarlyAssignment | str:
        """What the constructor does with an attribute before it initialises the object, or why that has to stay."""
        begun = self.construction.begun
        steps = [event.step for event in self.construction.events if event.number >= begun]
        late = [one.statement.start for one in steps if one.own and one.method == "__init__" and one.initialised]
        return early_assignment(self.definition, attribute, min(late, default=None))

    def preliminary_places(self, write: Write) -> Mapping[Span, tuple[Span, ...]]:
        """Where the method of a write names the attribute up to it, if a local could serve as well; else nothing."""
        step = write.step
        return preliminary_places(self.definition, step.method, write.attribute or "", step.statement)

    @cached_property
    def copying_methods(self) -> Mapping[str, FunctionNode]:
        """Methods of the class, its bases and subclasses that make a shallow copy of the object."""
        return copying_methods(self._definitions)

    def changes_in_copies(self, attribute: str) -> bool:
        """Whether an object or a shallow copy of it puts another value into the attribute, for itself alone."""
        if self.change_of(attribute) is not Change.NONE:
            return True
        return any(assigns(function, attribute) for function in self.copying_methods.values())

    @property
    def device_moves(self) -> tuple[DeviceMove, ...]:
        """Calls of ``self.x.to(y.device)`` in the class's own methods."""
        return tuple(device_moves(self.definition))

    def collision(self, attribute: str) -> str | None:
        """What else already gives objects an attribute of that name, in words; None where nothing does."""
        for base in self._inference.classes(self._built):
            definition = self._inference.definition(base)
            if definition.defines(attribute):
                return self._collision_with(base, definition, attribute)
        return self._outside_collision(attribute)

    def _outside_collision(self, attribute: str) -> str | None:
        for outside in self._inference.outside_bases(self._built):
            known = torch_class(outside.name)
            if known is not None and attribute in (known.names | known.parameters):
                return f"an attribute of `{outside.name}`"
            listed = outside_class(outside.name)
            if listed is not None and attribute in listed.members:
                return f"an attribute of `{outside.name}`"
        known = torch_class("torch.nn.Module")
        return "an attribute of `torch.nn.Module`" if known is not None and attribute in known.names else None

    def class_none(self, attribute: str) -> ClassNone | None:
        """``x = None`` in the body of the class, where nothing else gives it or a subclass such an attribute."""
        others = (one for one in self._definitions if one is not self.definition)
        if self.subclass is not None or self._outside_collision(attribute) or any(map(_definer(attribute), others)):
            return None
        subclasses = map(self._inference.definition, self.subclasses_at_hand)
        return None if any(map(_definer(attribute), subclasses)) else class_none(self.definition, attribute)

    def read_before(self, attribute: str, method: str, statement: Span) -> bool:
        """Whether a method of the class reads the attribute before the end of a statement that assigns it."""
        return read_before(self.definition, attribute, method, statement)

    def read_on_class(self, attribute: str) -> bool:
        """Whether the file reads the attribute from the class itself, a base or a subclass."""
        names = (one.symbol.scope.qualname.rpartition(".")[2] for one in self._definitions)
        return read_on_class(self.symbol.scope.file.tree, attribute, names)

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

    def is_read_by_same_name(self, write: Write) -> bool:
        """Whether the method that sets an attribute of a computed name reads it, too."""
        return is_read_by_same_name(self.definition, write.step.method, write.step.statement)

    @cached_property
    def weight_initialiser(self) -> WeightInitialiser | None:
        """The one ``_init_weights`` of the file, which fills what ``from_pretrained`` does not load."""
        return weight_initialiser(self.symbol.scope.file)

    def repeated_by_initialiser(self, statement: Span, attributes: Sequence[str]) -> Repeated | None:
        """What a statement of the constructor assigns to the attributes, as ``_init_weights`` can say it."""
        initialiser = self.weight_initialiser
        if initialiser is None:
            return None
        bases = (base.scope.qualname for base in self._inference.classes(self.symbol))
        return repeated(self.definition, statement, attributes, initialiser, is_model=initialiser.owner in bases)

    def method_place(self, method: str, statement: Span) -> MethodPlace | None:
        """Where the class's own method stands around a statement."""
        return method_place(self.definition, method, statement)

    def container_obstacle(self, attribute: str, assignment: Span) -> str | None:
        """Why a property that makes a new list each time cannot take the place of an attribute."""
        return obstacle(self._definitions, self.symbol.scope.file.tree, attribute, assignment)

    def named_in_class(self, name: str) -> bool:
        """Whether the class, a base or a subclass defines or annotates a name in its body."""
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
        """Every name that the class, its bases and subclasses have as an attribute; patterns for computed ones."""
        tables = (table for uses in self._family_uses for table in (uses.read, uses.stored))
        bodies = (
            own for one in self._definitions for own in (one.methods, one.properties, one.values, one.annotations)
        )
        return frozenset[str]().union(self.construction.attributes, *tables, *bodies)

    def names_in_method(self, method: str) -> frozenset[str]:
        """Names that a new local variable of the method must not have."""
        function = self.definition.methods.get(method)
        return frozenset() if function is None else names_in(function)

    def wanted_persistence(self, attribute: str | None) -> Persistence:
        """What the configuration says of ``persistent`` for a new buffer; the longest pattern that matches counts."""
        several = self.settings.per_attribute_persistent
        matching = [one for one in several if self._matches(attribute, one.pattern)]
        chosen = max(matching, key=lambda one: len(one.pattern), default=None)
        return self.settings.persistent if chosen is None else chosen.persistent

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
        """Whether the class, a base or a subclass annotates the attribute in its body, or the class in a method."""
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


def _definer(attribute: str) -> Callable[[ClassDefinition], bool]:
    return lambda definition: definition.defines(attribute)
