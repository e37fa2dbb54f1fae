"""Tensors that are put on a device for data, which users choose apart from that of the model."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import methods_where
from regbuf_lint.classes.reaching import definition_of
from regbuf_lint.classes.stores import values_in
from regbuf_lint.index.tree import last_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.classes.definition import ClassDefinition
    from regbuf_lint.index.scopes import FunctionNode

_DATA_DEVICES = frozenset({"data_device", "storage_device", "offload_device", "cpu_device", "host_device"})


def is_put_on_data_device(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether all that the methods that build the object put into an attribute is moved to a device for data.

    Gaussian splatting keeps its images by ``x.to(self.data_device)``.
    """
    found = [
        _is_put_there(function, value)
        for function in methods_where(definitions, building.__contains__)
        for value in values_in([function], attribute)
    ]
    return bool(found) and all(found)


def _is_put_there(function: FunctionNode, value: ast.expr) -> bool:
    value = definition_of(function, value)
    if not isinstance(value, ast.Call) or last_name(value.func) != "to":
        return False
    given = (definition_of(function, one) for one in (*value.args, *(one.value for one in value.keywords)))
    return any(isinstance(one, (ast.Name, ast.Attribute)) and last_name(one) in _DATA_DEVICES for one in given)
