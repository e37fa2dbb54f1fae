"""Room for deep trees: work on a thread with a large stack, where Python lets calls nest accordingly."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

_STACK_BYTES = 256 * 1024 * 1024
_MOST_CALLS = 25_000


def with_deep_stack(work: Callable[[], Result]) -> Result:
    """Do ``work`` where some ten thousand calls may nest; whatever it raises is raised here.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed meanwhile; the work has come to its end all the same. A process that ended
            before would stop it in the midst of libcst, whose native code answers that by an abort.
    """
    results: list[Result] = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as failure:  # noqa: BLE001  raised again on the thread that waits
            failures.append(failure)
        finally:
            ended.set()

    calls, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    try:
        thread = threading.Thread(target=run, daemon=True)
        sys.setrecursionlimit(max(calls, _MOST_CALLS))
        try:
            thread.start()
            ended.wait()
        except KeyboardInterrupt:
            ended.wait()
            raise
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(calls)
    if failures:
        raise failures[0]
    return results[0]
