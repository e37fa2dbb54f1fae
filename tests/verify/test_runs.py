"""How long what a fix may have changed may run: what counts is its own work, not how busy the machine is."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.verify.checks import runs

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timers")


def work() -> None:
    end = time.process_time() + 20
    while time.process_time() < end:
        pass


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_LONGEST_WORK", 0.2)
    monkeypatch.setattr(runs, "_LONGEST_WAIT", 1)


@pytest.mark.parametrize("endless", [work, lambda: time.sleep(20)], ids=["works", "waits"])
def test_what_never_ends_is_ended(endless: Callable[[], None]) -> None:
    handlers = [signal.getsignal(one) for one in (signal.SIGPROF, signal.SIGALRM)]
    begin = time.monotonic()
    with pytest.raises(runs.TookLongError), runs.time_limit():
        endless()
    assert time.monotonic() - begin < 15
    assert [signal.getsignal(one) for one in (signal.SIGPROF, signal.SIGALRM)] == handlers


def test_what_waits_longer_than_it_may_work_is_not_ended() -> None:
    """A machine that has much to do lets a process wait, too."""
    with runs.time_limit():
        time.sleep(0.5)
