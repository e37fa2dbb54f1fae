"""Finding and reading the TOML files that hold settings."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regbuf_lint.source.errors import SettingsError, os_error_text
from regbuf_lint.source.shown_paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PYPROJECT = "pyproject.toml"
TOOL = "regbuf-lint"


@dataclass(frozen=True, slots=True)
class ConfigTable:
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
    """Return the table of the nearest ``pyproject.toml`` that has one, upwards from a directory.

    Raises:
        SettingsError: a ``pyproject.toml`` on the way cannot be read.
    """
    for directory in _upwards(start):
        document = read_document(directory / PYPROJECT)
        if document is not None and (found := _tool_table(directory / PYPROJECT, document)) is not None:
            return found
    return None


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
        text = path.read_bytes().decode("utf-8")
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
        return _parse(text)
    except ValueError as error:
        msg = f"{shown_path(path)}: invalid TOML: {' '.join(str(error).split())}"
        raise SettingsError(msg) from error


@lru_cache(maxsize=16)
def _parse(text: str) -> dict[str, Any]:
    """Parse TOML; a file is looked at for its own table and for those of other tools.

    Raises:
        ValueError: the text is not valid.
    """
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415  start-up time
    else:
        import tomli as tomllib  # noqa: PLC0415
    return tomllib.loads(text)
