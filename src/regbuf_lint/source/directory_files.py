"""What lies in directories: those who share this look at each of them once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from regbuf_lint.source.disk_questions import entry_names, note_entry, note_path
from regbuf_lint.source.entry_names import alike, is_among

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

_T = TypeVar("_T")


class DirectoryFiles:
    """Names of files, and what is found out about a path, for as long as nothing changes."""

    def __init__(self) -> None:
        self._names: dict[Path, frozenset[str]] = {}
        self._found: dict[tuple[Callable[..., Any], Path], Any] = {}

    def names(self, directory: Path) -> frozenset[str]:
        """The names of what a directory holds; none where it cannot be listed."""
        note_path(directory)
        return self._listed(directory)

    def has_any(self, directory: Path, names: Collection[str]) -> bool:
        """Whether a directory holds one of some names; a ``*`` in one stands for anything."""
        listed = self._listed(directory)
        found = next((name for name in names if is_among(name, listed)), None)
        for name in names if found is None else [found]:
            note_entry(str(directory), name, exists=found is not None)
        return found is not None

    def _listed(self, directory: Path) -> frozenset[str]:
        if directory not in self._names:
            self._names[directory] = entry_names(directory)
        return self._names[directory]

    def below(self, directory: Path, pattern: str) -> list[Path]:
        """The files of a directory that a pattern matches, sorted; its last part alone may have a ``*``."""
        first, _, rest = pattern.partition("/")
        if rest:
            return self.below(directory / first, rest) if first in self.names(directory) else []
        return [directory / name for name in sorted(alike(pattern, self.names(directory)))]

    def found(self, find: Callable[[DirectoryFiles, Path], _T], path: Path) -> _T:
        """The answer about a path, which ``find`` gives once."""
        key = (find, path)
        if key not in self._found:
            self._found[key] = find(self, path)
        answer: _T = self._found[key]
        return answer
