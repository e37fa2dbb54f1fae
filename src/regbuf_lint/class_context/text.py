"""The text of a class: which names it has, how it spells those of torch, and what new text in it looks like."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.classes.called_functions import called_functions
from regbuf_lint.classes.definition import bound_in, names_in
from regbuf_lint.index.imports import Import, import_edit, is_free, run_time_spelling
from regbuf_lint.model.settings import BufferStyle, Persistence
from regbuf_lint.placement.annotation_habits import AnnotationHabits, annotation_habits
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
from regbuf_lint.rewrite.names import attribute_key
from regbuf_lint.rewrite.style import TextStyle, quote_of, width_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.model.fix import Edit
    from regbuf_lint.model.span import Span


_HAS_UNIONS = (3, 10)
_HAS_GENERICS = (3, 9)


class TypeName(Struct, frozen=True):
    """What a file calls a type, and the edit that imports it where the file does not."""

    spelling: str
    edit: Edit | None = None


class ClassText:
    """What a fix has to know of the text of one class."""

    def __init__(self, context: ClassContext) -> None:
        self._context = context

    def names_in_method(self, method: str) -> frozenset[str]:
        """Names that a new local variable of the method must not have."""
        function = self._context.definition.methods.get(method)
        return frozenset() if function is None else names_in(function)

    def torch_name(self, name: str, method: str) -> str | None:
        """How a method can spell a class of ``torch.nn.parameter`` (``nn.Buffer``, ``torch.nn.Buffer``), if it can."""
        function = self._context.definition.methods.get(method)
        hidden = frozenset[str]() if function is None else bound_in(function)
        return run_time_spelling(self._context.symbol.scope, f"torch.nn.{name}", f"torch.nn.parameter.{name}", hidden)

    @cached_property
    def _buffer_import(self) -> tuple[str, Edit | None]:
        """What ``nn.Buffer`` is called after an import that the file lacks, and that import; none where none fits."""
        file = self._context.symbol.scope.file
        for wanted, name in ((Import("torch.nn", "Buffer"), "Buffer"), (Import("torch", "nn"), "nn.Buffer")):
            if is_free(file, wanted.name):
                edit = import_edit(file, wanted, self._width)
                return ("", None) if edit is None else (name, edit)
        return "", None

    def spelling(self, name: str) -> str | None:
        """How the file spells a dotted name, if its imports reach it."""
        return self._context.inference.spelling(self._context.symbol.scope.file, name)

    def type_name(self, full_name: str) -> TypeName | None:
        """How the file can spell a type; None where no import of it fits."""
        known, file = self.spelling(full_name), self._context.symbol.scope.file
        module, _, name = full_name.rpartition(".")
        if known is not None or not is_free(file, name):
            return None if known is None else TypeName(known)
        edit = import_edit(file, Import(module, name), self._width)
        return None if edit is None else TypeName(name, edit)

    @cached_property
    def annotation_place(self) -> AnnotationPlace | None:
        """Where a class-level annotation goes."""
        return annotation_place(self._context.symbol)

    @property
    def makes_fields_of_annotations(self) -> bool:
        """Whether a class-level annotation becomes an argument of the constructor."""
        return bool(self._context.definition.decorators & FIELD_DECORATORS)

    def annotates(self, attribute: str) -> bool:
        """Whether the class, a base or a subclass annotates the attribute in its body, or the class in a method."""
        return self.named_in_class(attribute) or attribute in annotated_in_methods(self._context.definition)

    @cached_property
    def _habits(self) -> AnnotationHabits:
        return annotation_habits(self._context.symbol.scope.file.tree)

    @cached_property
    def postpones_annotations(self) -> bool:
        """Whether annotations of the file are never evaluated by themselves."""
        return postpones_evaluation(self._context.symbol.scope.file.tree)

    @property
    def may_write_unions(self) -> bool:
        """Whether ``X | None`` can stand in an annotation of the file."""
        oldest = self._context.settings.oldest_python or (0, 0)
        return oldest >= _HAS_UNIONS or self.postpones_annotations or self._habits.unions > 0

    @property
    def prefers_optional(self) -> bool:
        """Whether the file writes ``Optional[X]``, or has to."""
        return self._habits.optionals > self._habits.unions or not self.may_write_unions

    @property
    def _may_write_generics(self) -> bool:
        oldest = self._context.settings.oldest_python or _HAS_GENERICS
        return oldest >= _HAS_GENERICS or self.postpones_annotations or self._habits.generics > 0

    def generic(self, kind: str) -> str:
        """How the file writes ``list`` or ``tuple`` before brackets: ``List``, or nothing where it cannot."""
        if self._may_write_generics and self._habits.typing_generics <= self._habits.generics:
            return kind
        return self.spelling(f"typing.{kind.capitalize()}") or (kind if self._may_write_generics else "")

    def in_class_body(self, annotation: str, imported: Collection[str] | None = None) -> str | None:
        """An annotation as it can stand in the body of the class, quoted where it has to be; None if it can't.

        Args:
            annotation: the expression.
            imported: names that it gets by new imports; None for an annotation that the author wrote for a method,
                which is believed to fit the Pythons of the project where nothing says which these are.
        """
        if not is_expression(annotation):
            return None
        fits = imported is None and self._context.settings.oldest_python is None
        unions, generics = self.may_write_unions or fits, self._may_write_generics
        symbol = self._context.symbol
        if is_evaluated_in_body(symbol, annotation, imported or (), unions=unions, generics=generics):
            return annotation
        for mark in (self._quote, "'" if self._quote == '"' else '"'):
            if mark not in annotation and "\\" not in annotation:
                return f"{mark}{annotation}{mark}"
        return None

    @property
    def _quote(self) -> str:
        """The quotation mark of new strings."""
        return self._context.settings.quote or quote_of(self._context.source.text)

    @property
    def _width(self) -> int:
        """Columns of a line of new text."""
        return self._context.settings.line_length or width_of(self._context.source.text)

    @cached_property
    def indent_unit(self) -> str:
        """White space of one level, as the class's own body has it."""
        outer = (
            self._context.source.line(self._context.symbol.scope.node.lineno)
            if hasattr(self._context.symbol.scope.node, "lineno")
            else ""
        )
        inner = self.annotation_place.indent if self.annotation_place is not None else ""
        return inner[len(outer) - len(outer.lstrip()) :] or "    "

    def style(self, method: str) -> TextStyle:
        """What new text in a method looks like."""
        known = self.torch_name("Buffer", method)
        name, edit = self._buffer_import if known is None else (known, None)
        return TextStyle(
            self._context.settings.buffer_style,
            name,
            self._quote,
            self.indent_unit,
            self._width,
            self.names_in_method(method),
            self._context.name.rpartition(".")[2],
            edit,
            self._context.settings.brackets,
        )

    @property
    def wants_nn_buffer(self) -> bool:
        """Whether fixes assign ``nn.Buffer``."""
        return self._context.settings.buffer_style is BufferStyle.NN_BUFFER

    def wanted_persistence(self, attribute: str | None) -> Persistence:
        """What the configuration says of ``persistent`` for a new buffer; the longest pattern that matches counts."""
        several = self._context.settings.per_attribute_persistent
        matching = [one for one in several if self._context.matches(attribute, one.pattern)]
        chosen = max(matching, key=lambda one: len(one.pattern), default=None)
        return self._context.settings.persistent if chosen is None else chosen.persistent

    def registration_of_none(self, attribute: str) -> str:
        """The call that declares a buffer which a method fills later, as a message shows it."""
        name = attribute_key(attribute, self._context.name)
        flag = "" if self.wanted_persistence(attribute) is Persistence.ALWAYS else ", persistent=False"
        return f'self.register_buffer("{name}", None{flag})'

    def is_alone_in_block(self, statement: Span) -> bool:
        """Whether a statement is all that its block holds."""
        return is_alone_in_block(self._context.symbol, statement)

    @cached_property
    def attribute_names(self) -> frozenset[str]:
        """Every name that the class, its bases and subclasses have as an attribute; patterns for computed ones."""
        uses = self._context.family_uses
        bodies = (
            own
            for one in self._context.definitions
            for own in (one.methods, one.properties, one.values, one.annotations)
        )
        return frozenset[str]().union(self._context.construction.attributes, uses.read, uses.stored, *bodies)

    @cached_property
    def functions_at_hand(self) -> frozenset[str]:
        """How the class calls functions and methods whose source is at hand, in whatever file they are."""
        bases = self._context.inference.classes(self._context.symbol)
        methods = frozenset[str]().union(*(self._context.inference.definition(base).methods for base in bases))
        return called_functions(self._context.inference.project, self._context.definition, methods)

    def named_in_class(self, name: str) -> bool:
        """Whether the class, a base or a subclass defines or annotates a name in its body."""
        return any(
            one.defines(name) or name in one.annotations or name in one.setters for one in self._context.definitions
        )
