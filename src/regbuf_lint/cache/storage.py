"""What one directory of the cache knows of files, and the database in it."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from regbuf_lint.cache.database import Database, Version
from regbuf_lint.cache.key import own_code
from regbuf_lint.cache.states import MISSING, FileStates
from regbuf_lint.index.words import together

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

Answer = TypeVar("Answer")


class Storage:
    """Shared by the results of all settings that are kept in one directory: files are looked at once for them.

    Args:
        folder: the directory; None where nothing is to be remembered.
    """

    def __init__(self, folder: Path | None) -> None:
        self.database = _opened(folder) if folder is not None else None
        self.states = FileStates(self.database.files() if self.database is not None else {})
        self._lasts: dict[str, Version] = {}
        self._versions: dict[int, dict[str, Version]] = {}
        self._found: dict[str, str] = {}

    def close(self) -> None:
        """Let go of the database's file."""
        if self.database is not None:
            self.database.close()

    @cached_property
    def words(self) -> dict[str, str]:
        """What is known of the words of files as they are now, by path."""
        rows: list[tuple[str, str, str]] = self._asked(lambda database: list(database.words()), [])
        return {path: words for path, digest, words in rows if self.states.digest(path) == digest}

    def versions_before(self, batch: int, files: Collection[str], below: str) -> dict[str, Version]:
        """What files held when a batch was saved and do not hold any more, by path, as far as it is known.

        Args:
            batch: the number of the batch.
            files: files that are there now.
            below: the directory in which they lie, with a separator behind it; others that lie there count where they
                are no more.
        """
        seen = {path: self._last(path, digest) for path, digest in self.states.changed.items()}
        return {
            path: version
            for path, version in {**seen, **self._older(batch)}.items()
            if path.startswith(below)
            and version.digest != self.states.digest(path)
            and (path in files or self.states.digest(path) == MISSING)
        }

    def _last(self, path: str, digest: str) -> Version:
        """What a file was when earlier runs last looked at it; ``digest`` is what it had then."""
        if path not in self._lasts:
            words = self._asked(lambda database: database.words_of(path, digest), None)
            self._lasts[path] = Version(digest, words)
        return self._lasts[path]

    def _older(self, batch: int) -> dict[str, Version]:
        """What earlier runs have noted of files that they found changed, as it was when a batch was saved."""
        if batch not in self._versions:
            self._versions[batch] = self._asked(lambda database: database.versions(batch), {})
        return self._versions[batch]

    def _asked(self, question: Callable[[Database], Answer], otherwise: Answer) -> Answer:
        """What the database says; ``otherwise`` where there is none, or it cannot be read."""
        if self.database is None:
            return otherwise
        try:
            return question(self.database)
        except sqlite3.Error:
            return otherwise

    def add_words(self, words: Mapping[str, str]) -> None:
        """Take in words of files, by path, that were not known; each process has found some of a file's."""
        for path, found in words.items() if self.database is not None else ():
            known = self._found.get(path)
            self._found[path] = found if known is None else together(known, found)

    def keep_files(self) -> None:
        """Remember what was found out about files."""
        if self.database is None:
            return
        try:
            self.database.save_files(self.states.rows(self._found), self.states.gone())
        except sqlite3.Error:
            return


def _opened(folder: Path) -> Database | None:
    """The database of a directory, made anew where it is broken; None where it cannot be used."""
    try:
        return Database(folder, own_code())
    except sqlite3.OperationalError:  # locked, or on a disk that is full
        return None
    except sqlite3.DatabaseError:
        return _opened_anew(folder)
    except OSError:
        return None


def _opened_anew(folder: Path) -> Database | None:
    try:
        Database.remove(folder)
        return Database(folder, own_code())
    except (OSError, sqlite3.Error):
        return None
