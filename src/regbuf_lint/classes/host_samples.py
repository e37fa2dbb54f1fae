"""Distributions that are only asked for samples which leave the device: numbers for Python, and indices."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_by_name
from regbuf_lint.classes.host_values import Ending, HostValues

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.classes.definition import ClassDefinition

_SAMPLERS = frozenset({"sample", "rsample"})


def sampled_for_host(definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether the methods of some classes read the attribute for such samples only, and do read it."""
    methods = methods_by_name(definitions)
    found = [
        _is_sampled(values, node)
        for several in methods.values()
        for function in several
        for values in (HostValues(function, methods, loose=True),)
        for node in values.nodes
        if isinstance(node, ast.Attribute) and node.attr == attribute and values.is_own(node) and _is_read(node)
    ]
    return bool(found) and all(found)


def _is_read(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_sampled(values: HostValues, node: ast.Attribute) -> bool:
    """Whether ``self.x`` stands in ``self.x.sample(...)``, the result of which leaves the device."""
    call = values.call_of_method(node, _SAMPLERS)
    return call is not None and values.ending(call) is not Ending.STAYS
