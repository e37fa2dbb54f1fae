"""The ``forward`` of another class gives the attribute its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.outside_uses import always_called_in_forward, hooked, set_from_outside
from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.index.exports import is_exported
from regbuf_lint.infer.parts import may_be_object_of

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_set(context: ClassContext, attribute: str) -> bool:
    file, trace = context.symbol.scope.file, context.trace(attribute)
    if trace.is_updated(attribute):
        return False
    setters = {one.entry for one in trace.replacements(attribute)}
    if not setters:
        owners = set_from_outside(file.tree).get(attribute, ())
        return not is_exported(context.inference.project, context.built) and any(
            may_be_object_of(context.inference, context.symbol, file, owner) for owner in owners
        )
    reading = {one.entry for one in trace.reads(attribute)}
    return not setters & reading and setters <= always_called_in_forward(file.tree) | hooked(file.tree)


EXEMPTION = Exemption("set-by-owner", "the `forward` of another object, or a hook, sets it before each use", _is_set)
