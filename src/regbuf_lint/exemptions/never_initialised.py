"""The object cannot be moved at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.exemptions.exemption import Exemption

if TYPE_CHECKING:
    from regbuf_lint.class_context.context import ClassContext


def _cannot_be_moved(context: ClassContext, _attribute: str) -> bool:
    """Whether the object fails in ``.to()``, ``state_dict()`` and when it is called: nothing is left behind by them."""
    return context.never_initialises and not context.construction.initialised


EXEMPTION = Exemption(
    "never-initialised",
    "the class never runs `nn.Module.__init__`, so that nobody can move the object",
    _cannot_be_moved,
)
