"""Keeping what a run has printed, with all that it has looked at."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cache.folder import is_cache
from regbuf_lint.cache.key import own_files, writer_file
from regbuf_lint.cache.replay import (
    END,
    FORMAT,
    MISSING,
    RECORDS,
    folders,
    record_file,
    run_key,
    state_of,
    status_of,
    written_state,
)
from regbuf_lint.cache.states import is_newer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regbuf_lint.source.disk_questions import Questions

_MOST = 16
"""Runs that are kept in a directory; the oldest are given up."""
_LARGEST = 2**24
"""Characters of a record that is kept."""
_COMPILED = "__pycache__"


def keep_run(argv: Sequence[str], code: int, printed: Sequence[tuple[str, str]], asked: Questions, start: int) -> None:
    """Keep what a run has printed where a cache is; where that cannot be done, it is not.

    Args:
        argv: the arguments of the process.
        code: the exit code.
        printed: texts, each with the stream that it went to.
        asked: what the run asked the file system.
        start: when it began, in nanoseconds as the file system counts them; what was changed since, it may have seen
            as it was before.
    """
    folder = next((one for one in folders(argv) if is_cache(Path(one))), None)
    if folder is None:
        return
    looked_at = [*_looked_at(asked, os.path.join(os.path.abspath(folder), ""))]  # noqa: PTH100, PTH118  as below
    found = [status_of(path) for path in looked_at]
    if any(status is not None and is_newer(status, start) for status in found):
        return
    states = [MISSING if status is None else written_state(status) for status in found]
    rows = [FORMAT, str(code), str(len(printed)), *chain.from_iterable(printed)]
    rows += [str(len(states)), *chain.from_iterable(zip(looked_at, states, strict=True))]
    entries = [_entries(directory, names) for directory, names in asked.entries.items() if directory not in asked.paths]
    rows += [str(len(entries)), *chain.from_iterable(entries), FORMAT]
    text = END.join(rows)
    if text.count(END) == len(rows) - 1 and len(text) <= _LARGEST:
        _write(Path(record_file(folder, run_key(argv))), text)


def _looked_at(asked: Questions, folder: str) -> Iterator[str]:
    """What was looked at, and the linter itself; not what it leaves behind.

    Args:
        asked: what the run asked the file system.
        folder: the directory of the cache, with what separates it from a name below it.
    """
    writer = writer_file()
    for path in dict.fromkeys((*asked.paths, *own_files(), *([writer] if writer is not None else []))):
        real = os.path.join(os.path.abspath(path), "")  # noqa: PTH100, PTH118  ten thousand times
        if _COMPILED not in path and not real.startswith(folder):
            yield path


def _entries(directory: str, names: dict[str, bool]) -> tuple[str, str, str, str]:
    """A directory, its state, the names that were found in it, and those that were not."""
    there, absent = ("/".join(name for name, exists in names.items() if exists is kind) for kind in (True, False))
    return directory, state_of(directory), there, absent


def _write(path: Path, text: str) -> None:
    written = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        written.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
        written.replace(path)
        kept = sorted(path.parent.glob(RECORDS), key=lambda one: one.stat().st_mtime_ns)
        for one in kept[:-_MOST]:
            one.unlink()
    except (OSError, UnicodeError):
        written.unlink(missing_ok=True)
