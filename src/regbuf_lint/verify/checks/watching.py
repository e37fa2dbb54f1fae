"""Watching which code of a version runs."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType

    from regbuf_lint.verify.worker.subject import Subject


@contextmanager
def profiled(watch: Callable[[FrameType, str, Any], None]) -> Iterator[None]:
    """Have a function told of each call and return meanwhile, in the place of a profiler of the user's."""
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)


class Places:
    """Where the functions of a version stand, as ``FILE::NAME``.

    Args:
        subject: the version.
        among: the names of the functions that count; all where None.
    """

    def __init__(self, subject: Subject, among: frozenset[str] | None = None) -> None:
        self._places: dict[tuple[str, int], list[str]] = {}
        for place, (name, line, _) in subject.functions.items():
            if among is None or name in among:
                self._places.setdefault((name, line), []).append(place)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._places)

    def of(self, code: CodeType) -> list[str]:
        """Return the places of a function by its code; its path is asked for only where name and line fit."""
        found = self._places.get((code.co_name, code.co_firstlineno))
        if found is None:
            return []
        file = os.path.realpath(code.co_filename)
        return [one for one in found if one.startswith(f"{file}::")]
