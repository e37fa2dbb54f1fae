"""``--show-files`` and ``--show-settings``: what a run would check, and how."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cli.arguments import STDIN
from regbuf_lint.cli.outcome import CLEAN, FAILURE
from regbuf_lint.cli.reporting import print_errors
from regbuf_lint.model.result import RunResult
from regbuf_lint.source.discovery import discover
from regbuf_lint.source.selection import selected_codes
from regbuf_lint.source.setting_keys import KEYS
from regbuf_lint.source.shown_paths import shown_path

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from regbuf_lint.cli.console import Console
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.nearest_settings import NearestSettings

_NOT_GIVEN: tuple[object, ...] = (None, "", 0)
"""Values that a file cannot have; an empty list and `false` say something."""


def show(arguments: Namespace, nearest: NearestSettings, console: Console) -> int:
    """Print what is asked for and return the exit code: 2 where a path is missing or cannot be listed."""
    if arguments.paths == [STDIN]:
        path = Path(arguments.stdin_filename or STDIN)
        files, settings, result = [path], nearest.of_file(path), RunResult(())
    else:
        discovery = discover([Path(name) for name in arguments.paths], nearest.of)
        if arguments.shard is not None:
            discovery = arguments.shard.part_of(discovery)
        files, result = list(discovery.files), RunResult((), discovery.errors)
        settings = discovery.settings.of(files[0]) if files else nearest.of(Path(), Path())
    if arguments.show_files:
        console.out("".join(f"{shown_path(path)}\n" for path in files))
    else:
        console.out(settings_text(settings, files[0] if files else None))
    print_errors(result, console)
    return FAILURE if result.errors else CLEAN


def settings_text(settings: Settings, path: Path | None) -> str:
    """Return settings as a configuration file; what is no key of one stands in comments.

    Args:
        settings: the settings.
        path: the file that they are for.
    """
    lines = [*_comments(settings, path), *_values(settings)]
    ignores = [(one.pattern, one.codes) for one in settings.per_file_ignores if one.root is None]
    persistent = [(one.pattern, one.persistent) for one in settings.per_attribute_persistent]
    for key, entries in (("per-file-ignores", ignores), ("per-attribute-persistent", persistent)):
        lines += (
            ["", f"[{key}]", *(f"{_toml(pattern)} = {_toml(value)}" for pattern, value in entries)] if entries else []
        )
    return "\n".join(lines) + "\n"


def _comments(settings: Settings, path: Path | None) -> Iterator[str]:
    from regbuf_lint.rules import RULES  # noqa: PLC0415  start-up time

    yield f"# settings of {shown_path(path)}" if path is not None else "# settings"
    places = {"configuration": settings.files, "project": settings.sources, "installed packages": settings.packages}
    for what, paths in places.items():
        yield f"# {what}: {', '.join(map(shown_path, paths)) or 'none'}"
    yield f"# rules: {', '.join(sorted(selected_codes(settings, [rule.meta for rule in RULES])))}"
    for one in settings.inherited_excludes:
        yield f"# excluded below {shown_path(one.root or settings.root)}: {_toml(one.patterns)}"
    for ignore in settings.per_file_ignores:
        if ignore.root is not None:
            yield f"# ignored below {shown_path(ignore.root)}: {_toml(ignore.pattern)}: {_toml(ignore.codes)}"


def _values(settings: Settings) -> Iterator[str]:
    """The keys whose values are no tables; one that nobody has given says nothing."""
    for key in KEYS:
        value = getattr(settings, key.replace("-", "_"), None)
        if not key.startswith("per-") and (value is False or value not in _NOT_GIVEN):
            yield f"{key} = {_toml(value)}"


def _toml(value: object) -> str:
    """A value as TOML writes it; strings, lists and numbers are the same in JSON."""
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return json.dumps(value.value if isinstance(value, Enum) else value, ensure_ascii=False)
