"""Whether what results rest on is still as it was."""

from __future__ import annotations

from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.cache.changes import Changes, Fingerprints, Place, versions_at
from regbuf_lint.index.outline import outline_on_disk
from regbuf_lint.index.reads import Content, Entry, Outline, Reads
from regbuf_lint.index.word_search import WordSearch, answer_of
from regbuf_lint.source.disk_questions import entry_names, note_entry
from regbuf_lint.source.overlay import Overlay
from regbuf_lint.source.python_files import PythonFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from regbuf_lint.cache.storage import Storage
    from regbuf_lint.index.reads import Read
    from regbuf_lint.model.settings import Settings

_SEARCH = 4
"""How much is written of a search: its place, the kind, the word and the answer."""


class Validity:
    """Writes down what results rest on, and tells later what of it has changed.

    Args:
        storage: what is known of files.
        settings: what searches leave out.
    """

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self._storage = storage
        self._states = storage.states
        self._settings = settings
        self._python_files = PythonFiles(settings)
        self._listings: dict[str, frozenset[str]] = {}
        self._outlines: dict[str, str] = {}
        self._there: dict[tuple[str, int | None], tuple[frozenset[str], str]] = {}
        self._fingerprints = Fingerprints(storage.states)
        self._changes: dict[Place, Changes | None] = {}

    def written(self, reads: Iterable[Read]) -> dict[str, Any]:
        """Reads as data, in the order of their numbers; directories and what searches look at are written once."""
        found: list[tuple[object, ...]] = []
        directories: dict[str, int] = {}
        places: dict[tuple[str, int | None], int] = {}
        for read in reads:
            if isinstance(read, Content):
                found.append((read.path, self._states.digest(read.path)))
            elif isinstance(read, Outline):
                found.append((read.path, self._states.digest(read.path), read.digest))
            elif isinstance(read, Entry):
                found.append((directories.setdefault(read.directory, len(directories)), read.name, read.exists))
            else:
                place = places.setdefault((read.directory, read.most), len(places))
                found.append((place, read.kind, read.word, read.answer))
        seen = [(directory, most, self._settled(directory, most)) for directory, most in places]
        return {"reads": found, "directories": list(directories), "places": seen}

    def restless(self, reads: Iterable[Read]) -> int:
        """A number whose bits are the numbers of those reads of which it is not sure what they have seen."""
        return _bits(
            number
            for number, read in enumerate(reads)
            if isinstance(read, (Content, Outline)) and self._states.is_restless(read.path)
        )

    def known(self, written: Mapping[str, Any], batch: int) -> KnownReads:
        """Reads of an earlier run, as ``written`` gave them, with the number of the batch that rests on them."""
        return KnownReads(self, written, batch)

    def has_content(self, path: str, digest: str) -> bool:
        """Whether a file holds what it held."""
        return self._states.digest(path) == digest

    def has_outline(self, path: str, digest: str, outline: str) -> bool:
        """Whether a file holds what it held, or else has the same outline."""
        return self.has_content(path, digest) or self._outline(path) == outline

    def has_entry(self, directory: str, name: str) -> bool:
        """Whether a directory has an entry of some name."""
        exists = name in self._listing(directory)
        note_entry(directory, name, exists=exists)
        return exists

    def is_as_before(self, place: Place) -> bool:
        """Whether all files that searches at a place look at are as they were."""
        _, now = self._now_at(place.directory, place.most)
        return now == place.fingerprint

    def has_answer(self, place: Place, kind: str, word: str, answer: str) -> bool:
        """Whether a search finds what it found, where not all is as it was.

        Args:
            place: where it looks.
            kind: what the word stands for.
            word: the word.
            answer: the digest of what was found.
        """
        changes = self._changes_at(place)
        touched = None if changes is None else changes.touch(kind, word, place.most)
        if touched is not None:
            return not touched
        return answer_of(self._search.files(Path(place.directory), kind, word, place.most)) == answer

    def take_fresh_words(self) -> dict[str, str]:
        """Words of files, by path, found by searches since this was asked for the last time."""
        return self._search.take_fresh() if self._changes else {}

    def _changes_at(self, place: Place) -> Changes | None:
        if place not in self._changes:
            files, now = self._now_at(place.directory, place.most)
            versions = versions_at(place, files, now, self._storage, self._fingerprints)
            self._changes[place] = None if versions is None else Changes(versions, files, self._search)
        return self._changes[place]

    def _outline(self, path: str) -> str:
        """The digest of a file's outline; an empty one where it has none."""
        if path not in self._outlines:
            self._outlines[path] = outline_on_disk(Path(path))
        return self._outlines[path]

    @cached_property
    def _search(self) -> WordSearch:
        return WordSearch(Overlay(), self._settings, Reads(), self._storage.words)

    def _listing(self, directory: str) -> frozenset[str]:
        if directory not in self._listings:
            self._listings[directory] = entry_names(directory)
        return self._listings[directory]

    def _settled(self, directory: str, most: int | None) -> str:
        """The fingerprint of a directory; one that no directory has where a file may have changed during the run."""
        files, now = self._now_at(directory, most)
        return "" if any(map(self._states.is_restless, files)) else now

    def _now_at(self, directory: str, most: int | None) -> tuple[frozenset[str], str]:
        """The files that a search looks at, and their fingerprint."""
        key = (directory, most)
        if key not in self._there:
            files = frozenset(self._python_files.below(Path(directory), most))
            self._there[key] = (files, self._fingerprints.of(files))
        return self._there[key]


