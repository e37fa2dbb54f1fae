"""What an exemption is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.class_context.context import ClassContext


@dataclass(frozen=True, slots=True)
class Exemption:
    """A reason for silence about an attribute that holds plain tensors.

    Attributes:
        name: its name, as ``--why`` shows it.
        reason: one line for users: why there is nothing to report.
        holds: whether it is so for an attribute of a class.
    """

    name: str
    reason: str
    holds: Callable[[ClassContext, str], bool]
