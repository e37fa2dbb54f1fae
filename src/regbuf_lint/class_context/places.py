"""Where an edit may stand in a class."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.index.known_classes import outside_class, torch_class
from regbuf_lint.placement.class_none import ClassNone, class_none, read_before, read_on_class
from regbuf_lint.placement.computed_names import is_read_by_same_name
from regbuf_lint.placement.container_uses import obstacle
from regbuf_lint.placement.early_assignment import EarlyAssignment, early_assignment
from regbuf_lint.placement.method_place import MethodPlace, method_place
from regbuf_lint.placement.preliminary import preliminary_places
from regbuf_lint.placement.weight_initialiser import Repeated, WeightInitialiser, repeated, weight_initialiser

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.model.class_view import Write
    from regbuf_lint.model.span import Span


class ClassPlaces:
    """Answers of `placement/` about one class."""

    def __init__(self, context: ClassContext) -> None:
        self._context = context

    def early_assignment(self, attribute: str) -> EarlyAssignment | str:
        """What the constructor does with an attribute before it initialises the object, or why that has to stay."""
        begun = self._context.construction.begun
        steps = [event.step for event in self._context.construction.events if event.number >= begun]
        late = [one.statement.start for one in steps if one.own and one.method == "__init__" and one.initialised]
        return early_assignment(self._context.definition, attribute, min(late, default=None))

    def preliminary_places(self, write: Write) -> Mapping[Span, tuple[Span, ...]]:
        """Where the method of a write names the attribute up to it, if a local could serve as well; else nothing."""
        step = write.step
        return preliminary_places(self._context.definition, step.method, write.attribute or "", step.statement)

    def class_none(self, attribute: str) -> ClassNone | None:
        """``x = None`` in the body of the class, where nothing else gives it or a subclass such an attribute."""
        others = (one for one in self._context.definitions if one is not self._context.definition)
        if (
            self._context.subclass is not None
            or outside_collision(self._context, attribute)
            or any(map(_definer(attribute), others))
        ):
            return None
        return class_none(self._context.definition, attribute)

    def read_before(self, attribute: str, method: str, statement: Span) -> bool:
        """Whether a method of the class reads the attribute before the end of a statement that assigns it."""
        return read_before(self._context.definition, attribute, method, statement)

    def read_on_class(self, attribute: str) -> bool:
        """Whether the file reads the attribute from the class itself, a base or a subclass."""
        names = (one.symbol.scope.qualname.rpartition(".")[2] for one in self._context.definitions)
        return read_on_class(self._context.symbol.scope.file.tree, attribute, names)

    def is_read_by_same_name(self, write: Write) -> bool:
        """Whether the method that sets an attribute of a computed name reads it, too."""
        return is_read_by_same_name(self._context.definition, write.step.method, write.step.statement)

    @cached_property
    def weight_initialiser(self) -> WeightInitialiser | None:
        """The one ``_init_weights`` of the file, which fills what ``from_pretrained`` does not load."""
        return weight_initialiser(self._context.symbol.scope.file)

    def repeated_by_initialiser(self, statement: Span, attributes: Sequence[str]) -> Repeated | None:
        """What a statement of the constructor assigns to the attributes, as ``_init_weights`` can say it."""
        initialiser = self.weight_initialiser
        if initialiser is None:
            return None
        bases = (base.scope.qualname for base in self._context.inference.classes(self._context.symbol))
        return repeated(
            self._context.definition, statement, attributes, initialiser, is_model=initialiser.owner in bases
        )

    def method_place(self, method: str, statement: Span) -> MethodPlace | None:
        """Where the class's own method stands around a statement."""
        return method_place(self._context.definition, method, statement)

    def container_obstacle(self, attribute: str, assignment: Span) -> str | None:
        """Why a property that makes a new list each time cannot take the place of an attribute."""
        return obstacle(self._context.definitions, self._context.symbol.scope.file.tree, attribute, assignment)


def outside_collision(context: ClassContext, attribute: str) -> str | None:
    """What gives objects an attribute of that name in a base whose source is not at hand, in words."""
    for outside in context.inference.outside_bases(context.built):
        known = torch_class(outside.name)
        if known is not None and attribute in (known.names | known.parameters):
            return f"an attribute of `{outside.name}`"
        listed = outside_class(outside.name)
        if listed is not None and attribute in listed.members:
            return f"an attribute of `{outside.name}`"
    known = torch_class("torch.nn.Module")
    return "an attribute of `torch.nn.Module`" if known is not None and attribute in known.names else None


def _definer(attribute: str) -> Callable[[ClassDefinition], bool]:
    return lambda definition: definition.defines(attribute)
