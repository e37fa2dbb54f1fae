"""What classes that inherit from one assign to its attributes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import BUILDERS
from regbuf_lint.infer.construction import construct, later_events
from regbuf_lint.model.class_view import Write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.class_context.context import ClassContext
    from regbuf_lint.index.symbols import ClassSymbol


def assigning_subclass(context: ClassContext, attribute: str) -> str | None:
    """A class in another file that inherits from this one and assigns the attribute too, in words."""
    for subclass in context.subclasses_at_hand:
        if (
            subclass.scope.file is not context.symbol.scope.file
            and attribute in context.inference.uses(subclass).stored
        ):
            return f"`{subclass.scope.qualname}` in {subclass.scope.file.path.name}"
    return None


def writes_of_subclasses(context: ClassContext, attribute: str) -> Iterator[tuple[ClassSymbol, Write]]:
    """What methods of classes that inherit from this one assign to the attribute, in construction and later."""
    for subclass in context.subclasses_at_hand:
        methods = context.inference.uses(subclass).stored.get(attribute, set())
        built = construct(context.inference, subclass) if methods else None
        later = (later_events(context.inference, subclass, method) for method in sorted(methods - BUILDERS))
        for event in chain(built.events if built is not None else (), *later):
            if isinstance(event, Write) and event.attribute == attribute and event.step.method in methods:
                yield subclass, event


def dropping_subclass(context: ClassContext, write: Write) -> str | None:
    """A class that inherits from this one and runs ``nn.Module.__init__`` once more behind a write, as two bases may.

    That drops what has been registered until then (torch 2.13).
    """
    bases = frozenset(context.inference.classes(context.symbol))
    for subclass in context.subclasses_at_hand:
        added = (one for one in context.inference.classes(subclass) if one not in bases)
        if all(len(context.inference.hierarchy.bases(one)[0]) <= 1 for one in added):
            continue
        built = construct(context.inference, subclass)
        events = built.events if built is not None else ()
        same = (one for one in events if isinstance(one, Write) and one.target == write.target)
        if built is not None and any(one.attribute == write.attribute and one.number < built.begun for one in same):
            return subclass.scope.qualname
    return None
