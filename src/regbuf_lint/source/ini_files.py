"""Reading sections of other tools' INI files."""

from __future__ import annotations

import configparser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def ini_section(path: Path, name: str) -> dict[str, str] | None:
    """What a section of a file holds; None where there is none, or the file is broken, which is its tool's to say."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, inline_comment_prefixes=("#",))
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        return None
    return {key: value or "" for key, value in parser[name].items()} if parser.has_section(name) else None
