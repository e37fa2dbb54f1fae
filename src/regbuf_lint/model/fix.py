"""What a fix is: text edits that belong together, and how far they can be trusted."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span


class Applicability(str, Enum):
    """How far a fix can be trusted.

    ``SAFE``: construction and results on the CPU in float32 are unchanged and nothing can newly raise.
    ``UNSAFE``: plausible, but somebody has to look. ``DISPLAY``: shown as advice, never applied.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


class Edit(Struct, frozen=True):
    """Replace the text of ``span`` by ``content``; an empty span inserts."""

    span: Span
    content: str


def conflict(edit: Edit, other: Edit) -> bool:
    """Whether two edits cannot both be made: they touch one place, and do not both insert there or do the same."""
    both_insert = edit.span == other.span and edit.span.start == edit.span.end
    return edit != other and not both_insert and edit.span.overlaps(other.span)


class Fix(Struct, frozen=True):
    """An atomic set of edits: all of them are made, or none.

    Attributes:
        applicability: how far the fix can be trusted.
        message: what the fix does, in the imperative ("Register `mask` as a non-persistent buffer").
        edits: edits of one file, sorted by place, none overlapping another.
        adds: keys that ``state_dict()`` of the class gains; ``masks_*`` stands for all with a number there.
        removes: keys that it loses.
    """

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]
    adds: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