class KnownReads:
    """Reads of an earlier run; each is looked at when a result that rests on it is asked for.

    Args:
        validity: tells what has changed.
        written: the reads as data.
        batch: the number of the batch that rests on them.
    """

    def __init__(self, validity: Validity, written: Mapping[str, Any], batch: int) -> None:
        self._validity = validity
        self._reads: Sequence[Sequence[Any]] = written["reads"]
        self._directories: Sequence[str] = written["directories"]
        self._places = [Place(directory, most, before, batch) for directory, most, before in written["places"]]
        self._looked_at = 0
        self._changed = 0

    def have_changed(self, numbers: int) -> bool:
        """Whether one of some reads would see something else today.

        Args:
            numbers: a number whose bits are theirs.
        """
        if numbers & self._changed:
            return True
        new = numbers & ~self._looked_at
        return any(map(self._has_changed, _numbers(new & ~self._searches))) or self._finds_else(new & self._searches)

    def _finds_else(self, searches: int) -> bool:
        """Whether one of some searches finds something else; where nothing has changed below a place, none does there.

        They come after all other reads, since they take longest.
        """
        while searches:
            number = searches.bit_length() - 1
            place = self._reads[number][0]
            if self._validity.is_as_before(self._places[place]):
                self._looked_at |= self._by_place[place]
            elif self._has_changed(number):
                return True
            searches &= ~self._looked_at
        return False

    @cached_property
    def _by_place(self) -> Mapping[int, int]:
        """The numbers of the searches at each place, as bits."""
        found: dict[int, list[int]] = {}
        for number, read in enumerate(self._reads):
            if len(read) == _SEARCH:
                found.setdefault(read[0], []).append(number)
        return {place: _bits(numbers) for place, numbers in found.items()}

    @cached_property
    def _searches(self) -> int:
        return reduce(or_, self._by_place.values(), 0)

    def _has_changed(self, number: int) -> bool:
        """Whether a read sees something else: a content, an outline, a directory's entry, or what a search finds."""
        self._looked_at |= 1 << number
        if not self._holds(*self._reads[number]):
            self._changed |= 1 << number
            return True
        return False

    def _holds(self, *read: Any) -> bool:
        where, *rest = read
        if isinstance(where, str):
            return self._validity.has_outline(where, *rest) if rest[1:] else self._validity.has_content(where, *rest)
        if len(read) == _SEARCH:
            return self._validity.has_answer(self._places[where], *rest)
        name, existed = rest
        return self._validity.has_entry(self._directories[where], name) is existed


def _numbers(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set; mostly few of many."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _bits(numbers: Iterable[int]) -> int:
    bits = bytearray()
    for number in numbers:
        place = number >> 3
        if place >= len(bits):
            bits.extend(bytes(place + 1 - len(bits)))
        bits[place] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")
