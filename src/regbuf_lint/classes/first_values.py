"""What an attribute starts with: a placeholder, a tensor without elements, or anything else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import last_name, methods_where
from regbuf_lint.classes.stores import values_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from regbuf_lint.classes.definition import ClassDefinition

_UNINITIALISED = frozenset({"empty", "empty_like", "empty_strided"})
_FILLED = frozenset({"tensor", "zeros", "ones", "Tensor", "FloatTensor", "LongTensor"})

_DATA_DEVICES = frozenset({"data_device", "storage_device", "offload_device", "cpu_device", "host_device"})

LEAVING = frozenset({"to", "cuda", "numpy", "item", "tolist"})
"""Methods whose results are on another device than the tensor, or are none."""


def may_start_empty(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether some method that builds the object puts a tensor without elements into an attribute."""
    values = _first_values(definitions, attribute, building)
    return any(_is_without_elements(node) for value in values for node in ast.walk(value))


def starts_where_it_stays(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> bool:
    """Whether all that the methods that build the object put into an attribute is put where the code wants it.

    That is the CPU, a device for data that the user chooses, or ``meta``: what has no data stands for something else,
    and cannot be moved, so that as a buffer it makes ``.to("cuda")`` raise.
    """
    return _are_first(definitions, attribute, building, _stays)


def _stays(value: ast.expr) -> bool:
    return is_put_on_cpu(value) or _is_made_on(value, "meta") or _is_put_on_data_device(value)


def _is_put_on_data_device(value: ast.expr) -> bool:
    """``x.to(self.data_device)`` and the like, which gaussian splatting keeps its images by."""
    if not isinstance(value, ast.Call) or last_name(value.func) != "to":
        return False
    given = [*value.args, *(one.value for one in value.keywords)]
    return any(isinstance(one, (ast.Name, ast.Attribute)) and last_name(one) in _DATA_DEVICES for one in given)


def is_put_on_cpu(value: ast.expr) -> bool:
    """Whether a value says so itself, as ``x.cpu().contiguous()`` or ``torch.tensor(..., device="cpu")`` do."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if _moves_to_cpu(value, value.func.attr) or _is_made_on(value, "cpu"):
            return True
        if value.func.attr in LEAVING:
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


def _are_first(
    definitions: Sequence[ClassDefinition],
    attribute: str,
    building: frozenset[str],
    holds: Callable[[ast.expr], bool],
) -> bool:
    """Whether the methods that build the object put something into an attribute, and ``holds`` is true of all of it."""
    values = _first_values(definitions, attribute, building)
    return bool(values) and all(map(holds, values))


def _first_values(definitions: Sequence[ClassDefinition], attribute: str, building: frozenset[str]) -> list[ast.expr]:
    return values_in(methods_where(definitions, building.__contains__), attribute)


def _is_without_elements(value: ast.AST) -> bool:
    """``torch.tensor([])``, ``torch.Tensor()``, ``torch.empty(0)``, ``torch.zeros((0,))``."""
    if not isinstance(value, ast.Call) or last_name(value.func) not in _FILLED | _UNINITIALISED:
        return False
    first = value.args[0] if value.args else None
    if last_name(value.func) == "tensor":
        return isinstance(first, (ast.List, ast.Tuple)) and not first.elts
    sizes = first.elts if isinstance(first, (ast.List, ast.Tuple)) else value.args
    is_legacy = last_name(value.func).endswith("Tensor") and not value.args
    return is_legacy or any(isinstance(size, ast.Constant) and size.value == 0 for size in sizes)
