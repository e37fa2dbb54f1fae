"""What a rule sees of one nn.Module class, and the questions that several rules ask about it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.class_context.family import ClassFamily
from regbuf_lint.class_context.hooks import ClassHooks
from regbuf_lint.class_context.places import ClassPlaces, outside_collision
from regbuf_lint.class_context.text import ClassText
from regbuf_lint.classes.outside_uses import read_outside
from regbuf_lint.model.class_view import Registration
from regbuf_lint.model.value import tensors

if TYPE_CHECKING:
    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.model.span import Span


class ClassContext(ClassFamily):
    """One nn.Module class of the file that is being checked, and what speaks against a buffer in it."""

    @cached_property
    def text(self) -> ClassText:
        """The text of the class: which names it has, and what new text looks like."""
        return ClassText(self)

    @cached_property
    def hooks(self) -> ClassHooks:
        """The ways other than those of nn.Module by which the class keeps, finds and copies its attributes."""
        return ClassHooks(self)

    @cached_property
    def places(self) -> ClassPlaces:
        """Where an edit may stand in the class."""
        return ClassPlaces(self)

    def collision(self, attribute: str) -> str | None:
        """What else already gives objects an attribute of that name, in words; None where nothing does."""
        for base in self._inference.classes(self._built):
            definition = self._inference.definition(base)
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
        return any(base.name == "torch.jit.ScriptModule" for base in self._inference.outside_bases(self._built))

    def registered_as(self, attribute: str) -> str | None:
        """The buffer of another name as which construction registers the very tensor that the attribute holds."""
        events = (event for event in self.construction.events if isinstance(event, Registration))
        named = (event for event in events if event.attribute != attribute and event.step.own)
        held = (event for event in named if any(one.alias == attribute for one in tensors(event.value)))
        return next((event.attribute for event in held if self._says_attribute(event.argument, attribute)), None)

    def _says_attribute(self, place: Span | None, attribute: str) -> bool:
        """Whether an expression of the class is ``self.attribute``, and no cast of it, which may be a copy."""
        return place is not None and self.source.slice(place).partition(".")[2] == attribute

    def is_used_later(self, attribute: str) -> bool:
        """Whether something may use the attribute once the object is built, as far as the text of the package tells."""
        if any(map(self.runs_later, self.readers(attribute))) or self.in_dict(attribute):
            return True
        return any(one.dynamic for one in self.family_uses) or self.is_read_outside(attribute)

    def is_read_outside(self, attribute: str) -> bool:
        """Whether something other than the class may read the attribute, as far as the text of the package tells."""
        file = self.symbol.scope.file
        if self.is_read_beside(attribute):
            return True
        return any(one is not file for one in self._inference.project.files_with(file, f".{attribute}"))

    def is_read_beside(self, attribute: str) -> bool:
        """Whether other code of the file reads an attribute of that name."""
        return read_outside(self.symbol.scope.file.tree, self.definitions, attribute)
