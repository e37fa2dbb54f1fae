"""Which tools look after the files of a project, with what arguments and settings; what is broken is theirs to say."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.source.directory_files import DirectoryFiles
from regbuf_lint.source.disk_questions import has_entry
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.ini_files import ini_sections
from regbuf_lint.source.toml_files import PYPROJECT, read_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HOOKS = ".pre-commit-config.yaml"
_COMMANDS = (
    "Makefile",
    "justfile",
    "tox.ini",
    "setup.cfg",
    PYPROJECT,
    "*.sh",
    "dev/*.sh",
    "scripts/*.sh",
    ".github/workflows/*.yml",
    ".github/workflows/*.yaml",
)
"""Files with commands that people or servers run."""
TOOL_FILES = (_HOOKS, *_COMMANDS)
"""What is read of the directories of a project."""
PROJECT_FILES = (PYPROJECT, "setup.cfg", "setup.py")
"""What only the directory of a project holds."""

_TOOL_OF_HOOK = {
    "black": "black",
    "black-jupyter": "black",
    "ufmt": "black",
    "darker": "black",
    "ruff-format": "ruff format",
    "yapf": "yapf",
    "flake8": "flake8",
    "mypy": "mypy",
    "pyright": "pyright",
    "basedpyright": "pyright",
}
_TOOLS = "|".join(sorted(set(_TOOL_OF_HOOK.values())))
_ITEM = r"^[ \t]*(?:-[ \t]+)?id:"
_HOOK = re.compile(
    rf"{_ITEM}[ \t]*[\"']?(?P<tool>[\w.-]+)(?P<rest>(?:(?!{_ITEM}|^[ \t]*-[ \t]+repo:).)*)", re.MULTILINE | re.DOTALL
)
_COMMAND = re.compile(
    rf"(?:^|[;&|\"'@:=/-]|\s-m|\brun)[ \t]*(?P<tool>{_TOOLS})"
    r"(?P<rest>[ \t]+[-./\w{$*\"'][^\n;&|]*|(?<=ruff format)\b)",
    re.MULTILINE,
)
"""A tool at the start of a command; ``black`` alone may as well be the name of a package in a list."""
_COMMENT = re.compile(r"(?<!\S)#.*")
_CONTINUED = re.compile(r"\\\r?\n")
_MOST_EXTENSIONS = 5


class ProjectTools:
    """The tools of the project around a directory, as its files name them.

    Files are those of the directory and of those above it, as far as the repository reaches; the nearest counts. Where
    there is no repository, the nearest directory with settings of a project is the last one.

    Args:
        start: the directory.
        files: what others have found out about directories.
    """

    def __init__(self, start: Path, files: DirectoryFiles | None = None) -> None:
        self._directories = _directories(start)
        self._files = files or DirectoryFiles()

    @cached_property
    def hooks(self) -> dict[str, str]:
        """Tools that pre-commit runs, with the text of their settings there."""
        return self._joined(_hooks_in)

    @cached_property
    def commands(self) -> dict[str, str]:
        """Tools that commands in the project's files run, with their arguments."""
        return self._joined(_commands_in)

    def argument(self, tool: str, pattern: str) -> str | None:
        """What the group of a pattern matches in the arguments that a tool is run with."""
        for arguments in (self.hooks.get(tool, ""), self.commands.get(tool, "")):
            match = re.search(pattern, arguments)
            if match is not None:
                return match[1]
        return None

    def toml(self, tool: str, *files: str, config: str | None = None) -> dict[str, Any] | None:
        """The settings of a tool in one of its own files, or in its table of ``pyproject.toml``.

        Args:
            tool: name of the table.
            files: names of the tool's own files, which count first.
            config: the file that the tool is told to read instead.
        """
        names = (*files, PYPROJECT) if config is None else (config,)
        for directory in self._directories:
            for name in names:
                is_there = "/" in name or name in self._files.names(directory)
                found = _settings(directory / name, tool) if is_there else None
                if found is not None:
                    return found
        return None

    def ini(self, section: str, *files: str) -> dict[str, str] | None:
        """A section of the nearest of some files that has it."""
        there = ((directory, name) for directory in self._directories for name in files)
        paths = (directory / name for directory, name in there if name in self._files.names(directory))
        sections = (self._files.found(_sections_of, path) for path in paths)
        return next((found for one in sections if (found := one.get(section)) is not None), None)

    def has(self, *files: str) -> bool:
        """Whether the project has one of some files."""
        return any(not self._files.names(directory).isdisjoint(files) for directory in self._directories)

    def _joined(self, find: Callable[[DirectoryFiles, Path], list[tuple[str, str]]]) -> dict[str, str]:
        """The arguments that each tool is run with, those of the nearest file first."""
        joined: dict[str, str] = {}
        for directory in self._directories:
            for tool, arguments in self._files.found(find, directory):
                joined[tool] = f"{joined.get(tool, '')}\n{arguments}"
        return joined


def _hooks_in(files: DirectoryFiles, directory: Path) -> list[tuple[str, str]]:
    """Tools that pre-commit runs in a directory, with the text of their settings there."""
    found = (one for text in _texts(files, directory, _HOOKS) for one in _HOOK.finditer(text))
    return [(_TOOL_OF_HOOK[one["tool"]], one["rest"]) for one in found if one["tool"] in _TOOL_OF_HOOK]


def _commands_in(files: DirectoryFiles, directory: Path) -> list[tuple[str, str]]:
    """Tools that commands in the files of a directory run, with their arguments."""
    texts = _texts(files, directory, *TOOL_FILES)
    return [(one["tool"], one["rest"]) for text in texts for one in _COMMAND.finditer(text)]


def _texts(files: DirectoryFiles, directory: Path, *patterns: str) -> Iterator[str]:
    """What files hold, without comments and with continued lines joined."""
    for pattern in patterns:
        for path in files.below(directory, pattern):
            yield _COMMENT.sub("", _CONTINUED.sub(" ", _text(path)))


def _sections_of(_files: DirectoryFiles, path: Path) -> dict[str, dict[str, str]]:
    return ini_sections(path)


def project_root(start: Path) -> Path | None:
    """The directory of the project around one; None where nothing says that there is a project."""
    found = _within_project(start)
    return found[-1] if found else None


def _directories(start: Path) -> list[Path]:
    return _within_project(start) or [Path(os.path.abspath(start))]  # noqa: PTH100  as below


def _within_project(start: Path) -> list[Path]:
    """The directories from one up to that of the project around it; none where nothing says that there is one."""
    directory = Path(os.path.abspath(start))  # noqa: PTH100  symbolic links stay as the user wrote them
    around = [directory, *directory.parents]
    for markers in ((".git",), PROJECT_FILES):
        for number, one in enumerate(around, start=1):
            if any(has_entry(one, marker) for marker in markers):
                return around[:number]
    return []


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _settings(path: Path, tool: str, depth: int = 0) -> dict[str, Any] | None:
    """What a TOML file says to a tool, with what that extends behind it, as ruff does it."""
    try:
        table = read_document(path)
    except SettingsError:
        return None
    if table is not None and path.name == PYPROJECT:
        tools = table.get("tool")
        table = tools.get(tool) if isinstance(tools, dict) else None
    if not isinstance(table, dict):
        return None
    named = table.get("extend")
    if not isinstance(named, str) or depth == _MOST_EXTENSIONS:
        return table
    return {**(_settings(path.parent / named, tool, depth + 1) or {}), **table}
