"""What an earlier run has printed, for one that would print the same: nothing that it looked at has changed since.

Next to nothing else of the linter is imported here, which takes longer than all that is done.
"""

from __future__ import annotations

import os
import sys
from hashlib import blake2b

from regbuf_lint.source.entry_names import is_among

TYPE_CHECKING = False  # type checkers take it for the one of `typing`, which takes longer to import than all else here

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CACHE_FOLDER = ".regbuf_cache"
OUT, ERR = "1", "2"
FORMAT = "regbuf-lint run 1"
"""The first field of a record; it changes with what stands behind."""
END = "\0"
"""What is behind each field of a record; no path and no text of a terminal has it."""
RECORDS = f"run-{'?' * 32}*"
"""The names of records, and of what a run leaves that was killed while it wrote one."""
MISSING = ""
"""The state of what is not there."""
_NAMED_FOLDER = "--cache-dir"


def replay(argv: Sequence[str]) -> tuple[int, list[tuple[str, str]]] | None:
    """Exit code and texts of an earlier run, each with the stream that it goes to; None where there is none that holds.

    Args:
        argv: the arguments of the process.
    """
    try:
        key = run_key(argv)
    except OSError:  # the working directory is gone
        return None
    for folder in folders(argv):
        try:
            with open(record_file(folder, key), encoding="utf-8", errors="surrogateescape", newline="") as file:  # noqa: PTH123  start-up time
                fields = iter(file.read().split(END))
        except OSError:
            continue
        try:
            return _replayed(fields)
        except (StopIteration, ValueError):  # it is cut off, or something else
            continue
    return None


def run_key(argv: Sequence[str]) -> str:
    """A digest of what has to be the same for two runs to be alike, beside what they look at.

    It is all that is written of the environment, which may hold secrets.

    Raises:
        OSError: the working directory is gone.
    """
    streams = [one and (one.encoding, one.errors, one.isatty()) for one in (sys.stdout, sys.stderr)]
    told = (list(argv), os.getcwd(), sorted(os.environ.items()), streams, sys.version, sys.path)  # noqa: PTH109  as above
    return blake2b(repr(told).encode(errors="surrogateescape"), digest_size=16).hexdigest()


def record_file(folder: str, key: str) -> str:
    """Where the record of a run lies."""
    return f"{folder}/run-{key}"


def folders(argv: Sequence[str]) -> Iterator[str]:
    """Where the cache of a run may lie, so far as that can be told without its settings."""
    for place, word in enumerate(argv):
        name, _, value = word.partition("=")
        if name == _NAMED_FOLDER:
            wanted = value or "".join(argv[place + 1 : place + 2])
            yield from (wanted, f"{wanted}/{CACHE_FOLDER}")
            return
    directory = os.getcwd()  # noqa: PTH109  as above
    while True:
        yield f"{directory.rstrip('/')}/{CACHE_FOLDER}"
        above = os.path.dirname(directory)  # noqa: PTH120  as above
        if above == directory:
            return
        directory = above


def state_of(path: str) -> str:
    """What the file system says of a path, as text; ``MISSING`` of nothing."""
    status = status_of(path)
    return MISSING if status is None else written_state(status)


def status_of(path: str) -> os.stat_result | None:
    """What the file system says of a path; None of nothing."""
    try:
        return os.stat(path)  # noqa: PTH116  ten thousand times, and a Path builds more
    except (OSError, ValueError):
        return None


def written_state(status: os.stat_result) -> str:
    """When something was changed, and how large it is."""
    return f"{status.st_mtime_ns} {status.st_ctime_ns} {status.st_size}"


def _replayed(fields: Iterator[str]) -> tuple[int, list[tuple[str, str]]] | None:
    """What a record holds, if its run would see the same now.

    Raises:
        StopIteration: it is cut off.
        ValueError: it is no record.
    """
    if next(fields) != FORMAT:
        return None
    code = int(next(fields))
    printed = [(next(fields), next(fields)) for _ in range(int(next(fields)))]
    for _ in range(int(next(fields))):
        if state_of(next(fields)) != next(fields):
            return None
    for _ in range(int(next(fields))):
        directory, state, there, absent = next(fields), next(fields), next(fields), next(fields)
        if state_of(directory) != state and not _has(directory, there.split("/"), absent.split("/")):
            return None
    return (code, printed) if next(fields) == FORMAT else None


def _has(directory: str, there: Sequence[str], absent: Sequence[str]) -> bool:
    """Whether a directory has entries of some names, and none of others."""
    try:
        names = {"", *os.listdir(directory)}  # noqa: PTH208  as above
    except OSError:
        names = {""}
    return all(is_among(name, names) for name in there) and not any(is_among(name, names) for name in absent if name)
