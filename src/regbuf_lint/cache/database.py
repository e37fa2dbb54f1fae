"""What the cache holds on the disk: files with their digests and words, and results with what they rest on.

SQLite keeps it whole when several runs write at once, and when one of them is killed.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from regbuf_lint.cache.folder import prepare

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_FORMAT = 4
_NAME = f"results-{_FORMAT}.sqlite3"
_PATIENCE = 10.0
"""Seconds for which another run that writes is waited for."""
_TABLES = """
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, state TEXT, digest TEXT, words TEXT, found_by TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS versions (
    path TEXT, before INTEGER, digest TEXT, words TEXT, found_by TEXT, PRIMARY KEY (path, before)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, reads TEXT);
CREATE TABLE IF NOT EXISTS results (
    key TEXT, path TEXT, batch INTEGER, numbers BLOB, outcome BLOB, PRIMARY KEY (key, path)
) WITHOUT ROWID;
"""
_AT_ONCE = 500
"""Files that are asked for in one question; older releases of SQLite take 999 values."""
_MOST_VERSIONS = 3000
"""Versions of files that are kept; where there are more, none is, and searches are made anew."""
_MOST_KEYS = 16
"""Settings, roughly, whose results are kept; the oldest are given up."""


class FileRow(NamedTuple):
    """What is known of a file.

    Attributes:
        state: what the file system said of it.
        digest: of its content.
        words: as ``written`` in ``index/words.py`` writes them; None where nobody has asked for them.
    """

    state: str
    digest: str
    words: str | None = None


class Version(NamedTuple):
    """What a file was.

    Attributes:
        digest: of its content; empty where there was none.
        words: as ``written`` in ``index/words.py`` writes them; None where nobody has asked for them.
    """

    digest: str
    words: str | None = None


class ResultRow(NamedTuple):
    """The result of one file.

    Attributes:
        batch: the batch whose reads it counts.
        numbers: a number whose bits are the numbers of the reads that it rests on.
        outcome: the result as bytes.
    """

    batch: int
    numbers: int
    outcome: bytes


class Database:
    """The cache's one file.

    Args:
        folder: the directory that holds it.
        code: what the linter's own code is told by; words that another one has found do not count.

    Raises:
        OSError: the directory cannot be made.
        sqlite3.Error: the file cannot be used.
    """

    def __init__(self, folder: Path, code: str) -> None:
        prepare(folder)
        self._code = code
        self._connection = sqlite3.connect(folder / _NAME, timeout=_PATIENCE, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_TABLES)
        (self._newest,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM batches").fetchone()

    @staticmethod
    def remove(folder: Path) -> None:
        """Remove the file.

        Raises:
            OSError: it cannot be removed.
        """
        (folder / _NAME).unlink()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def files(self) -> dict[str, FileRow]:
        """What is known of files, but for their words."""
        with closing(self._connection.execute("SELECT path, state, digest FROM files")) as rows:
            return {path: FileRow(state, digest) for path, state, digest in rows}

    def words(self) -> Iterator[tuple[str, str, str]]:
        """Path, digest and words of each file whose words are known."""
        question = "SELECT path, digest, words FROM files WHERE words != '' AND found_by = ?"
        with closing(self._connection.execute(question, (self._code,))) as rows:
            yield from rows

    def results(self, key: str, paths: Iterable[str]) -> Iterator[tuple[str, ResultRow]]:
        """The results of some files under a key, with their paths."""
        names = filter(_is_text, paths)
        while some := list(islice(names, _AT_ONCE)):
            places = ", ".join("?" * len(some))
            question = f"SELECT path, batch, numbers, outcome FROM results WHERE key = ? AND path IN ({places})"  # noqa: S608
            for path, batch, numbers, outcome in self._connection.execute(question, (key, *some)):
                yield path, ResultRow(batch, int.from_bytes(numbers, "little"), outcome)

    def reads(self, batch: int) -> dict[str, Any] | None:
        """What the results of a batch rest on, as it was given to ``save_results``; None of a batch that is gone."""
        row = self._connection.execute("SELECT reads FROM batches WHERE id = ?", (batch,)).fetchone()
        return json.loads(row[0]) if row is not None else None

    def words_of(self, path: str, digest: str) -> str | None:
        """The words that a file had when its content had a digest; None where nobody has asked for them."""
        question = "SELECT words FROM files WHERE path = ? AND digest = ? AND found_by = ?"
        row: tuple[str | None] | None = self._connection.execute(question, (path, digest, self._code)).fetchone()
        return None if row is None else row[0]

    def versions(self, batch: int) -> dict[str, Version]:
        """What files held when a batch was saved, by path, of those that were found changed since, added or removed."""
        question = (
            "SELECT path, min(before), digest, CASE WHEN found_by = ? THEN words END FROM versions WHERE before > ? "
            "GROUP BY path"  # with the other columns of the row that has the least number (sqlite.org/lang_select.html)
        )
        rows = self._connection.execute(question, (self._code, batch))
        return {path: Version(digest, words) for path, _, digest, words in rows}

    def save_files(self, files: Iterable[tuple[str, FileRow]], gone: Iterable[str]) -> None:
        """Remember files, and what they were before for the sake of batches that this process has not saved.

        Words that were known stay where none are given and the content is the same.

        Args:
            files: what is known of files, by path.
            gone: those that are no more.
        """
        rows = [
            (path, row.state, row.digest, row.words, None if row.words is None else self._code)
            for path, row in files
            if _is_text(path)
        ]
        lost = [(path,) for path in gone if _is_text(path)]
        self._connection.execute("BEGIN IMMEDIATE")
        if self._newest:
            self._save_versions([*((path, digest) for path, _, digest, *_ in rows), *((path, "") for (path,) in lost)])
        self._connection.executemany("DELETE FROM files WHERE path = ?", lost)
        self._connection.executemany(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET state = excluded.state, "
            "words = coalesce(excluded.words, CASE WHEN digest = excluded.digest THEN words END), "
            "found_by = coalesce(excluded.found_by, found_by), digest = excluded.digest",
            rows,
        )
        self._connection.execute("COMMIT")

    def _save_versions(self, files: Iterable[tuple[str, str]]) -> None:
        """Remember what files were that have another digest now, each with its path."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO versions SELECT ?1, ?2, coalesce(digest, ''), words, found_by "
            "FROM (SELECT 1) LEFT JOIN files ON path = ?1 WHERE coalesce(digest, '') != ?3",
            ((path, self._newest + 1, digest) for path, digest in files),
        )

    def save_results(self, key: str, reads: Mapping[str, object], results: Iterable[tuple[str, int, bytes]]) -> None:
        """Remember results of one batch.

        Args:
            key: what they were found under.
            reads: what the results rest on.
            results: path, numbers of reads, and result as bytes.
        """
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        batch = run("INSERT INTO batches (key, reads) VALUES (?, ?)", (key, json.dumps(reads))).lastrowid
        self._connection.executemany(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)",
            [(key, path, batch, _bytes(numbers), outcome) for path, numbers, outcome in results if _is_text(path)],
        )
        kept = "SELECT key FROM batches GROUP BY key ORDER BY max(id) DESC LIMIT ?"
        run(f"DELETE FROM results WHERE key NOT IN ({kept})", (_MOST_KEYS,))  # noqa: S608  no text from outside
        run("DELETE FROM batches WHERE id NOT IN (SELECT batch FROM results)")
        run("DELETE FROM versions WHERE before <= (SELECT min(id) FROM batches)")
        run("DELETE FROM versions WHERE (SELECT count(*) FROM versions) > ?", (_MOST_VERSIONS,))
        run("COMMIT")


def _is_text(path: str) -> bool:
    """Whether a path is one that SQLite takes: a name that the locale cannot decode is not."""
    return path.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in path)


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "little")
