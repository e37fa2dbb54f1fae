"""Which files to read: the files named, and the Python files and notebooks below the directories named."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.model.result import FileError
from regbuf_lint.source.errors import os_error_text
from regbuf_lint.source.gitignore import (
    IgnoreStack,
    as_directory,
    compile_patterns,
    ignored,
    stack_above,
    verdict,
    with_file,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pathspec import GitIgnoreSpec

    from regbuf_lint.model.settings import Settings

DEFAULT_EXCLUDES = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pytest_cache",
    ".pytype",
    ".regbuf_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "*.egg",
    "__pycache__",
    "__pypackages__",
    "_build",
    "build",
    "dist",
    "env",
    "node_modules",
    "site-packages",
    "venv",
)
_PYTHON = ".py"
_SUFFIXES = (_PYTHON, ".ipynb")


@dataclass(frozen=True, slots=True)
class Discovery:
    """What there is to read.

    Attributes:
        files: files in the order of their paths, each once, named as the user's path leads to them.
        errors: paths that are missing and directories that cannot be listed.
        empty: directories named by the user below which no Python file or notebook was found.
    """

    files: tuple[Path, ...]
    errors: tuple[FileError, ...]
    empty: tuple[Path, ...] = ()


def discover(paths: Sequence[Path], settings: Settings) -> Discovery:
    """Find the files that a run has to read.

    A file named is taken whatever its name is, a directory named is walked even where a pattern excludes it; with
    ``settings.force_exclude`` the patterns of ``settings.exclude`` cover both. Below a directory only ``*.py``
    and ``*.ipynb`` count, and symbolic links to directories are not followed.

    Raises:
        ValueError: a pattern of ``settings.exclude`` is not valid.
    """
    search = _Search(settings)
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
    return Discovery(search.files(), tuple(search.errors), tuple(empty))


def python_files(directory: Path, settings: Settings, most: int | None = None) -> list[Path] | None:
    """The Python files below a directory that no exclude pattern covers, sorted.

    The patterns start anew below the directory where they cover it itself. What git ignores counts, too: it may be
    generated, and yet be imported.

    Args:
        directory: where to look.
        settings: what to leave out.
        most: number of folders beyond which nothing is looked at.

    Returns:
        None where there are more folders.
    """
    search = _Search(replace(settings, respect_gitignore=False))
    real = os.path.realpath(directory)
    rules = search.rules(real)
    pending = [_Directory(str(directory / "_")[:-1], real, ())]
    folders = 0
    while pending:
        folders += 1
        if most is not None and folders > most:
            return None
        pending.extend(search.list(pending.pop(), rules))
    return [one for one in search.files() if one.suffix == _PYTHON]


def is_excluded(path: Path, settings: Settings) -> bool:
    """Whether ``settings.exclude`` covers a path (which need not exist) or a directory above it."""
    return _Search(settings).excluded(os.path.realpath(path))


def _why_unusable(path: Path) -> str:
    """Return why nothing can be read at a path; empty where something is there."""
    try:
        path.stat()
    except FileNotFoundError:
        return "broken symbolic link" if path.is_symlink() else "no such file or directory"
    except NotADirectoryError:
        return "no such file or directory"
    except OSError as error:
        return os_error_text(error)
    return ""


@dataclass(slots=True)
class _Directory:
    """A directory to list: how the user reaches what is in it, its real path, and the ignore files above it."""

    prefix: str
    real: str
    stack: IgnoreStack


@dataclass(slots=True)
class _Search:
    """Collects files.

    Attributes:
        settings: what to leave out.
        found: real paths of files, with the paths shown.
        links: the same of files reached through a symbolic link.
        errors: what could not be searched.
        seen: how many files and errors were met, those met twice counted twice.
    """

    settings: Settings
    found: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    errors: list[FileError] = field(default_factory=list)
    seen: int = 0

    def files(self) -> tuple[Path, ...]:
        """Return what was found, in order of the paths, a file before the links to it."""
        shown = {**self.links, **self.found}.values()
        return tuple(Path(name) for name in sorted(shown, key=lambda name: name.replace(os.sep, "/").split("/")))

    def take(self, path: Path) -> None:
        """Take a file that the user named."""
        if not (self.settings.force_exclude and self.excluded(os.path.realpath(path))):
            target = self.links if path.is_symlink() else self.found
            target.setdefault(os.path.realpath(path), str(path))

    def walk(self, path: Path) -> None:
        """Take the Python files and notebooks below a directory that the user named."""
        real = os.path.realpath(path)
        if self.settings.force_exclude and self.excluded(real):
            return
        rules = self.rules(real)
        pending = [
            _Directory(
                "" if str(path) == "." else str(path / "_")[:-1],
                real,
                self._stack_of(real),
            )
        ]
        while pending:
            pending.extend(self.list(pending.pop(), rules))

    def rules(self, real: str) -> _Rules:
        """Return the exclude patterns for what lies below a directory; where they cover it, they start anew there."""
        base = real if self.excluded(real) else self._base_of(real)
        return _Rules(as_directory(base), compile_patterns(self.settings.exclude))

    def _stack_of(self, real: str) -> IgnoreStack:
        """Return the ignore files above a directory that is to be walked; none of them where they ignore it."""
        if not self.settings.respect_gitignore:
            return ()
        stack = stack_above(real, os.path.realpath(self.settings.root))
        return () if ignored(stack, as_directory(real)) else stack

    def list(self, directory: _Directory, rules: _Rules) -> list[_Directory]:
        """Take the files of one directory and return the directories in it."""
        try:
            with os.scandir(directory.real) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            shown = Path(directory.prefix).as_posix()
            self.seen += 1
            self.errors.append(FileError(shown, os_error_text(error)))
            return []
        stack = self._stack_in(directory, {entry.name for entry in entries})
        children = []
        for entry in entries:
            child = self._visit(entry, directory, stack, rules)
            if child is not None:
                children.append(child)
        return children

    def _stack_in(self, directory: _Directory, names: set[str]) -> IgnoreStack:
        if not self.settings.respect_gitignore:
            return ()
        stack = with_file((), directory.real, ".git/info/exclude") if ".git" in names else directory.stack
        return with_file(stack, directory.real) if ".gitignore" in names else stack

    def _visit(
        self,
        entry: os.DirEntry[str],
        directory: _Directory,
        stack: IgnoreStack,
        rules: _Rules,
    ) -> _Directory | None:
        """Take a file, or return the directory that an entry is."""
        is_directory = entry.is_dir(follow_symlinks=False)
        if not is_directory and not entry.name.endswith(_SUFFIXES):
            return None
        path = as_directory(entry.path) if is_directory else entry.path.replace(os.sep, "/")
        if rules.exclude(path) or (stack and ignored(stack, path)):
            return None
        shown = directory.prefix + entry.name
        if is_directory:
            return _Directory(shown + os.sep, entry.path, stack)
        is_link = entry.is_symlink()
        if Path(entry.path).is_file() if is_link else entry.is_file():
            self.seen += 1
            if is_link:
                self.links.setdefault(os.path.realpath(entry.path), shown)
            else:
                self.found.setdefault(entry.path, shown)
        return None

    def _base_of(self, real: str) -> str:
        """Return what exclude patterns are relative to: the settings' root, for paths outside of it the path itself."""
        root = os.path.realpath(self.settings.root)
        return root if as_directory(real).startswith(as_directory(root)) else real

    def excluded(self, real: str) -> bool:
        """Whether the exclude patterns cover a path that the user named, or a directory above it."""
        root = os.path.realpath(self.settings.root)
        if real == root:
            return False
        base = as_directory(self._base_of(real))
        relative = as_directory(real)[len(base) :].rstrip("/") or Path(real).name
        parts = relative.split("/")
        paths = ["/".join(parts[:end]) + "/" for end in range(1, len(parts))]
        paths.append(relative + "/" if Path(real).is_dir() else relative)
        spec = compile_patterns(self.settings.exclude)
        return any(verdict(spec, path) for path in paths)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The exclude patterns of one walk and the directory they are relative to."""

    base: str
    spec: GitIgnoreSpec

    def exclude(self, path: str) -> bool:
        """Whether the patterns leave out a path whose parents they keep."""
        relative = path[len(self.base) :]
        return bool(relative) and bool(verdict(self.spec, relative))
