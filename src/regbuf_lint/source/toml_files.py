"""Finding and reading the TOML files that hold settings."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from regbuf_lint.source.errors import SettingsError, os_error_text
from regbuf_lint.source.shown_paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PYPROJECT = "pyproject.toml"
OWN_FILES = (".regbuf-lint.toml", "regbuf-lint.toml")
"""Files for the linter alone, whose keys stand at the top level; they count before ``pyproject.toml`` beside them."""
TOOL = "regbuf-lint"
EXTEND = "extend"
"""The key that names another file; what that says counts where the file itself says nothing."""


class ConfigTable(Struct, frozen=True):
    """The settings that a file holds.

    Attributes:
        path: the file.
        table: keys and values as TOML gives them.
        where: how a message names the table ("[tool.regbuf-lint]"), empty for a file's top level.
    """

    path: Path
    table: Mapping[str, Any]
    where: str


def find_table(start: Path) -> ConfigTable | None:
    """Return the nearest table, upwards from a directory: that of a file of the linter's own, or of ``pyproject.toml``.

    Raises:
        SettingsError: such a file on the way cannot be read.
    """
    for directory in _upwards(start):
        for name in OWN_FILES:
            document = read_document(directory / name)
            if document is not None:
                return _tool_table(directory / name, document) or ConfigTable(directory / name, document, "")
        document = read_document(directory / PYPROJECT)
        if document is not None and (found := _tool_table(directory / PYPROJECT, document)) is not None:
            return found
    return None


def extended(table: ConfigTable) -> tuple[ConfigTable, ...]:
    """Return a table and those that it extends, the nearest first; a path is relative to the file that has it.

    Raises:
        SettingsError: a file is missing or cannot be read, or it extends itself.
    """
    tables = [table]
    while isinstance(named := tables[-1].table.get(EXTEND), str) and named:
        label = f"{shown_path(tables[-1].path)}: `{EXTEND}`"
        path = Path(os.path.normpath(tables[-1].path.parent / Path(named).expanduser()))
        if any(os.path.abspath(one.path) == os.path.abspath(path) for one in tables):  # noqa: PTH100  links stay
            msg = f"{label}: {shown_path(path)} extends itself"
            raise SettingsError(msg)
        try:
            tables.append(read_table(path))
        except SettingsError as error:
            msg = f"{label}: {error}"
            raise SettingsError(msg) from None
    return tuple(tables)


def read_table(path: Path) -> ConfigTable:
    """Return the table of a file that the user named.

    In a file that is no ``pyproject.toml`` the keys may also stand at the top level.

    Raises:
        SettingsError: the file is missing or cannot be read.
    """
    document = read_document(path)
    if document is None:
        msg = f"{shown_path(path)}: no such file"
        raise SettingsError(msg)
    found = _tool_table(path, document)
    if found is not None:
        return found
    return ConfigTable(path, {} if path.name == PYPROJECT or "tool" in document else document, "")


def _upwards(start: Path) -> Iterator[Path]:
    directory = Path(os.path.abspath(start))  # noqa: PTH100  symbolic links stay as the user wrote them
    yield directory
    yield from directory.parents


def _tool_table(path: Path, document: dict[str, Any]) -> ConfigTable | None:
    tools = document.get("tool")
    if not isinstance(tools, dict) or TOOL not in tools:
        return None
    table = tools[TOOL]
    if not isinstance(table, dict):
        msg = f"{shown_path(path)}: `tool.{TOOL}` must be a table"
        raise SettingsError(msg)
    return ConfigTable(path, table, f"[tool.{TOOL}]")


def read_document(path: Path) -> dict[str, Any] | None:
    """Return what a TOML file holds, None where there is none.

    Raises:
        SettingsError: it cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        bad = error.object[error.start]
        msg = f"{shown_path(path)}: not valid UTF-8 (byte 0x{bad:02x} at offset {error.start})"
        raise SettingsError(msg) from error
    except OSError as error:
        msg = f"{shown_path(path)}: {os_error_text(error)}"
        raise SettingsError(msg) from error
    try:
        return parse_toml(text)
    except ValueError as error:
        msg = f"{shown_path(path)}: invalid TOML: {' '.join(str(error).split())}"
        raise SettingsError(msg) from error


@lru_cache(maxsize=16)
def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML; a file is looked at for its own table and for those of other tools.

    Raises:
        ValueError: the text is not valid.
    """
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415  start-up time
    else:
        import tomli as tomllib  # noqa: PLC0415
    return tomllib.loads(text)
