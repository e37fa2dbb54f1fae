"""What files hold, told by their digests; a file of which the file system says the same as before is not read again."""

from __future__ import annotations

import time
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from regbuf_lint.cache.database import FileRow
from regbuf_lint.cache.replay import status_of, written_state
from regbuf_lint.source.digests import digest_of
from regbuf_lint.source.disk_questions import note_path

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping

MISSING = ""
"""The digest of what is no file that can be read."""
_TICK = 50_000_000
"""Nanoseconds by which clocks of file systems lag behind at most."""


class FileStates:
    """Digests of files, each found once.

    Attributes:
        changed: the digests that earlier runs have seen of files which have another one now; ``MISSING`` of new ones.

    Args:
        known: what earlier runs have found out.
    """

    def __init__(self, known: Mapping[str, FileRow]) -> None:
        self.changed: dict[str, str] = {}
        self._known = known
        self._found: dict[str, str] = {}
        self._rows: dict[str, FileRow] = {}
        self._restless: set[str] = set()
        self._seen: dict[str, str] = {}
        self._start = time.time_ns()

    def digest(self, path: str) -> str:
        """The digest of a file's content, ``MISSING`` where there is none."""
        found = self._found.get(path)
        if found is None:
            found = self._found[path] = self._find(path)
            before = self._known[path].digest if path in self._known else MISSING
            if found != before:
                self.changed[path] = before
        return found

    def look_for_removed(self, files: Collection[str], below: str) -> None:
        """Look at all files below a directory that earlier runs have seen, but for some that are known to be there."""
        for path in self._known:
            if path not in files and path.startswith(below):
                self.digest(path)

    def gone(self) -> list[str]:
        """The files that earlier runs have seen and that are no more."""
        return [path for path in self.changed if self._found[path] == MISSING]

    def is_restless(self, path: str) -> bool:
        """Whether a file may be another one than a check has read: touched since the run began, or gone."""
        if self.digest(path) == MISSING or path in self._restless:
            return True
        status = _status(path)
        return status is None or written_state(status) != self._seen[path]

    def rows(self, words: Mapping[str, str]) -> Iterator[tuple[str, FileRow]]:
        """What is to be remembered: what is not known as yet, and files with words that were not.

        Args:
            words: words of files as they are on the disk, by path, that earlier runs have not seen.
        """
        for path in dict.fromkeys((*self._rows, *words)):
            row = self._rows.get(path) or self._known.get(path)
            if self.digest(path) != MISSING and row is not None and path not in self._restless:
                yield path, row._replace(words=words.get(path))

    def _find(self, path: str) -> str:
        status = _status(path)
        if status is None:
            return MISSING
        if is_newer(status, self._start):
            self._restless.add(path)
        state = self._seen[path] = written_state(status)
        known = self._known.get(path)
        if known is not None and known.state == state:
            return known.digest
        try:
            digest = digest_of(Path(path).read_bytes())
        except OSError:
            return MISSING
        self._rows[path] = FileRow(state, digest)
        return digest


def _status(path: str) -> os.stat_result | None:
    """What the file system says of a regular file; None of anything else."""
    note_path(path)
    status = status_of(path)
    return status if status is not None and S_ISREG(status.st_mode) else None


def is_newer(status: os.stat_result, start: int) -> bool:
    """Whether something may have been changed since a time, which a process saw in nanoseconds."""
    return max(status.st_mtime_ns, status.st_ctime_ns) > start - _TICK
