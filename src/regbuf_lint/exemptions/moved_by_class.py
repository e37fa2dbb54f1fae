"""The class moves the attribute by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.moves import applies, stays_put
from regbuf_lint.classes.uses import APPLY, MOVERS
from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.index.known_classes import outside_class
from regbuf_lint.infer.lifetimes import is_moved_as_part, is_part_of_another

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def is_moved_by_class(context: ClassContext, attribute: str | None) -> bool:
    """Whether the class or a base takes care of an attribute, None for a computed name, as by an own ``_apply``.

    An own ``to`` counts where it makes the value anew, and where an owner calls it for a part; not where it does no
    more than move the value: a model that has the object for a part does not call it, nor do the other movers.
    """
    found = context.inference.find_method(context.built, APPLY)
    own = found[1] if found is not None and applies(found[1]) else None
    if own is not None and (stays_put(own) or _is_touched(context, attribute, frozenset({APPLY}))):
        return True
    if _is_touched(context, attribute, MOVERS) and not is_part_of_another(context.inference, context.built, MOVERS):
        anew = _is_made_anew(context, attribute)
        if anew or is_moved_as_part(context.inference, context.built, MOVERS):
            return True
    listed = [outside_class(outside.name) for outside in context.inference.outside_bases(context.built)]
    return any(known is not None and known.moves(attribute) for known in listed)


def _is_touched(context: ClassContext, attribute: str | None, movers: frozenset[str]) -> bool:
    """Whether methods that are called to move the object, or what they call, assign or change the attribute."""
    reached = context.inference.reached_from(context.built, movers)
    if not reached:
        return False
    tables = context.inference.uses_in(context.built, reached)
    if any(one.may_set(attribute) or attribute in one.stored for one in tables):
        return True
    return attribute is not None and not context.trace(attribute).changing(attribute).isdisjoint(reached)


def _is_made_anew(context: ClassContext, attribute: str | None) -> bool:
    """Whether an own ``to`` gives the attribute what is not computed from its own value, or might."""
    reached = context.inference.reached_from(context.built, MOVERS)
    if any(one.may_set(attribute) for one in context.inference.uses_in(context.built, reached)):
        return True
    stores = context.trace(attribute).replacements(attribute) if attribute is not None else ()
    return any(one.method in reached and not one.own_flows for one in stores)


EXEMPTION = Exemption(
    "moved-by-class", "the class moves it, or makes it anew, when the object is moved", is_moved_by_class
)
