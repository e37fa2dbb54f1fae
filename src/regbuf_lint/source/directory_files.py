"""What lies in directories: those who share this look at each of them once."""

from __future__ import annotations

import os
from fnmatch import filter as matching
from typing import TYPE_CHECKING, Any, TypeVar

from regbuf_lint.source.disk_questions import note_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_T = TypeVar("_T")


class DirectoryFiles:
    """Names of files, and what is found out about a path, for as long as nothing changes."""

    def __init__(self) -> None:
        self._names: dict[Path, frozenset[str]] = {}
        self._found: dict[tuple[Callable[..., Any], Path], Any] = {}

    def names(self, directory: Path) -> frozenset[str]:
        """The names of what a directory holds; none where it cannot be listed."""
        if directory not in self._names:
            note_path(directory)
            try:
                self._names[directory] = frozenset(os.listdir(directory))  # noqa: PTH208  ten thousand times
            except OSError:
                self._names[directory] = frozenset()
        return self._names[directory]

    def below(self, directory: Path, pattern: str) -> list[Path]:
        """The files of a directory that a pattern matches, sorted; its last part alone may have a ``*``."""
        first, _, rest = pattern.partition("/")
        if rest:
            return self.below(directory / first, rest) if first in self.names(directory) else []
        return [directory / name for name in sorted(matching(self.names(directory), pattern))]

    def found(self, find: Callable[[DirectoryFiles, Path], _T], path: Path) -> _T:
        """The answer about a path, which ``find`` gives once."""
        key = (find, path)
        if key not in self._found:
            self._found[key] = find(self, path)
        answer: _T = self._found[key]
        return answer
