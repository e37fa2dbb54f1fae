"""What an argument ``requires_grad`` makes of a tensor: where a flag decides, one that asks and one that does not."""

from __future__ import annotations

from msgspec.structs import replace

from regbuf_lint.model.value import Literal, Value, is_refused, map_tensors


def asked(value: Value, requires_grad: Value) -> Value:
    """A value whose tensors ask for no gradient yet, once they have been asked for one."""
    if is_refused(requires_grad):
        return value
    asking = map_tensors(value, lambda tensor: replace(tensor, requires_grad=True))
    is_certain = all(isinstance(one, Literal) and one.value for one in requires_grad)
    return asking if is_certain else value | asking


def unasked(value: Value) -> Value:
    """A value whose tensors ask for no gradient."""
    return map_tensors(value, lambda tensor: replace(tensor, requires_grad=False))
