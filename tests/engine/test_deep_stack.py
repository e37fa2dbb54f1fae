"""Calls may nest deeply on a stack of their own, and everything comes back from there."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from regbuf_lint.engine.deep_stack import with_deep_stack


def depth(n: int) -> int:
    return 1 + depth(n - 1) if n else 0


def test_calls_may_nest() -> None:
    before = sys.getrecursionlimit(), threading.stack_size()
    with pytest.raises(RecursionError):
        depth(9000)
    assert with_deep_stack(lambda: depth(9000)) == 9000
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def test_what_is_raised_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        with_deep_stack(lambda: 1 / 0)
    with pytest.raises(RecursionError):
        with_deep_stack(lambda: depth(10**6))


@pytest.mark.usefixtures("heeding_interrupts")
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_an_interrupt_is_raised_when_the_work_has_ended() -> None:
    ended = []

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
        ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        with_deep_stack(work)
    assert ended
