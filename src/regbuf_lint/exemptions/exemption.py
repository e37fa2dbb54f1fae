"""What an exemption is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.class_context.context import ClassContext


class Exemption(Struct, frozen=True):
    """A reason for silence about an attribute that holds plain tensors.

    Attributes:
        name: its name, as ``--why`` shows it.
        reason: one line for users: why there is nothing to report.
        holds: whether it is so for an attribute of a class.
    """

    name: str
    reason: str
    holds: Callable[[ClassContext, str], bool]
