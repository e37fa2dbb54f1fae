"""The object cannot be moved at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption
from regbuf_lint.model.value import tensors

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _lives_with_arguments(context: ClassContext, attribute: str) -> bool:
    """Whether the object, which nobody can move, keeps no tensors of its own making.

    Without nn.Module's own ``__init__``, moving the object fails; it serves whoever made it, on their device.
    """
    if context.construction.initialised or not context.never_initialises:
        return False
    found = tensors(context.value_of(attribute))
    return not found or any(tensor.argument for tensor in found)


EXEMPTION = Exemption(
    "never-initialised",
    "the class never runs `nn.Module.__init__`, so that nobody can move the object",
    _lives_with_arguments,
)
