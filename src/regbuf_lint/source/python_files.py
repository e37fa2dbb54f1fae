"""The Python files below directories, whether or not they are to be checked: what else of a project can be imported."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.source.disk_questions import is_file
from regbuf_lint.source.exclusion import Exclusion
from regbuf_lint.source.gitignore import as_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.exclusion import WalkExclusion

_PYTHON = ".py"
PACKAGE_FILE = "__init__.py"
"""The file of a package."""


class _Entry(Struct, frozen=True):
    """A directory, or a Python file with its real path."""

    path: str
    file: str | None = None


class PythonFiles:
    """Lists the Python files below directories; each directory is looked at once.

    What an exclude pattern covers is left out; the patterns start anew below a directory that they cover itself. What
    git ignores counts: it may be generated, and yet be imported. Symbolic links to directories are not followed.

    Args:
        settings: what to leave out.
    """

    def __init__(self, settings: Settings) -> None:
        self._exclusion = Exclusion(settings)
        self._listed: dict[tuple[tuple[str, ...], str], Sequence[_Entry]] = {}

    def below(self, directory: Path, most: int | None = None) -> list[str]:
        """The paths of the files below a directory, as its own path leads to them, sorted part by part.

        Args:
            directory: where to look.
            most: number of folders; where there are more, no file is given.
        """
        real = os.path.realpath(directory)
        found = self._found(real, most)
        places = {entry.file: entry.path for entry in found}
        places.update((entry.path, entry.path) for entry in found if entry.file == entry.path)
        prefix, above = str(directory / "_")[:-1], len(as_directory(real))
        return [prefix + entry.path[above:] for entry in found if places[entry.file] == entry.path]

    def _found(self, real: str, most: int | None) -> list[_Entry]:
        """The files below a real path, those that several paths lead to several times."""
        exclusion = self._exclusion.below(real)
        found = []
        folders = 0
        pending = [_Entry(real)]
        while pending:
            entry = pending.pop()
            if entry.file is not None:
                found.append(entry)
                continue
            folders += 1
            if most is not None and folders > most:
                return []
            pending.extend(reversed(self._listing(entry.path, exclusion)))
        return found

    def _listing(self, directory: str, exclusion: WalkExclusion) -> Sequence[_Entry]:
        """What is in a directory, in the order of the names."""
        key = (exclusion.bases, directory)
        if key not in self._listed:
            self._listed[key] = tuple(_entries(directory, exclusion))
        return self._listed[key]


def _entries(directory: str, exclusion: WalkExclusion) -> Iterator[_Entry]:
    try:
        with os.scandir(directory) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if not exclusion.excludes(as_directory(entry.path)):
                yield _Entry(entry.path)
        elif entry.name.endswith(_PYTHON) and not exclusion.excludes(entry.path.replace(os.sep, "/")):
            is_link = entry.is_symlink()
            if is_file(entry.path) if is_link else entry.is_file():
                yield _Entry(entry.path, os.path.realpath(entry.path) if is_link else entry.path)
