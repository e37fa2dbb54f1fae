"""Reading sections of other tools' INI files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.source.disk_questions import is_file

if TYPE_CHECKING:
    from pathlib import Path


def ini_section(path: Path, name: str) -> dict[str, str] | None:
    """What a section of a file holds; None where there is none, or the file is broken, which is its tool's to say."""
    return ini_sections(path).get(name)


def ini_sections(path: Path) -> dict[str, dict[str, str]]:
    """What the sections of a file hold by their names; none where there is no such file, or it is broken."""
    if not is_file(path):  # a parser takes longer to make
        return {}
    import configparser  # noqa: PLC0415  start-up time

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, inline_comment_prefixes=("#",))
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        return {}
    return {name: {key: value or "" for key, value in parser[name].items()} for name in parser.sections()}
