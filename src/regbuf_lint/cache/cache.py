"""Results that earlier runs have left behind."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from regbuf_lint.cache.database import Database
from regbuf_lint.cache.key import own_code
from regbuf_lint.cache.outcomes import UnusableOutcomeError, packed, unpacked
from regbuf_lint.cache.states import FileStates
from regbuf_lint.cache.validity import Validity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from regbuf_lint.cache.validity import KnownReads
    from regbuf_lint.index.reads import Read
    from regbuf_lint.model.settings import Settings


class Cache:
    """Results of earlier runs under one key.

    A cache that cannot be used is one that knows nothing and remembers nothing: no run fails because of it.

    Args:
        folder: the directory of the cache; None where nothing is to be remembered.
        key: what the results depend on beside files.
        settings: what searches leave out.
    """

    def __init__(self, folder: Path | None, key: str, settings: Settings) -> None:
        self._key = key
        self._database = _opened(folder) if folder is not None else None
        known = self._database.files() if self._database is not None else {}
        self._states = FileStates(known)
        self._words: dict[str, str] = {}
        self._validity = Validity(self._states, settings, self.words)
        self._reads: dict[int, KnownReads | None] = {}

    def close(self) -> None:
        """Let go of the files of the cache."""
        if self._database is not None:
            self._database.close()

    def results(self, paths: Iterable[str]) -> dict[str, Any]:
        """The results of some files that still hold, by path."""
        if self._database is None:
            return {}
        try:
            return self._valid(self._database, paths)
        except sqlite3.Error:
            return {}

    def words(self) -> dict[str, str]:
        """What is known of the words of files as they are now, by path."""
        if self._database is None or self._words:
            return self._words
        try:
            rows = list(self._database.words())
        except sqlite3.Error:
            rows = []
        self._words.update((path, words) for path, digest, words in rows if self._states.digest(path) == digest)
        return self._words

    def keep(self, reads: Sequence[Read], results: Mapping[str, tuple[int, object]]) -> None:
        """Remember results.

        Args:
            reads: what they rest on.
            results: by path, the numbers of the reads as bits of one number, and the result.
        """
        if self._database is None or not results:
            return
        written = self._validity.written(reads)
        restless = self._validity.restless(reads)
        rows = ((path, bits, packed(one)) for path, (bits, one) in results.items() if not bits & restless)
        try:
            self._database.save_results(self._key, written, rows)
        except sqlite3.Error:
            return

    def keep_files(self, words: Mapping[str, str]) -> None:
        """Remember what was found out about files.

        Args:
            words: words of files that were not known, by path.
        """
        if self._database is None:
            return
        try:
            self._database.save_files(self._states.rows(words))
        except sqlite3.Error:
            return

    def _valid(self, database: Database, paths: Iterable[str]) -> dict[str, Any]:
        found = {}
        for path, row in database.results(self._key, paths):
            reads = self._reads_of(database, row.batch)
            if reads is not None and not reads.have_changed(row.numbers):
                try:
                    found[path] = unpacked(row.outcome)
                except UnusableOutcomeError:
                    continue
        return found

    def _reads_of(self, database: Database, batch: int) -> KnownReads | None:
        """What the results of a batch rest on; None where that is gone."""
        if batch not in self._reads:
            written = database.reads(batch)
            self._reads[batch] = None if written is None else self._validity.known(written)
        return self._reads[batch]


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
