"""The process that has imported torch and forks a child for each piece of work.

Requests and endings are lines of JSON on two pipes whose numbers are the arguments. Nothing of them is open in a child,
and a child's standard output and error are files, so what the code under verification writes goes nowhere else. The
process itself never runs such code and never touches an accelerator, which would make forking impossible.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.isolation.effects import HOME, TEMPORARY, WORK, Effects, link_entries
from regbuf_lint.verify.isolation.supervision import (
    Ending,
    Limits,
    adopt_orphans,
    end_children,
    let_children_end,
    supervise,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

STDOUT = "stdout"
STDERR = "stderr"
FAILED_INSIDE = 70
HERE = "REGBUF_VERIFY_HERE"
"""The variable of the environment that tells where the run was started."""
_MOST_ENTRIES, _MOST_BELOW, _LARGEST_COPIED = 1000, 100, 2**20


def serve(requests: int, endings: int, preload: Sequence[str]) -> None:
    """Handle one request after the other until there are no more.

    Args:
        requests: number of the pipe that requests are read from.
        endings: number of the pipe that endings are written to.
        preload: names of modules to import beside torch.

    Raises:
        ImportError: one of them cannot be imported.
    """
    from regbuf_lint.verify.worker.warm_up import warm_up  # noqa: PLC0415  imports torch

    warm_up(preload)
    gc.collect()
    gc.freeze()  # a collection in a child would touch all of torch's objects, and so copy their pages
    adopts = adopt_orphans()
    signal.signal(signal.SIGTERM, _leave)
    with os.fdopen(requests, encoding="utf-8") as lines, os.fdopen(endings, "w", encoding="utf-8") as out:
        out.write("ready\n")
        out.flush()
        for line in lines:
            ending = _handle(json.loads(line), (requests, endings))
            if adopts:
                end_children()  # what the code has started and left behind, in whatever session
            out.write(json.dumps(ending.as_json()) + "\n")
            out.flush()


def _leave(_signal: int, _frame: object) -> None:
    """Take all that was started along."""
    end_children()
    os._exit(0)


def _handle(request: dict[str, Any], pipes: tuple[int, int]) -> Ending:
    pid = os.fork()
    if not pid:
        _run_child(request, pipes)
    with suppress(OSError):  # the child was faster, or has ended
        os.setpgid(pid, pid)
    scratch = Path(request["scratch"])
    printing = [scratch / STDOUT, scratch / STDERR]
    ending = supervise(pid, partial(_poll, pid), Limits(**request["limits"]), printing, watched=os.getppid())
    _remove_shared_memory(pid)
    return ending


def shared_memory(pid: int) -> list[Path]:
    """Return the memory that torch shares for a process, which lasts when the process is killed."""
    return list(Path("/dev/shm").glob(f"torch_{pid}_*"))  # noqa: S108  that is where Linux has it


def _remove_shared_memory(pid: int) -> None:
    for left in shared_memory(pid):
        with suppress(OSError):
            left.unlink()


def _poll(pid: int) -> int | None:
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        let_children_end()
    return os.waitstatus_to_exitcode(status) if done else None


def _run_child(request: dict[str, Any], pipes: tuple[int, int]) -> None:
    """Do the work and leave, without the buffers and exit handlers that came with the fork."""
    code = FAILED_INSIDE
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _end_with_parent()
        _remove_shared_memory(os.getpid())  # of a process that had this number before, and was killed
        for pipe in pipes:
            os.close(pipe)
        enter(request)
        run_request(request)
        code = 0
    except BaseException:  # noqa: BLE001  nothing may return into the server's loop
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # the code may have closed or replaced it
                stream.flush()
        os._exit(code)


def _end_with_parent() -> None:
    """Ask Linux to kill this process when the server ends, so that an interrupted run leaves nothing behind."""
    import ctypes  # noqa: PLC0415

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def redirect(scratch: Path) -> None:
    """Let standard input be empty, and standard output and error be files in a directory."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    places = ((os.devnull, os.O_RDONLY), (str(scratch / STDOUT), flags), (str(scratch / STDERR), flags))
    for number, (path, how) in enumerate(places):
        opened = os.open(path, how, 0o600)
        os.dup2(opened, number)
        os.close(opened)


def enter(request: dict[str, Any]) -> None:
    """Let this process have files and directories of its own, and note what it does beyond them."""
    scratch = Path(request["scratch"])
    redirect(scratch)
    settle(scratch, Path(request["here"]))
    sources = {Path(file).resolve().parent for file in [request["build"]["file"]] if file} if "build" in request else ()
    sys.addaudithook(Effects(scratch, sources))


def settle(scratch: Path, here: Path) -> None:
    """Let temporary files, the working directory and the home directory be in a directory of this process's own.

    What lies in the directory where the run was started is there to be read, and most of it to be written: directories
    and small files are copies, so far as there are not too many, the rest is links, as is all in the home directory.

    Args:
        scratch: the directory of this process's own.
        here: the directory where the run was started.
    """
    work, temporary, home = scratch / WORK, scratch / TEMPORARY, scratch / HOME
    temporary.mkdir()
    _mirror(here, work)
    home.mkdir()
    for name in {"HOME", "USERPROFILE"}.intersection(os.environ):
        with suppress(OSError):
            link_entries(Path(os.environ[name]), home)
        os.environ[name] = str(home)
    for name in ("TMPDIR", "TEMP", "TMP"):
        os.environ[name] = str(temporary)
    os.environ[HERE] = str(here)
    tempfile.tempdir = str(temporary)
    os.chdir(work)


def _mirror(here: Path, work: Path) -> None:
    """Make a directory with what is in another; hidden directories, and those far down, are links."""
    left = _MOST_BELOW
    waiting = [(here, work)]
    for place, copy in waiting:  # which grows meanwhile
        with suppress(OSError):
            entries = list(islice(os.scandir(place), _MOST_ENTRIES))
            if copy != work:
                left -= len(entries)
                if left < 0:
                    copy.symlink_to(place)
                    continue
            copy.mkdir()
            for one in entries:
                if _is_shown(one, work):
                    waiting.append((Path(one.path), copy / one.name))
                elif one.is_file() and one.stat().st_size <= _LARGEST_COPIED:
                    shutil.copy(one.path, copy / one.name)
                else:
                    (copy / one.name).symlink_to(one.path)


def _is_shown(entry: os.DirEntry[str], work: Path) -> bool:
    """Whether an entry is a directory of the user's own, and not the one that this process works in."""
    own = entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
    return own and Path(entry.path) not in work.parents


def run_request(request: dict[str, Any]) -> None:
    """Do the work of a request in this process."""
    from regbuf_lint.verify.worker.work import work  # noqa: PLC0415  imports torch

    work(request)


def main(argv: list[str]) -> None:
    """Serve on two pipes once some modules are imported, or do the work of one request, whose file is named."""
    if argv[0] == "--once":
        request = json.loads(Path(argv[1]).read_text(encoding="utf-8"))
        enter(request)
        run_request(request)
    else:
        serve(int(argv[0]), int(argv[1]), argv[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
