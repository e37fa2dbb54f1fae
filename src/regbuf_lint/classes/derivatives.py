"""Tensors by which the code itself differentiates."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import last_name, receiver_name
from regbuf_lint.classes.stores import is_own

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.classes.definition import ClassDefinition


def is_differentiated_by_hand(definitions: Iterable[ClassDefinition], attribute: str) -> bool:
    """Whether a method asks ``torch.autograd.grad`` for the gradient by an attribute: no optimizer shall train it."""
    return any(
        is_own(part, receiver_name(function), attribute)
        for definition in definitions
        for function in definition.methods.values()
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and last_name(call.func) == "grad"
        for asked in (*call.args[1:2], *(one.value for one in call.keywords if one.arg == "inputs"))
        for part in ast.walk(asked)
    )
