"""Tensors that the code itself puts where they are to stay, whatever becomes of the object."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import last_name, methods_where
from regbuf_lint.classes.stores import values_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.classes.definition import ClassDefinition

_DATA_DEVICES = frozenset({"data_device", "storage_device", "offload_device", "cpu_device", "host_device"})

_LEAVING = frozenset({"to", "cuda", "numpy", "item", "tolist"})
"""Methods whose results are on another device than the tensor, or are none."""


def starts_where_it_stays(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether all that the methods that build the object put into an attribute is put where the code wants it.

    That is the CPU, a device for data that the user chooses, or ``meta``: what has no data stands for something else,
    and cannot be moved, so that as a buffer it makes ``.to("cuda")`` raise.
    """
    values = values_in(methods_where(definitions, building.__contains__), attribute)
    return bool(values) and all(map(_stays, values))


def _stays(value: ast.expr) -> bool:
    return _is_put_on_cpu(value) or _is_made_on(value, "meta") or _is_put_on_data_device(value)


def _is_put_on_data_device(value: ast.expr) -> bool:
    """``x.to(self.data_device)`` and the like, which gaussian splatting keeps its images by."""
    if not isinstance(value, ast.Call) or last_name(value.func) != "to":
        return False
    given = [*value.args, *(one.value for one in value.keywords)]
    return any(isinstance(one, (ast.Name, ast.Attribute)) and last_name(one) in _DATA_DEVICES for one in given)


def _is_put_on_cpu(value: ast.expr) -> bool:
    """Whether a value says so itself, as ``x.cpu().contiguous()`` or ``torch.tensor(..., device="cpu")`` do."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if _moves_to_cpu(value, value.func.attr) or _is_made_on(value, "cpu"):
            return True
        if value.func.attr in _LEAVING:
            return False
        value = value.func.value
    return False


def _moves_to_cpu(call: ast.Call, method: str) -> bool:
    """``x.cpu()`` and ``x.to("cpu")``."""
    return (method == "cpu" and not call.args) or (method == "to" and any(_is_device(one, "cpu") for one in call.args))


def _is_made_on(value: ast.expr, name: str) -> bool:
    """Whether a call says ``device="name"`` or ``device=torch.device("name")``."""
    given = value.keywords if isinstance(value, ast.Call) else []
    return any(one.arg == "device" and _is_device(one.value, name) for one in given)


def _is_device(node: ast.expr, name: str) -> bool:
    if isinstance(node, ast.Call) and last_name(node.func) == "device" and node.args:
        node = node.args[0]
    return isinstance(node, ast.Constant) and node.value == name
