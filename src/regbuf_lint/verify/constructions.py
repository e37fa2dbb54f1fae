"""When the construction of an object ends, and whether it ended well: seen by tracing the frame of its initialiser."""

from __future__ import annotations

import dis
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

INITIALISERS = frozenset({"__init__", "__post_init__"})
MOST_COUNTED = 100
"""So many objects of a class that keep what a line stored are counted: to watch all would be felt in a test run."""


class Constructions:
    """Watches the outermost initialisers of objects.

    Where another tracer is at work, as a debugger or one for coverage, nothing is watched: a construction then counts
    as ended well.

    Args:
        on_end: told of each object that was watched, and whether its initialiser raised.
    """

    def __init__(self, on_end: Callable[[Any, bool], None]) -> None:
        self._on_end = on_end
        self._thread = threading.local()

    def watch(self, made: object, frame: FrameType | None) -> bool:
        """Watch the construction of an object.

        Args:
            made: the object.
            frame: a frame that is, or was called by, one of its initialisers.

        Returns:
            Whether the end of its construction will be told.
        """
        frames: dict[FrameType, object] = self._thread.__dict__.setdefault("frames", {})
        outermost = outermost_initialiser(made, frame)
        if outermost is None or sys.gettrace() not in {None, _ignore}:
            return False
        if outermost not in frames:
            frames[outermost] = made
            outermost.f_trace_lines = False
            outermost.f_trace = self._on_event
            sys.settrace(_ignore)
        return True

    def _on_event(self, frame: FrameType, event: str, _: object) -> Any:
        if event != "return":
            return self._on_event
        frames: dict[FrameType, object] = self._thread.frames
        made = frames.pop(frame, None)
        if not frames and sys.gettrace() is _ignore:
            sys.settrace(None)
        if made is not None:
            self._on_end(made, not _returns(frame))
        return None


def _ignore(_frame: FrameType, _event: str, _argument: object) -> None:
    """Trace no frame but those that say so themselves."""


def _returns(frame: FrameType) -> bool:
    """Whether a frame is left by a statement, and not by an exception."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith(("RETURN", "INSTRUMENTED_RETURN"))


def outermost_initialiser(made: object, frame: FrameType | None) -> FrameType | None:
    """Return the outermost of the initialisers of an object that run, beginning with a frame; None where none runs."""
    found = None
    while frame is not None:
        if frame.f_code.co_name in INITIALISERS and first_argument(frame) is made:
            found = frame
        frame = frame.f_back
    return found


def first_argument(frame: FrameType) -> Any:
    """Return the object that an initialiser is called on."""
    code = frame.f_code
    if not code.co_varnames:
        return None
    first = frame.f_locals.get(code.co_varnames[0])
    if not code.co_argcount:
        return first[0] if isinstance(first, tuple) and first else None
    return first
