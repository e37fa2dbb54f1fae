"""Which files have a word, as far as can be told without parsing."""

from __future__ import annotations

import hashlib
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.index.reads import Content, Search
from regbuf_lint.index.words import read_words, split_words, words_of, written
from regbuf_lint.source.python_files import PACKAGE_FILE, PythonFiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from regbuf_lint.index.reads import Reads
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.overlay import Overlay

TOP_LEVEL = "top-level package"
MOST_FOLDERS = 4000
"""Folders of a project that are searched outside of its packages, so that nobody's home is read."""


@cache
def answer_of(found: tuple[Path, ...]) -> str:
    """The digest of an answer."""
    return hashlib.blake2b("\n".join(map(str, found)).encode(errors="replace"), digest_size=8).hexdigest()


class WordSearch:
    """Finds the files below a directory that have a word; each file is read once for each kind of words.

    Args:
        overlay: files that are others than on the disk.
        settings: what to leave out.
        reads: where questions are noted.
        written: words of files as they are on the disk, by path, as ``written`` has written them.
    """

    def __init__(
        self, overlay: Overlay, settings: Settings, reads: Reads, written: Mapping[str, str] | None = None
    ) -> None:
        self._overlay = overlay
        self._python_files = PythonFiles(settings)
        self._reads = reads
        self._written = written or {}
        self._words: dict[Path, dict[str, str]] = {}
        self._fresh: dict[str, dict[str, str]] = {}
        self._files: dict[tuple[Path, int | None], list[Path]] = {}
        self._by_word: dict[tuple[Path, str, int | None], dict[str, tuple[Path, ...]]] = {}

    def see(self, overlay: Overlay) -> None:
        """From now on, take files for what an overlay holds, and all others for what the disk does."""
        for path in [path for path in self._words if overlay.holds(path) or self._overlay.holds(path)]:
            del self._words[path]
        self._overlay = overlay
        self._by_word.clear()

    def files(self, directory: Path, kind: str, word: str, most: int | None = None) -> tuple[Path, ...]:
        """The files below a directory that have a word, sorted.

        Args:
            directory: where to look.
            kind: what the word stands for, as ``words_of`` has it; or ``TOP_LEVEL`` for the file of the top-level
                package that is called so.
            word: the word.
            most: number of folders beyond which nothing is found.
        """
        key = (directory, kind, most)
        if key not in self._by_word:
            pairs = (
                self._top_level_packages(directory, most)
                if kind == TOP_LEVEL
                else self._words_below(kind, directory, most)
            )
            found: defaultdict[str, list[Path]] = defaultdict(list)
            for one, path in pairs:
                found[one].append(path)
            self._by_word[key] = {one: tuple(paths) for one, paths in found.items()}
        answer = self._by_word[key].get(word, ())
        self._reads.note(Search(str(directory), kind, word, most, answer_of(answer)))
        return answer

    def words(self, path: Path, kind: str) -> frozenset[str]:
        """The words of a file that stand for something; none of one that cannot be read."""
        self._reads.note(Content(str(path)))
        return frozenset(split_words(self._of(path, kind)))

    def take_fresh(self) -> dict[str, str]:
        """The words, as written, of those files of the disk of which more was found since this was asked before."""
        fresh, self._fresh = self._fresh, {}
        return {path: written(words) for path, words in fresh.items()}

    def _words_below(self, kind: str, directory: Path, most: int | None) -> Iterator[tuple[str, Path]]:
        for path in self._files_below(directory, most):
            for word in split_words(self._of(path, kind)):
                yield sys.intern(word), path  # most stand in many files

    def _top_level_packages(self, directory: Path, most: int | None) -> Iterator[tuple[str, Path]]:
        """The names of packages that lie in no other one, with their files; no file is read for that."""
        files = self._files_below(directory, most)
        packages = {path.parent for path in files if path.name == PACKAGE_FILE}
        return ((one.name, one / PACKAGE_FILE) for one in sorted(packages) if one.parent not in packages)

    def _files_below(self, directory: Path, most: int | None) -> list[Path]:
        key = (directory, most)
        if key not in self._files:
            self._files[key] = [Path(name) for name in self._python_files.below(directory, most)]
        return self._files[key]

    def _of(self, path: Path, kind: str) -> str:
        """The words of a file of one kind, as ``words_of`` gives them."""
        known = self._words.get(path)
        if known is None:
            known = self._words[path] = self._known(path)
        if kind not in known:
            try:
                known[kind] = words_of(self._overlay.read_bytes(path), kind)
            except OSError:
                return ""
            if not self._overlay.holds(path):
                self._fresh[str(path)] = known
        return known[kind]

    def _known(self, path: Path) -> dict[str, str]:
        """What earlier runs have found of the words of a file."""
        found = None if self._overlay.holds(path) else self._written.get(str(path))
        return {} if found is None else read_words(found)
