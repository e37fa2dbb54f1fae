"""Whether somebody looks after a tensor that is no buffer, so that there is nothing to report."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.classes.cpu_company import meets_cpu_tensors
from regbuf_lint.classes.definition import REGISTRIES
from regbuf_lint.classes.demands import Demand, demands_on
from regbuf_lint.classes.derivatives import is_differentiated_by_hand, is_handed_out
from regbuf_lint.classes.filling import fill_before_reading, sets_before_reading
from regbuf_lint.classes.first_values import (
    may_start_empty,
    starts_as_placeholder,
    starts_as_sentinel,
    starts_where_it_stays,
    starts_with_nothing,
)
from regbuf_lint.classes.generator_draws import drawn_with_own_generator
from regbuf_lint.classes.host_reads import IDENTITY, HostReads
from regbuf_lint.classes.host_samples import sampled_for_host
from regbuf_lint.classes.moves import stays_put
from regbuf_lint.classes.outside_uses import (
    always_called_in_forward,
    called_in_forward,
    read_outside,
    set_from_outside,
)
from regbuf_lint.classes.reasons import says_no_buffer
from regbuf_lint.classes.redraws import redrawn_for_host
from regbuf_lint.classes.scratch import refreshes, starts_on_own_device
from regbuf_lint.classes.stand_ins import registers, stands_for_none
from regbuf_lint.classes.stores import names_own
from regbuf_lint.classes.templates import is_followed_template
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
from regbuf_lint.infer.owners import moved_by_owner
from regbuf_lint.infer.recipients import is_filled_by_taker, is_given_to_registering_class, is_named_by_heirs
from regbuf_lint.infer.size_uses import is_used_as_size
from regbuf_lint.model.class_view import Registration, Write
from regbuf_lint.model.value import NoneValue, Parameter, may_be, tensors, tensors_inside
from regbuf_lint.rules.change import Change
from regbuf_lint.rules.family import ClassFamily, methods_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from regbuf_lint.classes.uses import AttributeUses
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.model.span import Span


_PLACED = (meets_cpu_tensors, redrawn_for_host, is_followed_template, drawn_with_own_generator)
"""Questions whether methods that run later want a tensor where it is; each answers for itself."""


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

    def looks_after(self, attribute: str | None) -> bool:
        """Whether a tensor in the attribute is no defect: the class moves it by itself, or wants it on the CPU."""
        if self.ignored(attribute) or attribute in REGISTRIES or self.moved_by_hand(attribute):
            return True
        return attribute is not None and (
            self.lives_with_arguments(attribute)
            or self.sampled_on_cpu(attribute)
            or self.filled_by_each_call(attribute)
            or self.serves_as_local(attribute)
            or self.stands_for_none(attribute)
            or self.stands_for_registered(attribute)
            or self.set_by_others(attribute)
            or self.is_scratch(attribute)
            or self.is_sentinel(attribute)
            or self.registered_elsewhere(attribute)
            or self.is_given_no_tensors(attribute)
            or self.is_plain_for_a_reason(attribute)
            or self.is_extra_state(attribute)
            or self.is_pinned(attribute)
            or starts_where_it_stays(self._definitions, attribute, self._building)
            or self.is_wanted_in_place(attribute)
            or moved_by_owner(self._inference, self._built, attribute)
            or self.is_made_by_forward
        )

    def is_wanted_in_place(self, attribute: str) -> bool:
        """Whether methods that run later want the tensor where it is."""
        uses_later = self._uses_later(attribute)
        return any(wants_it_there(self._definitions, attribute, uses_later) for wants_it_there in _PLACED)

    def _uses_later(self, attribute: str) -> Callable[[str], bool]:
        """Tells whether a method of a name runs after construction and does something with the attribute."""
        tables = [table for one in self._family_uses for table in (one.read, one.stored, one.mutated)]
        using = methods_of(tables, attribute)
        return lambda name: name in using and self.runs_later(name)

    def is_plain_for_a_reason(self, attribute: str) -> bool:
        """Whether a comment at one of the class's own statements says why the attribute is no buffer."""
        source = self.symbol.scope.file.source
        writes = (one for one in self.construction.events if isinstance(one, Write) and one.attribute == attribute)
        return any(says_no_buffer(source, one.step.statement) for one in writes if one.step.own)

    def is_extra_state(self, attribute: str) -> bool:
        """Whether nothing but ``get_extra_state`` reads the attribute, so that ``state_dict()`` has it already."""
        readers = set(filter(self.runs_later, methods_of([uses.read for uses in self._family_uses], attribute)))
        return readers == {"get_extra_state"}

    def is_pinned(self, attribute: str) -> bool:
        """Whether the attribute holds memory of the host that is pinned to be copied from, on some path."""
        return any(tensor.pinned for tensor in tensors_inside(self.value_of(attribute)))

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
        if is_named_by_heirs(self._inference, self.symbol, attribute):
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

    def filled_by_each_call(self, attribute: str) -> bool:
        """Whether ``forward``, or each reader of a placeholder, first replaces it by what it makes of its arguments."""
        tables = [table for one in self._family_uses for table in (one.replaced, one.updated, one.mutated)]
        filling = methods_of(tables, attribute) - self._building
        if not filling:
            return False
        is_placeholder = any(starts_as_placeholder(one, attribute, self._building) for one in self._definitions)
        if not is_placeholder and "forward" not in filling and not filling & self._always_called_in_forward:
            return False
        functions = [one.methods[name] for one in self._definitions for name in filling & one.methods.keys()]
        if not fill_before_reading(functions, attribute):
            return False
        if all(self._serves_forward(name) or name in self._called_in_forward for name in filling):
            return True
        readers = set(filter(self.runs_later, methods_of([one.read for one in self._family_uses], attribute)))
        return readers | filling <= {one.name for one in functions} and not read_outside(
            self.symbol.scope.file.tree, self._definitions, attribute
        )

    def serves_as_local(self, attribute: str) -> bool:
        """Whether every method that reads the attribute sets it first; or none reads it, and ``forward`` sets it.

        What construction leaves there is never used then, wherever it lies.
        """
        reading = methods_of([one.read for one in self._family_uses], attribute)
        is_used = any(map(self.runs_later, reading)) if reading else self.change_of(attribute) is Change.CACHE
        if not is_used:
            return False
        functions = [one for name in reading for one in self._named(name) if names_own(one, attribute)]
        replacing = methods_of([one.replaced for one in self._family_uses], attribute)
        setting = [one for name in replacing for one in self._named(name)]
        if reading - {one.name for one in functions} or not sets_before_reading(functions, attribute, setting):
            return False
        outside = read_outside(self.symbol.scope.file.tree, self._definitions, attribute)
        return not outside and not is_named_by_heirs(self._inference, self.symbol, attribute)

    def stands_for_none(self, attribute: str) -> bool:
        """Whether the attribute is empty until a method puts a tensor in its place: RBF004's case, without the None."""
        changing = methods_of([table for one in self._family_uses for table in (one.replaced, one.updated)], attribute)
        if not any(map(self.runs_later, changing)):
            return False
        return stands_for_none(self._definitions, attribute, self._building)

    def stands_for_registered(self, attribute: str) -> bool:
        """Whether a tensor without elements holds the place of what is registered elsewhere.

        That is a Parameter that not every construction makes, or a buffer that a method registers later.
        """
        if not self.may_start_empty(attribute):
            return False
        return may_be(self.value_of(attribute), Parameter) or registers(self._definitions, attribute)

    def may_start_empty(self, attribute: str | None) -> bool:
        """Whether construction puts a tensor without elements into the attribute, on some path."""
        return attribute is not None and may_start_empty(self._definitions, attribute, self._building)

    def set_by_others(self, attribute: str) -> bool:
        """Whether the ``forward`` of another class of the file sets the attribute, which the class only reads."""
        changing = methods_of([table for one in self._family_uses for table in (one.stored, one.mutated)], attribute)
        return not any(map(self.runs_later, changing)) and attribute in self._set_from_outside

    def _named(self, name: str) -> list[FunctionNode]:
        """The methods and getters of a name in the class, its bases and its heirs."""
        tables = [table for one in self._definitions for table in (one.methods, one.properties)]
        return [table[name] for table in tables if name in table]

    def is_scratch(self, attribute: str) -> bool:
        """Whether the attribute starts as a constant on the device that the class keeps, and is refreshed in use.

        What only callers change, as by a method that fits it, is state.
        """
        if self.change_of(attribute) not in {Change.CACHE, Change.REPLACED}:
            return False
        replacing = set(filter(self.runs_later, methods_of([one.replaced for one in self._family_uses], attribute)))
        if any(name != "forward" and not self._callers(name) for name in replacing):
            return False
        starts = starts_on_own_device(self._definitions, attribute, self._building)
        return starts and refreshes(self._definitions, attribute, replacing)

    def is_sentinel(self, attribute: str) -> bool:
        """Whether the attribute starts as -1, which says that nobody has set it, and is replaced before it counts."""
        replaced = self.change_of(attribute) in {Change.CACHE, Change.REPLACED}
        return replaced and starts_as_sentinel(self._definitions, attribute, self._building)

    def sampled_for_host(self, attribute: str) -> bool:
        """Whether methods do nothing with the distribution in an attribute but draw numbers and indices from it."""
        return sampled_for_host(self._definitions, attribute)

    def read_on_host(self, attribute: str) -> bool:
        """Whether the tensor in an attribute is a constant that Python alone reads, so that its device is no matter."""
        if self.handed_on(attribute) or self.in_dict(attribute) or self.change_of(attribute) is not Change.NONE:
            return False
        if any(tensor.random or tensor.derived for tensor in tensors(self.value_of(attribute))):
            return False  # it is another one in an object that a checkpoint is loaded into
        return self._host_reads.are_all(attribute, self.runs_later)

    @cached_property
    def _host_reads(self) -> HostReads:
        return HostReads(self._definitions, self.symbol.scope.file.tree)

    def demands_on(self, attribute: str) -> Mapping[Demand, str]:
        """What methods that run after construction demand of the tensor in the attribute, with a method that does."""
        return demands_on(self._definitions, attribute, self._uses_later(attribute))

    def is_to_be_filled(self, attribute: str) -> bool:
        """Whether the attribute holds a list or dict of placeholders.

        Its tensors have no elements, or other objects, that share it, put something else into their places.
        """
        if starts_with_nothing(self._definitions, attribute, self._building):
            return True
        return is_filled_by_taker(self._inference, self._built, attribute, self._building)

    def is_merged_over_settings(self, attribute: str) -> bool:
        """Whether a method merges the attribute over a dict of numbers and the like."""
        return is_merged_over_settings(self._inference, self.symbol, attribute)

    @cached_property
    def is_made_by_forward(self) -> bool:
        """Whether objects of the class are made in ``forward`` methods alone: they end with the run that they serve."""
        return is_made_by_forward(self._inference, self.symbol)

    def is_used_later(self, attribute: str) -> bool:
        """Whether something may use the attribute once the object is built, as far as the text of the package tells."""
        using = methods_of([table for one in self._family_uses for table in (one.read, one.mutated)], attribute)
        if any(map(self.runs_later, using)) or self._host_reads.computes_names or self.in_dict(attribute):
            return True
        file = self.symbol.scope.file
        if read_outside(file.tree, self._definitions, attribute):
            return True
        return any(one is not file for one in self._inference.project.files_with(file, f".{attribute}"))

    @cached_property
    def _set_from_outside(self) -> frozenset[str]:
        return set_from_outside(self.symbol.scope.file.tree)

    @cached_property
    def _always_called_in_forward(self) -> frozenset[str]:
        return always_called_in_forward(self.symbol.scope.file.tree)

    @cached_property
    def _called_in_forward(self) -> frozenset[str]:
        return called_in_forward(self.symbol.scope.file.tree)

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
