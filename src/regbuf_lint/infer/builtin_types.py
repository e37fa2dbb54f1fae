"""Of which of Python's built-in types a value certainly is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.infer.references import NamedTuple
from regbuf_lint.model.value import Literal, Mapping, NoneValue, Other, Sequence

if TYPE_CHECKING:
    from regbuf_lint.model.value import Alternative

BUILT_IN = frozenset({"int", "float", "bool", "str", "bytes", "complex", "list", "tuple", "dict", "set", "range"})


def type_name(one: Alternative) -> str:
    """Name of the built-in type that an alternative is certainly of; empty where that is not known."""
    if isinstance(one, Literal):
        return type(one.value).__name__
    if isinstance(one, Mapping):
        return "dict"
    if isinstance(one, Sequence):
        return one.kind
    return one.what.partition(":")[0] if isinstance(one, Other) else ""


def cannot_be_called(one: Alternative) -> bool:
    """Whether calling an alternative raises TypeError: a number, a string, a list, a dict or None."""
    return isinstance(one, NoneValue) or (type_name(one) in BUILT_IN and not isinstance(one, NamedTuple))
