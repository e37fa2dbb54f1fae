"""Which files to read: the files named, and the Python files and notebooks below the directories named."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from regbuf_lint.model.file_settings import FileSettings
from regbuf_lint.model.result import FileError
from regbuf_lint.source.disk_questions import is_file, note_path
from regbuf_lint.source.errors import os_error_text
from regbuf_lint.source.exclusion import Exclusion
from regbuf_lint.source.gitignore import IgnoreStack, as_directory, ignored, stack_above, with_file
from regbuf_lint.source.shown_paths import path_order, shown_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.exclusion import WalkExclusion

    Lookup = Callable[[Path, Path], Settings]
    """Gives the settings for the files of a directory, which is told with what the user has named."""

_SUFFIXES = (".py", ".ipynb")


class Discovery(Struct, frozen=True):
    """What there is to read.

    Attributes:
        files: files in the order of their paths, each once, named as the user's path leads to them.
        errors: paths that are missing and directories that cannot be listed.
        empty: directories named by the user below which no Python file or notebook was found.
        settings: the settings of each file.
    """

    files: tuple[Path, ...]
    errors: tuple[FileError, ...]
    empty: tuple[Path, ...] = ()
    settings: FileSettings = field(default_factory=FileSettings)


def discover(paths: Sequence[Path], lookup: Lookup) -> Discovery:
    """Find the files that a run has to read.

    A file named is taken whatever its name is, a directory named is walked even where a pattern excludes it; with
    ``force_exclude`` the patterns of ``exclude`` cover both. Below a directory only ``*.py`` and ``*.ipynb`` count,
    and symbolic links to directories are not followed. What is in a directory is judged by the settings for it.

    Args:
        paths: what the user names.
        lookup: gives the settings for the files of a directory.

    Raises:
        SettingsError: those of a directory cannot be used.
    """
    search = _Search(lookup)
    empty = []
    for path in paths:
        problem = _why_unusable(path)
        if problem:
            search.errors.append(FileError(path.as_posix(), problem))
        elif path.is_dir():
            seen = search.seen
            search.walk(path)
            if search.seen == seen:
                empty.append(path)
        else:
            search.take(path)
    found = search.files_with_settings()
    files = tuple(path for path, _ in found)
    return Discovery(files, tuple(search.errors), tuple(empty), FileSettings.of_each(found))


def is_excluded(path: Path, settings: Settings) -> bool:
    """Whether ``settings.exclude`` covers a path (which need not exist) or a directory above it."""
    return Exclusion(settings).covers(os.path.realpath(path))


def _why_unusable(path: Path) -> str:
    """Return why nothing can be read at a path; empty where something is there."""
    note_path(path)
    try:
        path.stat()
    except FileNotFoundError:
        return "broken symbolic link" if path.is_symlink() else "no such file or directory"
    except NotADirectoryError:
        return "no such file or directory"
    except OSError as error:
        return os_error_text(error)
    return ""


class _View(Struct, frozen=True):
    """What decides about the entries of a directory: the settings for its files, and what these exclude there."""

    settings: Settings
    exclusion: WalkExclusion


class _Directory(Struct):
    """A directory to list.

    Attributes:
        prefix: how the user reaches what is in it.
        real: its real path.
        stack: the ignore files above it.
        view: what decides about its entries; before it is listed, about those of the directory above.
        named: what the user has named that leads to it.
    """

    prefix: str
    real: str
    stack: IgnoreStack
    view: _View
    named: Path


class _Search(Struct):
    """Collects files.

    Attributes:
        lookup: gives the settings for the files of a directory.
        found: real paths of files, with the paths shown and their settings.
        links: the same of files reached through a symbolic link.
        errors: what could not be searched.
        seen: how many files and errors were met, those met twice counted twice.
    """

    lookup: Lookup
    found: dict[str, tuple[str, Settings]] = field(default_factory=dict)
    links: dict[str, tuple[str, Settings]] = field(default_factory=dict)
    errors: list[FileError] = field(default_factory=list)
    seen: int = 0

    def files_with_settings(self) -> list[tuple[Path, Settings]]:
        """Return what was found with the settings of each, in order of the paths, a file before the links to it."""
        shown = {**self.links, **self.found}.values()
        here = os.path.join(Path.cwd(), "")  # noqa: PTH118  with what separates it from a name below it
        return [(Path(name), one) for name, one in sorted(shown, key=lambda of: _place(of[0], here))]

    def take(self, path: Path) -> None:
        """Take a file that the user named."""
        settings = self.lookup(path.parent, path)
        if not (settings.force_exclude and is_excluded(path, settings)):
            target = self.links if path.is_symlink() else self.found
            target.setdefault(os.path.realpath(path), (str(path), settings))

    def walk(self, path: Path) -> None:
        """Take the Python files and notebooks below a directory that the user named."""
        real = os.path.realpath(path)
        settings = self.lookup(path, path)
        if settings.force_exclude and is_excluded(path, settings):
            return
        prefix = "" if str(path) == "." else str(path / "_")[:-1]
        view = _View(settings, Exclusion(settings).below(real))
        pending = [_Directory(prefix, real, _stack_of(real, settings), view, path)]
        while pending:
            pending.extend(self.list(pending.pop()))

    def list(self, directory: _Directory) -> list[_Directory]:
        """Take the files of one directory and return the directories in it."""
        try:
            with os.scandir(directory.real) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            shown = Path(directory.prefix).as_posix()
            self.seen += 1
            self.errors.append(FileError(shown, os_error_text(error)))
            return []
        begins = not directory.view.settings.respect_gitignore
        directory.view = self._view_in(directory)
        above = _stack_of(directory.real, directory.view.settings) if begins else directory.stack
        directory.stack = _stack_in(replace(directory, stack=above), {entry.name for entry in entries})
        return [child for entry in entries if (child := self._visit(entry, directory)) is not None]

    def _view_in(self, directory: _Directory) -> _View:
        """What decides in a directory: patterns go on as they are below it unless others are nearer."""
        before = directory.view.settings
        settings = self.lookup(Path(directory.prefix), directory.named)
        if settings is before:
            return directory.view
        if _patterns(settings) == _patterns(before):
            return replace(directory.view, settings=settings)
        return _View(settings, Exclusion(settings).below(directory.real))

    def _visit(self, entry: os.DirEntry[str], directory: _Directory) -> _Directory | None:
        """Take a file, or return the directory that an entry is."""
        is_directory = entry.is_dir(follow_symlinks=False)
        if not is_directory and not entry.name.endswith(_SUFFIXES):
            return None
        path = as_directory(entry.path) if is_directory else entry.path.replace(os.sep, "/")
        if directory.view.exclusion.excludes(path) or (directory.stack and ignored(directory.stack, path)):
            return None
        shown = directory.prefix + entry.name
        if is_directory:
            return replace(directory, prefix=shown + os.sep, real=entry.path)
        is_link = entry.is_symlink()
        if is_file(entry.path) if is_link else entry.is_file():
            self.seen += 1
            real, target = (os.path.realpath(entry.path), self.links) if is_link else (entry.path, self.found)
            target.setdefault(real, (shown, directory.view.settings))
        return None


def _place(name: str, here: str) -> list[str]:
    """What files are ordered by: their names as reports have them, which begin below the working directory."""
    return path_order(name.removeprefix(here) if ".." not in name else shown_path(Path(name)))


def _patterns(settings: Settings) -> tuple[object, ...]:
    return settings.root, settings.exclude, settings.inherited_excludes


def _stack_of(real: str, settings: Settings) -> IgnoreStack:
    """Return the ignore files above a directory that is to be walked; none of them where they ignore it."""
    if not settings.respect_gitignore:
        return ()
    stack = stack_above(real, os.path.realpath(settings.root))
    return () if ignored(stack, as_directory(real)) else stack


def _stack_in(directory: _Directory, names: set[str]) -> IgnoreStack:
    if not directory.view.settings.respect_gitignore:
        return ()
    stack = with_file((), directory.real, ".git/info/exclude") if ".git" in names else directory.stack
    return with_file(stack, directory.real) if ".gitignore" in names else stack
