"""What calls do to the dtype of a tensor while a method runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.infer.torch_api import dtype_named, names_float
from regbuf_lint.model.trail import Cast
from regbuf_lint.model.value import FLOATING, Device, Literal, tensors
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from regbuf_lint.infer.trace.call import Call
    from regbuf_lint.model.value import Alternative


def cast_by_move(call: Call, name: str) -> Cast:
    """What ``x.float()``, ``x.to(torch.float32)``, ``x.to(y)`` or ``x.type_as(y)`` does to the dtype."""
    if has("cast_methods", name):
        return Cast.NAMED if dtype_named(name) in FLOATING else Cast.TAKEN
    values = [call.value(one) for _, one in call.given]
    if any(map(names_float, values)):
        return Cast.NAMED
    return Cast.NONE if all(map(_says_no_dtype, [one for value in values for one in value])) else Cast.TAKEN


def cast_by_making(call: Call) -> Cast:
    """What a new tensor's dtype is: a known floating one is torch's own, or written there."""
    return Cast.NAMED if any(one.dtype in FLOATING for one in tensors(call.result)) else Cast.NONE


def _says_no_dtype(one: Alternative) -> bool:
    return isinstance(one, (Device, Literal))
