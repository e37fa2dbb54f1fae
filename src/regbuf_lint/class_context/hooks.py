"""The ways other than those of nn.Module by which a class keeps, finds and copies its attributes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from regbuf_lint.classes.attribute_hooks import Passing, finds_buffers, passing
from regbuf_lint.classes.buffer_walks import takes_first_buffer, walks_own_buffers
from regbuf_lint.classes.definition import REGISTRIES
from regbuf_lint.classes.shallow_copies import copying_methods

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode


class ClassHooks:
    """What a class and its bases do with attributes by hooks of Python, or by nn.Module's own dictionaries."""

    def __init__(self, context: ClassContext) -> None:
        self._context = context

    @cached_property
    def _classes(self) -> tuple[ClassDefinition, ...]:
        """The class that is built and its bases, as far as they are at hand."""
        inference = self._context.inference
        return tuple(map(inference.definition, inference.classes(self._context.built)))

    @cached_property
    def walks_own_buffers(self) -> str | None:
        """A method of the class or a base that does something with each buffer of the object itself."""
        return next((name for one in self._classes if (name := walks_own_buffers(one)) is not None), None)

    @cached_property
    def takes_first_buffer(self) -> str | None:
        """A method of the class or a base that takes the object's first buffer for an example of all."""
        return next((name for one in self._classes if (name := takes_first_buffer(one)) is not None), None)

    def assignment_passes(self, attribute: str | None) -> Passing:
        """What the ``__setattr__`` of the class and its bases make of a plain tensor that is assigned."""
        own = [one.methods["__setattr__"] for one in self._classes if "__setattr__" in one.methods]
        found = {passing(function, attribute) for function in own}
        return next((one for one in (Passing.NEVER, Passing.MAYBE) if one in found), Passing.ALWAYS)

    @cached_property
    def finds_no_buffers(self) -> bool:
        """Whether the class or a base has a ``__getattr__`` that does not give what is registered."""
        own = (one.methods["__getattr__"] for one in self._classes if "__getattr__" in one.methods)
        return not all(map(finds_buffers, own))

    @cached_property
    def copying_methods(self) -> Mapping[str, FunctionNode]:
        """Methods of the class, its bases and subclasses that make a shallow copy of the object."""
        return copying_methods(self._context.definitions)

    @cached_property
    def takes_state_apart(self) -> bool:
        """Whether the class or a base takes things out of nn.Module's own dictionaries, or may."""
        inner = (*REGISTRIES, "__dict__", "__delattr__")
        return any(name in self._context.object_uses.read for name in inner)

    @cached_property
    def names_attributes_at_run_time(self) -> bool:
        """Whether the class or a base sets or deletes attributes whose names are not known here."""
        return bool(self._context.object_uses.dynamic)

    @cached_property
    def registers_on_assignment(self) -> bool:
        """Whether a ``__setattr__`` of the class or a base registers buffers by itself."""
        every = self._context.inference.uses_in(self._context.built, frozenset({"__setattr__"}))
        return any(name in uses.read for uses in every for name in ("register_buffer", "_buffers"))
