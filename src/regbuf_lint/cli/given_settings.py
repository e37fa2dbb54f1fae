"""The settings that the command line gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.engine.known_codes import known_codes
from regbuf_lint.source.nearest_settings import NearestSettings

if TYPE_CHECKING:
    import argparse

_LIST_OPTIONS = (
    "select", "extend-select", "ignore", "extend-ignore", "fixable", "unfixable", "exclude", "extend-exclude",
)  # fmt: skip


def nearest_settings(arguments: argparse.Namespace) -> NearestSettings:
    """Return what gives the settings for each file: those of the command line over those of the nearest table."""
    return NearestSettings(
        overrides(arguments),
        config=Path(arguments.config) if arguments.config is not None else None,
        isolated=arguments.isolated,
        known_codes=known_codes,
    )


def overrides(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the settings that the command line gives, by their keys in a configuration file."""
    given: dict[str, object] = {}
    for key in _LIST_OPTIONS:
        values = getattr(arguments, key.replace("-", "_"))
        if values is not None:
            given[key] = [one for value in values for one in _split(value)]
            if key == "select" and not given[key]:
                msg = "argument --select: no code is given, so nothing would be checked"
                raise UsageError(msg)
    if arguments.per_file_ignores is not None:
        given["per-file-ignores"] = _per_file_ignores(arguments.per_file_ignores)
    for key in ("persistent", "buffer-style", "python", "annotate"):
        value = getattr(arguments, key.replace("-", "_"))
        if value is not None:
            given[key] = value
    if arguments.force_exclude:
        given["force-exclude"] = True
    return given


def _split(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _per_file_ignores(values: list[str]) -> dict[str, list[str]]:
    """Return patterns with codes; a part of a list without a pattern belongs to the pattern before it."""
    table: dict[str, list[str]] = {}
    for value in values:
        codes: list[str] | None = None
        for part in _split(value):
            pattern, colon, code = (one.strip() for one in part.rpartition(":"))
            if colon:
                codes = table.setdefault(pattern, [])
            if codes is None or not code or ":" in pattern or bool(colon) is not bool(pattern):
                msg = f"argument --per-file-ignores: expected PATTERN:CODE, not `{part}`"
                raise UsageError(msg)
            codes.append(code)
    return table
