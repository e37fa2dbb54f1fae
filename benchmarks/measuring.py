"""Whole processes: what each run of a command takes, and what all of its processes hold at most."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_KILOBYTES_IN_MEGABYTE = 1024
_SECONDS_BETWEEN_LOOKS = 0.05


def _nothing() -> None:
    """Get nothing ready."""


@dataclass(frozen=True)
class Command:
    """A command that is compared with others.

    Attributes:
        name: what tables call it.
        words: the command itself.
        folder: where it runs.
        prepare: gets things ready before each run; its time does not count.
        limit: seconds after which it is ended; None for no limit.
    """

    name: str
    words: Sequence[str]
    folder: Path
    prepare: Callable[[], None] = _nothing
    limit: float | None = None


@dataclass
class Timing:
    """Seconds of the runs of one command: on the clock, and of processors, those of all its processes together."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def add(self, taken: tuple[float, float]) -> None:
        """Note one run."""
        self.wall.append(taken[0])
        self.processor.append(taken[1])

    @property
    def median(self) -> float:
        """The median of the seconds on the clock."""
        return statistics.median(self.wall)

    @property
    def work(self) -> float:
        """The median of the seconds of processors."""
        return statistics.median(self.processor)


def alternating(commands: Sequence[Command], rounds: int) -> dict[str, Timing]:
    """Run each command once a round, so that whatever else the machine does meets all of them alike.

    A run before, which does not count, brings the sources into memory and fills the caches of those that keep one.
    """
    timings = {one.name: Timing() for one in commands}
    for one in commands:
        run(one)
    for number in range(1, rounds + 1):
        for one in commands:
            taken = run(one)
            timings[one.name].add(taken)
            print(f"round {number}: {one.name}: {taken[0]:.2f} s, processor {taken[1]:.2f} s", file=sys.stderr)
    return timings


def run(command: Command) -> tuple[float, float]:
    """Run a command once; gives the seconds on the clock, and those of processors.

    Raises:
        TimeoutError: it took longer than its limit.
        SystemExit: it failed; 0 and 1 are the exit codes of a linter that did its work.
    """
    command.prepare()
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = _started(command, errors.fileno())
        ending = None if command.limit is None else threading.Timer(command.limit, process.kill)
        if ending is not None:
            ending.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if ending is not None:
            ending.cancel()
        if process.returncode < 0 and command.limit is not None and wall > command.limit:
            raise TimeoutError(command.name)
        errors.seek(0)
        _check(command, process.returncode, errors.read())
    return wall, usage.ru_utime + usage.ru_stime


def peak_memory(command: Command) -> float:
    """The most megabytes that the processes of a command hold at once; what they share counts once.

    Linux alone tells; elsewhere it is 0. Looking takes time, so this is never a run whose time counts.
    """
    command.prepare()
    with tempfile.TemporaryFile() as errors:
        process = _started(command, errors.fileno())
        most = 0
        while process.poll() is None:
            most = max(most, sum(map(_memory, _family(process.pid))))
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        errors.seek(0)
        _check(command, process.returncode, errors.read())
    return most / _KILOBYTES_IN_MEGABYTE


def _started(command: Command, errors: int) -> subprocess.Popen[bytes]:
    out = subprocess.DEVNULL
    return subprocess.Popen(list(command.words), cwd=command.folder, stdout=out, stderr=errors)  # noqa: S603  chosen


def _check(command: Command, code: int, errors: bytes) -> None:
    if code not in {0, 1} or b"Traceback" in errors:
        sys.exit(f"{command.name} failed with exit code {code}: {errors.decode(errors='replace')[-2000:]}")


def _family(process: int) -> Iterator[int]:
    """A process and all that come from it."""
    yield process
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = thread.read_text(encoding="ascii").split()
        except OSError:  # has ended meanwhile
            continue
        for child in children:
            yield from _family(int(child))


def _memory(process: int) -> int:
    """Kilobytes of a process, its part of what it shares with others."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
