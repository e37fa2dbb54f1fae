"""Names that are looked for in directories; a ``*`` in one stands for anything."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for the one of `typing`; see `cache/replay.py`

if TYPE_CHECKING:
    from collections.abc import Collection

_ANYTHING = "*"


def is_among(name: str, names: Collection[str]) -> bool:
    """Whether some names have one among them, or one that is like it."""
    if _ANYTHING not in name:
        return name in names
    start, _, end = name.partition(_ANYTHING)
    return any(one.startswith(start) and one.endswith(end) for one in names)
