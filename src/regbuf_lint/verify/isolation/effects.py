"""What code does beyond its own process, seen in the events that Python raises before it does it.

Files that are only linked into the directories of this process are copied before they are written, and what is made
beside the code under verification is noted, so that it can be removed. Only Python raises such events: what a library
written in another language does by itself is not seen.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

WORK, TEMPORARY, HOME = "work", "tmp", "home"
CREATED = "created"
"""The file in which is noted what was made beside the code."""
_MOST_ENTRIES = 1000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OF_FILES = {
    "open": "writes",
    "os.truncate": "writes",
    "sqlite3.connect": "writes",
    "os.mkdir": "makes",
    "os.rename": "renames",
    "os.link": "links",
    "os.symlink": "links",
    "os.remove": "removes",
    "os.rmdir": "removes",
    "os.chmod": "changes the rights of",
    "os.chown": "changes the owner of",
    "os.utime": "changes the time of",
}
_OF_PROCESSES = {
    "subprocess.Popen": "starts a process",
    "os.system": "starts a process",
    "os.exec": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.spawn": "starts a process",
    "os.fork": "forks",
    "os.forkpty": "forks",
    "os.kill": "sends a signal",
    "os.killpg": "sends a signal",
    "socket.connect": "connects to another program",
    "socket.bind": "waits for other programs",
    "resource.setrlimit": "changes a limit of the process",
    "mmap.__new__": "shares memory",
    "sys.setprofile": "sets or ends a profiler",
    "sys.settrace": "sets or ends a tracer",
}
_MAKING = frozenset({"open", "os.mkdir", "os.rename", "os.symlink", "os.link", "sqlite3.connect"})
NOTED: list[str] = []
"""What this process has done, in order."""
_OF_VERIFIER = str(Path(__file__).resolve().parents[1])


class Effects:
    """A hook for Python's audit events that notes what is done.

    Args:
        scratch: the directory of this process's own.
        sources: the directories in which the code under verification lies.
    """

    def __init__(self, scratch: Path, sources: Iterable[Path]) -> None:
        self._scratch = os.path.realpath(scratch)
        self._sources = tuple(f"{one}{os.sep}" for one in sources)
        self._is_busy = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note an event, unless it is one of this hook's own doing."""
        said = _OF_FILES.get(event) or _OF_PROCESSES.get(event)
        if said is None or self._is_busy:
            return
        self._is_busy = True
        try:
            with suppress(Exception):  # whatever stands in the place of a path
                self._note(event, said, arguments)
        finally:
            self._is_busy = False

    def _note(self, event: str, said: str, arguments: tuple[Any, ...]) -> None:
        if event in _OF_PROCESSES:
            if event == "mmap.__new__" and arguments[0] == -1:  # memory of its own
                return
            if not sys._getframe(2).f_code.co_filename.startswith(_OF_VERIFIER):  # noqa: SLF001  who did it
                NOTED.append(said)
        elif not isinstance(arguments[0], int) and (event != "open" or arguments[2] & _WRITING):
            both = event in {"os.rename", "os.link"}
            for path in arguments[: 1 + both]:
                self._note_file(event, said, os.path.abspath(os.fsdecode(path)))  # noqa: PTH100  links stay links

    def _note_file(self, event: str, said: str, path: str) -> None:
        if path.startswith(f"{os.sep}dev{os.sep}"):
            return
        inside = path.startswith(f"{self._scratch}{os.sep}")
        if inside:
            own_copy(path, self._scratch)
        elif event in _MAKING and path.startswith(self._sources) and not os.path.lexists(path):
            with open(f"{self._scratch}/{CREATED}", "a", encoding="utf-8") as file:  # noqa: PTH123  called very often
                file.write(f"{path}\n")
        NOTED.append(f"{said} {self._name(path)}" if inside else f"{said} {path}")

    def _name(self, path: str) -> str:
        """Return how a file of this process's own is called."""
        first, _, rest = path[len(self._scratch) + 1 :].partition(os.sep)
        return {WORK: rest, HOME: f"~/{rest}"}.get(first, "a temporary file")


def own_copy(path: str, scratch: str) -> None:
    """Let a file, and the directories on the way to it, be copies where they are links to what lies elsewhere.

    Hidden ones stay links: they hold caches and the like, which programs share.
    """
    place = scratch
    steps = path[len(scratch) + 1 :].split(os.sep)  # noqa: PTH206  called very often
    for number, step in enumerate(steps):
        place = f"{place}{os.sep}{step}"
        if step.startswith("."):
            return
        is_link = os.path.islink(place)  # noqa: PTH114
        if is_link and not os.path.realpath(place).startswith(f"{scratch}{os.sep}"):
            _replace(place, is_last=number == len(steps) - 1)


def _replace(link: str, *, is_last: bool) -> None:
    """Put a copy in the place of a link; a directory gets links to what is in it."""
    target = os.path.realpath(link)
    if os.path.isdir(target) and not is_last:  # noqa: PTH112
        os.unlink(link)  # noqa: PTH108  called very often
        os.mkdir(link)  # noqa: PTH102
        link_entries(Path(target), Path(link))
    elif os.path.isfile(target) and is_last:  # noqa: PTH113
        os.unlink(link)  # noqa: PTH108
        shutil.copy(target, link)


def link_entries(place: Path, copy: Path) -> None:
    """Let a directory have links to what is in another."""
    for one in islice(os.scandir(place), _MOST_ENTRIES):
        (copy / one.name).symlink_to(one.path)


def remove_created(scratch: Path) -> None:
    """Remove what a process has made beside the code under verification."""
    noted = scratch / CREATED
    if not noted.exists():
        return
    for row in reversed(noted.read_text(encoding="utf-8", errors="replace").splitlines()):
        with suppress(OSError):
            if Path(row).is_dir() and not Path(row).is_symlink():
                Path(row).rmdir()
            else:
                Path(row).unlink()
