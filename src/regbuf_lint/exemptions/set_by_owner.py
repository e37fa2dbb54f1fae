"""The ``forward`` of another class gives the attribute its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.classes.outside_uses import always_called_in_forward, hooked, set_from_outside
from regbuf_lint.exemptions.exemption import Exemption

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _is_set(context: ClassContext, attribute: str) -> bool:
    tree, trace = context.symbol.scope.file.tree, context.trace(attribute)
    if trace.is_updated(attribute):
        return False
    setters = {one.entry for one in trace.replacements(attribute)}
    if not setters:
        return attribute in set_from_outside(tree)
    reading = {one.entry for one in trace.reads(attribute)}
    return not setters & reading and setters <= always_called_in_forward(tree) | hooked(tree)


EXEMPTION = Exemption("set-by-owner", "the `forward` of another object, or a hook, sets it before each use", _is_set)
