"""The settings that are nearest to each file; what else a run looks at changes nothing about them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.source.code_style import STYLE_FILES
from regbuf_lint.source.declared_versions import DECLARING_FILES
from regbuf_lint.source.directory_files import DirectoryFiles
from regbuf_lint.source.project_tools import PROJECT_FILES, TOOL_FILES, project_root
from regbuf_lint.source.settings import load_settings
from regbuf_lint.source.toml_files import OWN_FILES, find_table
from regbuf_lint.source.type_checkers import CHECKER_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from regbuf_lint.model.settings import Settings

_READ = (".git", *OWN_FILES, *PROJECT_FILES, *TOOL_FILES, *STYLE_FILES, *CHECKER_FILES, *DECLARING_FILES)
_FIRST_PARTS = sorted({name.partition("/")[0] for name in _READ})
_NO_DIRECTORY = ""


class NearestSettings:
    """Gives the settings for the files of directories; each directory is looked at once.

    Between a directory and the nearest one above it that holds anything settings are made of, nothing can make a
    difference, so directories below such a one share its settings.

    Args:
        config: the configuration file that counts for all files; None where the nearest one does.
        isolated: read no configuration file at all.
        overrides: settings from the command line or a program, by the same keys as in a file.
        known_codes: gives the names of all rules by their codes; None checks none.
        option: how messages name a key of ``overrides``.

    Raises:
        SettingsError: by each question, where a file is missing or broken, or a key or value is wrong.
    """

    def __init__(
        self,
        overrides: Mapping[str, object],
        *,
        config: Path | None = None,
        isolated: bool = False,
        known_codes: Callable[[], Mapping[str, str]] | None = None,
        option: str = "--{}",
    ) -> None:
        self._overrides = overrides
        self._config = config
        self._isolated = isolated
        self._known_codes = known_codes
        self._option = option
        self._files = DirectoryFiles()
        self._anchors: dict[str, str] = {}
        self._bases: dict[Path, Path] = {}
        self._loaded: dict[Path, Settings] = {}
        self._settings: dict[Settings, Settings] = {}

    def of(self, directory: Path, named: Path) -> Settings:
        """Return the settings for the files of a directory.

        Args:
            directory: the directory, as the user's path leads to it.
            named: what the user has named: where no file says which directory is the project's, packages are looked
                for where that starts.
        """
        anchor = _NO_DIRECTORY if self._config is not None else self._anchor(os.path.abspath(directory))  # noqa: PTH100
        start = self._base(named) if anchor == _NO_DIRECTORY else Path(anchor)
        if start not in self._loaded:
            one = load_settings(
                start, self._config, self._isolated, self._overrides, self._known_codes, self._files, self._option
            )
            self._loaded[start] = self._settings.setdefault(one, one)
        return self._loaded[start]

    def of_file(self, path: Path) -> Settings:
        """Return the settings for a file that the user has named; there need not be one."""
        return self.of(path.parent, path)

    def _base(self, named: Path) -> Path:
        """Where what the user names starts: a directory itself, of a file the directory from which it is named."""
        if named not in self._bases:
            inside = not named.is_absolute() and ".." not in named.parts
            place = named if named.is_dir() else Path() if inside else named.parent
            self._bases[named] = Path(os.path.abspath(place))  # noqa: PTH100  links stay
        return self._bases[named]

    def _anchor(self, directory: str) -> str:
        """The nearest directory, upwards, that holds anything the settings of a project are made of."""
        if directory not in self._anchors:
            parent = os.path.dirname(directory)  # noqa: PTH120  ten thousand times
            if self._files.has_any(Path(directory), _FIRST_PARTS):
                self._anchors[directory] = directory if self._is_in_project(Path(directory)) else _NO_DIRECTORY
            else:
                self._anchors[directory] = _NO_DIRECTORY if parent == directory else self._anchor(parent)
        return self._anchors[directory]

    def _is_in_project(self, directory: Path) -> bool:
        """Whether a file says that there is a project, or a table for one: what else lies around is nobody's."""
        return project_root(directory) is not None or (not self._isolated and find_table(directory) is not None)
