"""Whether somebody looks after a tensor that is no buffer, so that there is nothing to report."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.class_context.family import ClassFamily, methods_of
from regbuf_lint.classes.derivatives import is_differentiated_by_hand, is_handed_out
from regbuf_lint.classes.first_values import may_start_empty
from regbuf_lint.classes.moves import stays_put
from regbuf_lint.classes.outside_uses import read_outside
from regbuf_lint.classes.uses import APPLY, MOVERS
from regbuf_lint.index.known_classes import outside_class
from regbuf_lint.infer.callers import (
    is_given_numbers,
    is_given_parameters,
    is_left_out,
    is_made_by_forward,
    is_moved_as_part,
    is_part_of_another,
    value_without,
)
from regbuf_lint.infer.merges import is_merged_over_settings
from regbuf_lint.infer.recipients import is_given_to_registering_class, is_named_by_subclasses
from regbuf_lint.infer.size_uses import is_used_as_size
from regbuf_lint.model.class_view import Registration, Write
from regbuf_lint.model.use import IDENTITY
from regbuf_lint.model.value import NoneValue, may_be, tensors

if TYPE_CHECKING:
    from regbuf_lint.classes.uses import AttributeUses
    from regbuf_lint.model.span import Span


class Caretaking(ClassFamily):
    """Questions about who moves a tensor, registers it elsewhere, or wants it where it is."""

    def moved_by_hand(self, attribute: str | None) -> bool:
        """Whether the class or a base takes care of the attribute by itself, as by an own ``_apply``.

        An own ``to`` counts where it makes the value anew, and where an owner calls it for a part; not where it does no
        more than move the value: a model that has the object for a part does not call it, nor do the other movers.
        """
        if self._stays_put or self._moved_by_own_method(attribute or ""):
            return True
        listed = [outside_class(outside.name) for outside in self._inference.outside_bases(self._built)]
        return any(known is not None and known.moves(attribute) for known in listed)

    def _moved_by_own_method(self, attribute: str) -> bool:
        if any(uses.touches(attribute) for uses in self._uses_on_apply):
            return True
        if not any(uses.touches(attribute) for uses in self._uses_on_move) or self._is_left_by_owner:
            return False
        if any(uses.makes_anew(attribute) for uses in self._uses_on_move):
            return True
        return is_moved_as_part(self._inference, self._built, MOVERS)

    @cached_property
    def _stays_put(self) -> bool:
        """Whether the class refuses to be moved as torch does it, by an ``_apply`` that does something else."""
        found = self._inference.find_method(self._built, APPLY)
        return found is not None and stays_put(found[1])

    @cached_property
    def _uses_on_apply(self) -> tuple[AttributeUses, ...]:
        """Uses of attributes in an own ``_apply``, and in the methods that it calls."""
        return self._uses_reached_from(frozenset({APPLY}))

    @cached_property
    def _uses_on_move(self) -> tuple[AttributeUses, ...]:
        """Uses of attributes in an own ``to``, ``cuda`` or the like, and in the methods that these call."""
        return self._uses_reached_from(MOVERS)

    def _uses_reached_from(self, methods: frozenset[str]) -> tuple[AttributeUses, ...]:
        return self._inference.uses_in(self._built, self._inference.reached_from(self._built, methods))

    @cached_property
    def _is_left_by_owner(self) -> bool:
        """Whether an nn.Module has the object for a part and never calls its ``to``."""
        return is_part_of_another(self._inference, self._built, MOVERS)

    def lives_with_arguments(self, attribute: str) -> bool:
        """Whether the object, which nobody can move, keeps no tensors of its own making.

        Without nn.Module's own ``__init__``, moving the object fails; it serves whoever made it, on their device.
        """
        if self.construction.initialised or not self.never_initialises:
            return False
        found = tensors(self.value_of(attribute))
        return not found or any(tensor.argument for tensor in found)

    def registered_elsewhere(self, attribute: str) -> bool:
        """Whether only the constructor, or what shows the object, reads the attribute, which is a buffer elsewhere."""
        if not methods_of([uses.read for uses in self._family_uses], attribute) <= self._building | IDENTITY:
            return False
        if is_named_by_subclasses(self._inference, self.symbol, attribute):
            return False
        if is_given_to_registering_class(self._inference, self._built, attribute, self._building):
            return True
        held: set[str] = set()
        registered: set[str] = set()
        for event in self.construction.events:
            if isinstance(event, Write) and event.attribute == attribute:
                held |= _arguments(event)
            elif isinstance(event, Registration):
                registered |= _arguments(event)
        return bool(held & registered)

    def registered_as(self, attribute: str) -> str | None:
        """The buffer of another name as which construction registers the very tensor that the attribute holds."""
        events = (event for event in self.construction.events if isinstance(event, Registration))
        named = (event for event in events if event.attribute != attribute and event.step.own)
        held = (event for event in named if any(one.alias == attribute for one in tensors(event.value)))
        return next((event.attribute for event in held if self._says_attribute(event.argument, attribute)), None)

    def _says_attribute(self, place: Span | None, attribute: str) -> bool:
        """Whether an expression of the class is ``self.attribute``, and no cast of it, which may be a copy."""
        return place is not None and self.symbol.scope.file.source.slice(place).partition(".")[2] == attribute

    def is_given_no_tensors(self, attribute: str) -> bool:
        """Whether the attribute comes of an argument for which all give Parameters, or nothing, or that is a number."""
        found = tensors(self.value_of(attribute))
        arguments = {tensor.argument for tensor in found}
        if len(arguments) != 1 or arguments & {"", "?"}:
            return False
        argument = arguments.pop()
        if self._is_a_number(argument):
            return not tensors(value_without(self._inference, self._built, argument, attribute))
        if any(tensor.fresh for tensor in found):
            return False
        if is_given_parameters(self._inference, self._built, argument):
            return True
        return may_be(self.value_of(attribute), NoneValue) and is_left_out(self._inference, self._built, argument)

    def _is_a_number(self, argument: str) -> bool:
        """Whether an argument of the constructor is no tensor by its use, or by what callers give."""
        if is_used_as_size(self._inference, self._built, argument):
            return True
        return is_given_numbers(self._inference, self._built, argument)

    def is_trained_otherwise(self, attribute: str) -> bool:
        """Whether a tensor that asks for a gradient is a Parameter somewhere else, or none that an optimizer needs."""
        if self.registered_elsewhere(attribute) or self.is_handed_out(attribute):
            return True
        return self.is_differentiated_by_hand(attribute)

    def is_handed_out(self, attribute: str) -> bool:
        """Whether a method hands the attribute out to be trained."""
        return is_handed_out(self._definitions, attribute)

    def is_differentiated_by_hand(self, attribute: str) -> bool:
        """Whether the class wants the gradient by the attribute for itself."""
        return is_differentiated_by_hand(self._definitions, attribute)

    def may_start_empty(self, attribute: str | None) -> bool:
        """Whether construction puts a tensor without elements into the attribute, on some path."""
        return attribute is not None and may_start_empty(self._definitions, attribute, self._building)

    def is_merged_over_settings(self, attribute: str) -> bool:
        """Whether a method merges the attribute over a dict of numbers and the like."""
        return is_merged_over_settings(self._inference, self.symbol, attribute)

    @cached_property
    def is_made_by_forward(self) -> bool:
        """Whether objects of the class are made in ``forward`` methods alone: they end with the run that they serve."""
        return is_made_by_forward(self._inference, self.symbol)

    def is_read_later(self, attribute: str) -> bool:
        """Whether a method that runs once the object is built names the attribute to read it."""
        return any(map(self.runs_later, methods_of([one.read for one in self._family_uses], attribute)))

    def is_used_later(self, attribute: str) -> bool:
        """Whether something may use the attribute once the object is built, as far as the text of the package tells."""
        using = methods_of([table for one in self._family_uses for table in (one.read, one.mutated)], attribute)
        if any(map(self.runs_later, using)) or any(one.dynamic for one in self._family_uses) or self.in_dict(attribute):
            return True
        return self.is_read_outside(attribute)

    def is_read_outside(self, attribute: str) -> bool:
        """Whether something other than the class may read the attribute, as far as the text of the package tells."""
        file = self.symbol.scope.file
        if self.is_read_beside(attribute):
            return True
        return any(one is not file for one in self._inference.project.files_with(file, f".{attribute}"))

    def is_read_beside(self, attribute: str) -> bool:
        """Whether other code of the file reads an attribute of that name."""
        return read_outside(self.symbol.scope.file.tree, self._definitions, attribute)

    def sampled_on_cpu(self, attribute: str) -> bool:
        """Whether only methods that prepare batches for a loader (``collate_fn=self.sample``) read the attribute."""
        collating = frozenset[str]().union(*(uses.collating for uses in self._all_uses))
        if not collating:
            return False
        preparing = self._inference.reached_from(self._built, collating) | self._building
        readers = frozenset[str]().union(*(uses.read.get(attribute, ()) for uses in self._all_uses))
        return readers <= preparing and not readers <= self._building


def _arguments(event: Write | Registration) -> set[str]:
    """Names of the constructor's arguments that the value of an event is."""
    return {tensor.argument for tensor in tensors(event.value) if not tensor.fresh} - {"", "?"}
