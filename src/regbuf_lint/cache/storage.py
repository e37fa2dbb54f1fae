"""What one directory of the cache knows of files, and the database in it."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from regbuf_lint.cache.database import Database
from regbuf_lint.cache.key import own_code
from regbuf_lint.cache.states import FileStates

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Storage:
    """Shared by the results of all settings that are kept in one directory: files are looked at once for them.

    Args:
        folder: the directory; None where nothing is to be remembered.
    """

    def __init__(self, folder: Path | None) -> None:
        self.database = _opened(folder) if folder is not None else None
        self.states = FileStates(self.database.files() if self.database is not None else {})
        self._words: dict[str, str] = {}

    def close(self) -> None:
        """Let go of the database's file."""
        if self.database is not None:
            self.database.close()

    def words(self) -> dict[str, str]:
        """What is known of the words of files as they are now, by path."""
        if self.database is None or self._words:
            return self._words
        try:
            rows = list(self.database.words())
        except sqlite3.Error:
            rows = []
        self._words.update((path, words) for path, digest, words in rows if self.states.digest(path) == digest)
        return self._words

    def keep_files(self, words: Mapping[str, str]) -> None:
        """Remember what was found out about files.

        Args:
            words: words of files that were not known, by path.
        """
        if self.database is None:
            return
        try:
            self.database.save_files(self.states.rows(words))
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
