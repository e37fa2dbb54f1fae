"""Which changed methods run from their first line to their last where torch or Python calls them."""

from __future__ import annotations

import copy
import pickle
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.watching import Places

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from regbuf_lint.verify.worker.subject import Subject

_METHODS = frozenset(
    {
        *("_apply", "to", "cpu", "float", "double", "half", "bfloat16"),
        *("state_dict", "_save_to_state_dict", "load_state_dict", "_load_from_state_dict"),
        *("get_extra_state", "set_extra_state", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"),
        *("__deepcopy__", "__copy__"),
    }
)
_TOOLS: tuple[Any, ...] = (
    lambda module: module.to("cpu"),
    lambda module: module.cpu(),
    lambda module: module.float(),
    lambda module: module.double(),
    lambda module: module.half(),
    lambda module: module.bfloat16(),
    lambda module: module.load_state_dict(module.state_dict()),
    lambda module: module.load_state_dict({}, strict=False),
    copy.deepcopy,
    lambda module: pickle.loads(pickle.dumps(module)),  # noqa: S301  what was just pickled
    lambda module: module.__setstate__(_without_buffers(module)),
)


def ran_by_torch(subject: Subject) -> set[str]:
    """Return the methods of which moving, casting, saving, loading, copying and pickling run every line.

    What they do is compared by the checks of these. A line that none of these runs, as one for checkpoints of older
    programs, is compared nowhere.
    """
    places = Places(subject, _METHODS)
    ran: dict[CodeType, set[int]] = {}

    def watch(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            ran[frame.f_code].add(frame.f_lineno)
        elif not places.of(frame.f_code):
            return None
        ran.setdefault(frame.f_code, set())
        return watch

    for tool in _TOOLS if places else ():
        module = subject.fresh()
        before = sys.gettrace()
        sys.settrace(watch)
        try:
            with suppress(Exception, SystemExit):
                tool(module)
        finally:
            sys.settrace(before)
    return {place for code, lines in ran.items() if lines >= _lines(code) for place in places.of(code)}


def _lines(code: CodeType) -> set[int]:
    """Return the lines of a function that do something."""
    return {line for _, _, line in code.co_lines() if line and line > code.co_firstlineno}


def _without_buffers(module: Any) -> dict[str, Any]:
    """Return the state of a module as it is pickled where buffers are plain attributes yet."""
    return {**vars(module), **module._buffers, "_buffers": {}}  # noqa: SLF001  that is what pickles hold
