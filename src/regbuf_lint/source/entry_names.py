"""Names that are looked for in directories; a ``*`` in one stands for anything."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for the one of `typing`; see `cache/replay.py`

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_ANYTHING = "*"


def is_among(name: str, names: Collection[str]) -> bool:
    """Whether some names have one among them, or one that is like it."""
    return name in names if _ANYTHING not in name else next(alike(name, names), None) is not None


def alike(name: str, names: Collection[str]) -> Iterator[str]:
    """Those of some names that are a name, or are like it."""
    start, star, end = name.partition(_ANYTHING)
    if not star:
        yield from (name,) if name in names else ()
        return
    least = len(start) + len(end)
    yield from (one for one in names if one.startswith(start) and one.endswith(end) and len(one) >= least)
