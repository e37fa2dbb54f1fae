"""Watching one process: how it ended, and ending it where it exceeds its limits."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SHORTEST_PAUSE = 0.001
_LONGEST_PAUSE = 0.02
_MIB = 1024 * 1024
_LONGEST_KILLING = 10.0
_A_MOMENT = 0.5
_COUNTED = ("RssAnon:", "RssShmem:", "VmSwap:")
_COUNTED_IN_SHARES = ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a process may use: seconds of wall clock, MiB of memory that it really holds, MiB that it prints.

    Address space is not limited, since CUDA reserves a multiple of what it uses. Files that are mapped, as libraries
    are, do not count. Memory can be watched on Linux only; elsewhere it has no limit.
    """

    seconds: float = 120.0
    memory: int = 8192
    output: int = 64


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended: ``exited``, ``killed``, ``timeout``, ``memory``, ``output``, ``lost`` or ``late``."""

    how: str
    code: int = 0
    detail: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON knows them."""
        return asdict(self)

    def describe(self) -> str:
        """Say how the process ended."""
        if self.how == "exited":
            return f"the process ended early with exit code {self.code}"
        if self.how == "killed":
            return f"the process was killed by {_signal_name(self.code)}"
        return self.detail


def supervise(
    pid: int, poll: Callable[[], int | None], limits: Limits, printing: Sequence[Path] = (), watched: int = 0
) -> Ending:
    """Wait for a process, and kill its group where it exceeds a limit.

    Args:
        pid: the process, which leads its own process group where there are groups.
        poll: returns the exit code once the process has ended, negative for a signal, as ``Popen.poll`` does.
        limits: what it may use.
        printing: the files that it prints to.
        watched: the parent of this process, without which nobody wants to know; 0 for any.
    """
    deadline = time.monotonic() + limits.seconds
    pause = _SHORTEST_PAUSE
    while True:
        code = poll()
        if code is not None:
            _kill_group(pid)  # what it started and left behind
            return Ending("exited", code) if code >= 0 else Ending("killed", -code)
        if holds_more(pid, limits.memory * _MIB, deadline):
            return _stopped(pid, poll, Ending("memory", detail=f"it held more than {limits.memory} MiB of memory"))
        if watched and os.getppid() != watched:
            return _stopped(pid, poll, Ending("lost", detail="the run was ended"))
        if sum(map(_size, printing)) > limits.output * _MIB:
            return _stopped(pid, poll, Ending("output", detail=f"it printed more than {limits.output} MiB"))
        if time.monotonic() > deadline:
            return _stopped(pid, poll, Ending("timeout", detail=f"it took longer than {limits.seconds:g} s"))
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _stopped(pid: int, poll: Callable[[], int | None], ending: Ending) -> Ending:
    if ending.how != "timeout":  # others may go on to fill memory, or disks
        _kill_group(pid)
    with suppress(OSError):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    while poll() is None:
        time.sleep(_SHORTEST_PAUSE)
    _kill_group(pid)
    return ending


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def adopt_orphans() -> bool:
    """Let what descends from this process become its child when its parent ends; whether the system can do that."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415

    set_child_subreaper = 36
    return not ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def let_children_end() -> None:
    """Give the children of this process a moment: some remove what was shared once their parent has ended."""
    deadline = time.monotonic() + _A_MOMENT
    with suppress(ChildProcessError):  # there are none
        while time.monotonic() < deadline:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(_SHORTEST_PAUSE)


def end_children(spared: Callable[[int], bool] = lambda _: False) -> None:
    """Kill all children of this process with all that descends from them, and those that thereby become children.

    Args:
        spared: whether a child is left alone.
    """
    deadline = time.monotonic() + _LONGEST_KILLING
    while time.monotonic() < deadline:
        children = [one for one in _children(os.getpid()) if not spared(one)]
        if not children:
            return
        for one in children:
            end_tree(one)
            with suppress(OSError):
                os.waitpid(one, 0)


def end_tree(pid: int) -> None:
    """Kill a process with all that descends from it, those first that descend from others."""
    for descendant in reversed(_with_children(pid)):
        with suppress(OSError):
            os.kill(descendant, signal.SIGKILL)


def _kill_group(pid: int) -> None:
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)


def holds_more(pid: int, limit: int, deadline: float = math.inf) -> bool:
    """Whether a process and its children hold more memory than so many bytes.

    What a process shares with the children that it forked counts once. To find that out takes long where many work at
    once, so it is asked only where the limit is exceeded without it, and not after a deadline of the monotonic clock.
    """
    if sys.platform != "linux" or held_memory(pid) <= limit:
        return False
    held = 0
    for one in _with_children(pid):
        held += _share_of_memory(one)
        if held > limit or time.monotonic() > deadline:
            break
    return held > limit


def held_memory(pid: int) -> int:
    """Return the bytes that a process and its children hold: memory and swap, without mapped files; 0 if unknown.

    What they share counts for each of them.
    """
    if sys.platform != "linux":
        return 0
    return sum(map(_own_memory, _with_children(pid)))


def _with_children(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += _children(one)
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):  # the process has ended, or one of its threads
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  called very often
            with suppress(OSError):
                children = Path(f"/proc/{pid}/task/{thread}/children").read_text(encoding="ascii")
                found += map(int, children.split())
    return found


def _own_memory(pid: int) -> int:
    return _kilobytes(f"/proc/{pid}/status", _COUNTED)


def _share_of_memory(pid: int) -> int:
    """Return the bytes that a process holds, those of pages that n processes hold divided by n.

    Linux tells them since 5.9; before that, what is shared counts in full.
    """
    return _kilobytes(f"/proc/{pid}/smaps_rollup", _COUNTED_IN_SHARES) or _own_memory(pid)


def _kilobytes(file: str, counted: tuple[str, ...]) -> int:
    """Return the sum in bytes of the rows of a table of Linux that are counted; 0 where the process has ended."""
    try:
        rows = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return 1024 * sum(int(row.split()[1]) for row in rows if row.startswith(counted))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
