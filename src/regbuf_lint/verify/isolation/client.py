"""Handing work to other processes: to children of a server that has torch, or to an interpreter of its own each."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.isolation.effects import remove_created
from regbuf_lint.verify.isolation.server import STDERR, STDOUT
from regbuf_lint.verify.isolation.supervision import Ending, Limits, end_children, end_tree, supervise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

FACTS = "facts.jsonl"
_SERVER = "regbuf_lint.verify.isolation.server"
_LONGEST_OUTPUT = 20_000
_LONGEST_STOPPING = 15.0
LATE = 30.0
"""Seconds after its limit in which the server has to say how a child ended, which may have stopped the server."""
SERVERS: set[int] = set()
"""The processes that fork for this one."""
_LOST = Ending("lost", detail="the process that starts the others was ended")
CAN_FORK = sys.platform == "linux"
"""Elsewhere forking after torch was imported is not to be had, or breaks the system's libraries."""


class WorkerError(Exception):
    """No process can be started that imports torch; the message says why."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a process left behind.

    Attributes:
        ending: how it ended.
        lines: what it noted, in order.
        stdout: what it wrote to standard output, shortened.
        stderr: the end of what it wrote to standard error.
    """

    ending: Ending
    lines: tuple[dict[str, Any], ...]
    stdout: str
    stderr: str


class Worker:
    """Runs one request at a time, each in a process of its own.

    Args:
        limits: what each process may use.
        fork: whether processes are forked from one that has imported torch, which takes milliseconds, not seconds.
        adopts: whether this process adopts orphans, and has no other children than workers do.
        preload: names of modules to import once, before forking.
    """

    def __init__(
        self, limits: Limits, *, fork: bool = CAN_FORK, adopts: bool = False, preload: Sequence[str] = ()
    ) -> None:
        self._limits = limits
        self._preload = tuple(preload)
        self._adopts = adopts
        self.forks = fork
        self._server: _Server | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._aborted = False

    def abort(self) -> None:
        """End what runs now, and start nothing further; called from another thread."""
        self._aborted = True
        if self._server is not None:
            self._server.kill()
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        """End the process that forks, if there is one."""
        if self._server is not None:
            self._server.stop()
            self._server = None

    def __enter__(self) -> Self:
        """Return itself; nothing is started before it is needed."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.stop()

    def run(self, request: dict[str, Any]) -> Work:
        """Have a request done and return what was noted.

        Raises:
            WorkerError: torch cannot be imported, or what is to be imported with it.
        """
        if self._aborted:
            msg = "aborted"
            raise WorkerError(msg)
        with tempfile.TemporaryDirectory(prefix="regbuf-verify-", ignore_cleanup_errors=True) as directory:
            scratch = Path(directory)
            full = {
                **request,
                "scratch": directory,
                "here": str(Path.cwd()),
                "facts": str(scratch / FACTS),
                "limits": asdict(self._limits),
            }
            ending = self._in_child(full) if self.forks else self._in_interpreter(full, scratch)
            remove_created(scratch)
            done = Work(ending, _noted(scratch / FACTS), _start(scratch / STDOUT), _end(scratch / STDERR))
        with suppress(OSError):  # it is gone, or a directory that cannot be removed
            scratch.unlink()  # the code may have put a file in its place
        return done

    def _in_child(self, request: dict[str, Any]) -> Ending:
        if self._server is None:
            self._server = _Server(self._preload)
        ending = self._server.handle(request)
        if ending is None or ending.how == "late":
            self._server.stop()
            self._server = None
            if self._adopts:
                end_children(SERVERS.__contains__)
        return ending or _LOST

    def _in_interpreter(self, request: dict[str, Any], scratch: Path) -> Ending:
        file = scratch / "request.json"
        file.write_text(json.dumps(request), encoding="utf-8")
        command = [sys.executable, "-m", _SERVER, "--once", str(file)]
        with (scratch / STDERR).open("ab") as errors:
            process = subprocess.Popen(  # noqa: S603  our own interpreter
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=environment(),
                start_new_session=hasattr(os, "setsid"),
            )
            self._process = process
            return supervise(process.pid, process.poll, self._limits, [scratch / STDOUT, scratch / STDERR])


class _Server:
    """A process that forks."""

    def __init__(self, preload: Sequence[str]) -> None:
        requests, self._requests = os.pipe()
        self._endings, endings = os.pipe()
        self._caches = tempfile.TemporaryDirectory(prefix="regbuf-verify-", ignore_cleanup_errors=True)
        with tempfile.TemporaryFile() as errors:
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter
                [sys.executable, "-m", _SERVER, str(requests), str(endings), *preload],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=(requests, endings),
                env={**environment(), "TORCHINDUCTOR_CACHE_DIR": self._caches.name},
                start_new_session=True,
            )
            SERVERS.add(self._process.pid)
            os.close(requests)
            os.close(endings)
            self._lines = os.fdopen(self._endings, encoding="utf-8")
            try:
                is_ready = bool(self._lines.readline())
            except BaseException:  # interrupted while torch is imported
                self.stop()
                raise
            if not is_ready:
                self.stop()
                errors.seek(0)
                raise WorkerError(_last_line(errors.read().decode("utf-8", "replace")))

    def handle(self, request: dict[str, Any]) -> Ending | None:
        """Return how the child ended; None where the server itself has gone.

        The server keeps the limits. Where it says nothing in time, it is ended with all that it has started.
        """
        seconds = request["limits"]["seconds"]
        try:
            os.write(self._requests, json.dumps(request).encode() + b"\n")
            if not select.select([self._lines], [], [], seconds + LATE)[0]:
                end_tree(self._process.pid)
                return Ending("late", detail=f"it took longer than {seconds:g} s, and stopped the process that forks")
            line = self._lines.readline()
        except OSError:
            return None
        return Ending(**json.loads(line)) if line else None

    def kill(self) -> None:
        """Have the process end all that it has started, and itself."""
        with suppress(OSError):
            self._process.terminate()

    def stop(self) -> None:
        """End the server, and give back what it used here."""
        with suppress(OSError):
            os.close(self._requests)
        self.kill()
        try:
            self._process.wait(_LONGEST_STOPPING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        SERVERS.discard(self._process.pid)
        self._lines.close()
        self._caches.cleanup()


def environment() -> dict[str, str]:
    """Return the environment of processes that run code: this very package is importable, results are repeatable."""
    package = str(Path(__file__).resolve().parents[3])
    before = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([package, before] if before else [package]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
        "NVIDIA_TF32_OVERRIDE": "0",  # convolutions on CUDA round to TF32 else (page "CUDA Environment Variables")
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # asking for CUDA must not touch it, or no child could use it
    }


def _noted(path: Path) -> tuple[dict[str, Any], ...]:
    """Return the complete lines of a file; a process that was killed may leave half a line."""
    if not path.exists():
        return ()
    lines = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        with suppress(ValueError):
            lines.append(json.loads(line))
    return tuple(line for line in lines if isinstance(line, dict))


def _start(path: Path) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        return file.read(_LONGEST_OUTPUT).decode("utf-8", "replace")


def _end(path: Path) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _LONGEST_OUTPUT))
        return file.read().decode("utf-8", "replace")


def _last_line(text: str) -> str:
    rows = [row for row in text.splitlines() if row.strip()]
    return rows[-1] if rows else "the process that imports torch ended at once"
