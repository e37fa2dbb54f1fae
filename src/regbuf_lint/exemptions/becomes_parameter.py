"""A method that is called before the object is used makes a Parameter of the tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.value import Parameter, is_only

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _becomes_one(context: ClassContext, attribute: str) -> bool:
    """Whether methods give the attribute nothing but Parameters, on each path through one of them."""
    stores = context.trace(attribute).stores(attribute)
    made = all(is_only(one.value, Parameter) for one in stores)
    return made and any(one.certain for one in stores)


EXEMPTION = Exemption("becomes-parameter", "a method makes a Parameter of it", _becomes_one)
