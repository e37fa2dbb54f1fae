"""Results that earlier runs have left behind."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from regbuf_lint.cache.key import cache_key
from regbuf_lint.cache.outcomes import UnusableOutcomeError, packed, unpacked
from regbuf_lint.cache.validity import Validity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from regbuf_lint.cache.database import Database
    from regbuf_lint.cache.storage import Storage
    from regbuf_lint.cache.validity import KnownReads
    from regbuf_lint.index.reads import Read
    from regbuf_lint.model.settings import Settings


class Cache:
    """Results of earlier runs with some settings.

    A cache that cannot be used is one that knows nothing and remembers nothing: no run fails because of it.

    Args:
        storage: what is known of files, and the database.
        kind: what the results are, and who asks for them.
        settings: the settings of the files.
    """

    def __init__(self, storage: Storage, kind: str, settings: Settings) -> None:
        self.storage = storage
        self._database = storage.database
        self._key = cache_key(kind, settings) if self._database is not None else ""
        self._validity = Validity(storage, settings)
        self._reads: dict[int, KnownReads | None] = {}

    def results(self, paths: Iterable[str]) -> dict[str, Any]:
        """The results of some files that still hold, by path."""
        if self._database is None:
            return {}
        try:
            return self._valid(self._database, paths)
        except sqlite3.Error:
            return {}

    def keep(self, reads: Sequence[Read], results: Mapping[str, tuple[int, object]]) -> None:
        """Remember results, and take in the words that telling which results hold has found.

        Args:
            reads: what they rest on.
            results: by path, the numbers of the reads as bits of one number, and the result.
        """
        if self._database is None or not results:
            return
        self.storage.add_words(self._validity.take_fresh_words())
        written = self._validity.written(reads)
        restless = self._validity.restless(reads)
        rows = ((path, bits, packed(one)) for path, (bits, one) in results.items() if not bits & restless)
        try:
            self._database.save_results(self._key, written, rows)
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
            self._reads[batch] = None if written is None else self._validity.known(written, batch)
        return self._reads[batch]
