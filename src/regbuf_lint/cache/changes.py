"""What has become of the files below a directory since a result was remembered, and which searches that touches."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from regbuf_lint.cache.states import MISSING
from regbuf_lint.index.word_search import TOP_LEVEL
from regbuf_lint.index.words import read_words, split_words
from regbuf_lint.source.digests import digest_of
from regbuf_lint.source.python_files import PACKAGE_FILE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from regbuf_lint.cache.database import Version
    from regbuf_lint.cache.states import FileStates
    from regbuf_lint.cache.storage import Storage
    from regbuf_lint.index.word_search import WordSearch

_MODULUS = 1 << 128


class Place(NamedTuple):
    """Where searches look, and when they did.

    Attributes:
        directory: the directory.
        most: number of folders beyond which nothing is found.
        fingerprint: that of the files below it at that time; empty where one of them was changing.
        batch: the number of the batch of results that rests on the searches.
    """

    directory: str
    most: int | None
    fingerprint: str
    batch: int


class Fingerprints:
    """Digests of sets of files; what one file adds to that of a set can be taken away again.

    Args:
        states: what files hold.
    """

    def __init__(self, states: FileStates) -> None:
        self._states = states
        self._terms: dict[str, int] = {}

    def of(self, files: Iterable[str]) -> str:
        """The fingerprint of some files as they are."""
        return _written(sum(map(self._term, files)))

    def before(self, fingerprint: str, files: Collection[str], versions: Mapping[str, Version]) -> str:
        """The fingerprint that some files had when some of them had other versions.

        Args:
            fingerprint: that of the files as they are.
            files: the files.
            versions: by path what was there before, also where nothing is now.
        """
        now = sum(self._term(path) for path in versions if path in files)
        then = sum(_term(path, one.digest) for path, one in versions.items() if one.digest != MISSING)
        return _written(int(fingerprint, 16) - now + then)

    def _term(self, path: str) -> int:
        found = self._terms.get(path)
        if found is None:
            found = self._terms[path] = _term(path, self._states.digest(path))
        return found


class Changes:
    """What was changed, added or removed.

    Args:
        versions: by path what was there before.
        files: the files that are there now.
        search: tells the words of files as they are now.
    """

    def __init__(self, versions: Mapping[str, Version], files: Collection[str], search: WordSearch) -> None:
        self._versions = versions
        self._files = files
        self._search = search
        self._words: dict[str, frozenset[str] | None] = {}

    def touch(self, kind: str, word: str, most: int | None) -> bool | None:
        """Whether a search finds something else than before; None where that cannot be told without searching."""
        if self._moved and (most is not None or (kind == TOP_LEVEL and self._moves_package)):
            return None
        if kind == TOP_LEVEL:
            return False
        if kind not in self._words:
            self._words[kind] = self._changed_words(kind)
        words = self._words[kind]
        return None if words is None else word in words

    @cached_property
    def _moved(self) -> list[str]:
        """The files that have come or gone."""
        return [path for path, one in self._versions.items() if one.digest == MISSING or path not in self._files]

    @cached_property
    def _moves_package(self) -> bool:
        """Whether one of them is that of a package."""
        return any(Path(path).name == PACKAGE_FILE for path in self._moved)

    def _changed_words(self, kind: str) -> frozenset[str] | None:
        """The words that some file has now and had not, or had and has not; None where nobody knows what it had."""
        found: set[str] = set()
        for path, version in self._versions.items():
            before = {} if version.digest == MISSING else read_words(version.words or "")
            if version.digest != MISSING and kind not in before:
                return None
            now = self._search.words(Path(path), kind) if path in self._files else frozenset[str]()
            found |= now ^ set(split_words(before.get(kind, "")))
        return frozenset(found)


def versions_at(
    place: Place, files: Collection[str], now: str, storage: Storage, fingerprints: Fingerprints
) -> dict[str, Version] | None:
    """What files held when searches were made that do not hold it any more; None where that is not known for certain.

    Args:
        place: where the searches look, and when they did.
        files: the files that they look at there now.
        now: the fingerprint of these.
        storage: what earlier runs have seen of files.
        fingerprints: tells whether what they have seen leads back to what the searches have seen.
    """
    below = os.path.join(place.directory, "")  # noqa: PTH118  a Path has no separator at its end
    versions = storage.versions_before(place.batch, files, below)
    if fingerprints.before(now, files, versions) != place.fingerprint:
        storage.states.look_for_removed(files, below)
        versions = storage.versions_before(place.batch, files, below)
    return versions if fingerprints.before(now, files, versions) == place.fingerprint else None


def _term(path: str, digest: str) -> int:
    return int(digest_of(f"{path} {digest}".encode(errors="replace")), 16)


def _written(number: int) -> str:
    return f"{number % _MODULUS:032x}"
