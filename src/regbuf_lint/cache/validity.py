"""Whether what results rest on is still as it was."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.cache.states import digest_of
from regbuf_lint.index.locating import listing
from regbuf_lint.index.reads import Content, Entry, Reads
from regbuf_lint.index.word_search import WordSearch, answer_of
from regbuf_lint.source.overlay import Overlay
from regbuf_lint.source.python_files import PythonFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from regbuf_lint.cache.states import FileStates
    from regbuf_lint.index.reads import Read, Search
    from regbuf_lint.model.settings import Settings


class Validity:
    """Writes down what results rest on, and tells later what of it has changed.

    Args:
        states: what files hold.
        settings: what searches leave out.
        load_words: gives words of files as they are on the disk, by path.
    """

    def __init__(self, states: FileStates, settings: Settings, load_words: Callable[[], Mapping[str, str]]) -> None:
        self._states = states
        self._settings = settings
        self._load_words = load_words
        self._python_files = PythonFiles(settings)
        self._listings: dict[str, frozenset[str]] = {}
        self._fingerprints: dict[tuple[str, int | None], str] = {}

    def written(self, reads: Iterable[Read]) -> dict[str, Any]:
        """Reads as data: each kind with the numbers of its reads."""
        contents: list[tuple[int, str, str]] = []
        entries: dict[str, list[tuple[int, str, bool]]] = {}
        searches: dict[str, list[tuple[int, str, str, str]]] = {}
        folders: list[tuple[str, int | None, str, str]] = []
        for number, read in enumerate(reads):
            if isinstance(read, Content):
                contents.append((number, read.path, self._states.digest(read.path)))
            elif isinstance(read, Entry):
                entries.setdefault(read.directory, []).append((number, read.name, read.exists))
            else:
                place = _place(read)
                if place not in searches:
                    folders.append((read.directory, read.most, place, self._settled(read.directory, read.most)))
                searches.setdefault(place, []).append((number, read.kind, read.word, read.answer))
        return {"contents": contents, "entries": entries, "folders": folders, "searches": searches}

    def restless(self, reads: Iterable[Read]) -> int:
        """A number whose bits are the numbers of those reads of which it is not sure what they have seen."""
        return _bits(
            number
            for number, read in enumerate(reads)
            if isinstance(read, Content) and self._states.is_restless(read.path)
        )

    def changed(self, written: Mapping[str, Any]) -> int:
        """A number whose bits are the numbers of the reads that would see something else today."""
        return _bits((*self._changed_contents(written), *self._changed_entries(written), *self._searched(written)))

    def _changed_contents(self, written: Mapping[str, Any]) -> Iterable[int]:
        digest = self._states.digest
        return (number for number, path, before in written["contents"] if digest(path) != before)

    def _changed_entries(self, written: Mapping[str, Any]) -> Iterable[int]:
        for directory, entries in written["entries"].items():
            names = self._listing(directory)
            yield from (number for number, name, exists in entries if (name in names) != exists)

    def _searched(self, written: Mapping[str, Any]) -> Iterable[int]:
        for directory, most, place, before in written["folders"]:
            if self._fingerprint(directory, most) == before:
                continue
            for number, kind, word, answer in written["searches"][place]:
                if answer_of(self._search.files(Path(directory), kind, word, most)) != answer:
                    yield number

    @cached_property
    def _search(self) -> WordSearch:
        return WordSearch(Overlay(), self._settings, Reads(), self._load_words())

    def _listing(self, directory: str) -> frozenset[str]:
        if directory not in self._listings:
            self._listings[directory] = listing(Path(directory))
        return self._listings[directory]

    def _settled(self, directory: str, most: int | None) -> str:
        """The fingerprint of a directory; one that no directory has where a file may have changed during the run."""
        files = self._python_files.below(Path(directory), most)
        return "" if any(map(self._states.is_restless, files)) else self._fingerprint(directory, most)

    def _fingerprint(self, directory: str, most: int | None) -> str:
        """A digest of all files that a search looks at."""
        key = (directory, most)
        if key not in self._fingerprints:
            files = self._python_files.below(Path(directory), most)
            lines = "\n".join(f"{path} {self._states.digest(path)}" for path in files)
            self._fingerprints[key] = digest_of(lines.encode(errors="replace"))
        return self._fingerprints[key]


def _place(search: Search) -> str:
    return f"{search.most} {search.directory}"


def _bits(numbers: Iterable[int]) -> int:
    bits = bytearray()
    for number in numbers:
        place = number >> 3
        if place >= len(bits):
            bits.extend(bytes(place + 1 - len(bits)))
        bits[place] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")
