"""What becomes of an attribute after construction."""

from __future__ import annotations

from enum import Enum


class Change(Enum):
    """What becomes of an attribute's value after construction."""

    NONE = "nothing, or it is moved to another device"
    STATE = "it is changed in place, or computed anew from its own value"
    CACHE = "forward puts another value in its place"
    REPLACED = "another method puts another value in its place"
