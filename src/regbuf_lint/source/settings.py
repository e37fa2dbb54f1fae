"""Settings: configuration file, command line and defaults put together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from regbuf_lint.model.settings import DEFAULT_EXCLUDES, BufferStyle, PlacedPatterns, Settings
from regbuf_lint.source.code_style import code_style
from regbuf_lint.source.declared_versions import (
    declaring_directory,
    oldest_python,
    runs_only_before_torch,
    runs_with_older_torch,
)
from regbuf_lint.source.directory_files import DirectoryFiles
from regbuf_lint.source.environment import environment_packages
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.project_tools import ProjectTools, project_root
from regbuf_lint.source.selection import ALL, names
from regbuf_lint.source.setting_keys import KEYS
from regbuf_lint.source.shown_paths import shown_path
from regbuf_lint.source.suggestions import did_you_mean
from regbuf_lint.source.toml_files import EXTEND, ConfigTable, extended, find_table, read_table
from regbuf_lint.source.type_checkers import has_type_checker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


_HAS_NN_BUFFER = "2.5"
_HAS_PERSISTENT = "1.6"
"""The release that gave `register_buffer` its argument `persistent` (torch 1.6, pull request 37191)."""
_SUGGESTS_NN_BUFFER = "RBF202"
_SELECTING = ("select", "extend-select", "ignore", "extend-ignore", "fixable", "unfixable")


def load_settings(
    start: Path,
    config: Path | None,
    isolated: bool,  # noqa: FBT001  callers name it
    overrides: Mapping[str, object],
    known_codes: Callable[[], Mapping[str, str]] | None = None,
    files: DirectoryFiles | None = None,
    option: str = "--{}",
) -> Settings:
    """Put settings together.

    Args:
        start: the directory of the files that the settings are for: from there configuration files are looked for,
            upwards. Packages are looked for there where no file says which directory is the project's.
        config: configuration file to read instead.
        isolated: read no configuration file at all.
        overrides: settings from the command line or a program, by the same keys and with the same types as in the
            file. ``select`` replaces the file's selection; ``extend-select`` and ``ignore`` add to the file's.
        known_codes: gives the names of all rules by their codes, and is asked only where something is selected;
            selectors that name none of them are refused. None checks nothing.
        files: what others have found out about directories.
        option: how messages name a key of ``overrides``.

    Raises:
        SettingsError: a file is missing or broken, or a key or value is wrong.
    """
    table = None if isolated else read_table(config) if config is not None else find_table(start)
    tables = extended(table) if table is not None else ()
    values = _converted_chain(tables, known_codes)
    converted = (_convert(key, value, option.format(key), known_codes) for key, value in overrides.items())
    merged = _merge(values, {one[0]: _placed(one, Path.cwd()) for one in converted})
    around, files = start if config is None else config.parent, files or DirectoryFiles()
    if not isolated:
        tools = ProjectTools(around, files)
        style = code_style(tools)
        found = {**asdict(style), "annotate": has_type_checker(tools)}
        merged = {**found, **merged}
    root = Path.cwd() if table is None else table.path.parent
    source = root.resolve() if table is not None else project_root(start) or start.absolute()
    read = tuple(one.path for one in tables)
    settings = replace(_settings(root.resolve(), merged), sources=(source,), files=read)
    try:
        packages = environment_packages(settings.python, root)
    except SettingsError as error:
        givers = (_label(one, "python") for one in tables if "python" in one.table)
        where = option.format("python") if "python" in overrides else next(givers)
        msg = f"{where}: {error}"
        raise SettingsError(msg) from None
    settings = replace(settings, packages=packages)
    return settings if isolated else _with_declared_versions(settings, declaring_directory(around, files))


def check_codes(codes: Iterable[str], known_codes: Mapping[str, str], where: str) -> None:
    """Check that every selector names a rule.

    Args:
        codes: codes, prefixes of codes, or ``ALL``.
        known_codes: the names of all rules by their codes.
        where: what the selectors were given to, for the message.

    Raises:
        SettingsError: one of them names no rule.
    """
    for code in codes:
        if not code or not any(names(code, known) for known in known_codes):
            by_name = {name.upper(): known for known, name in known_codes.items()}
            meant = by_name.get(code.upper(), code.upper())
            msg = f"{where}: unknown rule code `{code}`{did_you_mean(meant, [*known_codes, ALL])}"
            raise SettingsError(msg)


def _converted_chain(
    tables: Sequence[ConfigTable], known_codes: Callable[[], Mapping[str, str]] | None
) -> dict[str, Any]:
    """Return the values of files by the names of the fields of ``Settings``; the first file wins over those behind."""
    values: dict[str, Any] = {}
    for table in reversed(tables):
        directory = table.path.parent
        given = {}
        for key, value in table.table.items():
            if key not in KEYS:
                place = f" in {table.where}" if table.where else ""
                msg = f"{shown_path(table.path)}: unknown key `{key}`{place}{did_you_mean(key.replace('_', '-'), KEYS)}"
                raise SettingsError(msg)
            where = _label(table, key)
            if key == EXTEND:
                KEYS[key].convert(value, where)
            else:
                given[_field(key)] = _placed(_convert(key, value, where, known_codes), directory)
        values = _merge(values, given) if values else given
    return values


def _label(table: ConfigTable, key: str) -> str:
    """How a message names a key of a file."""
    return f"{shown_path(table.path)}: `{key}`"


def _placed(converted: tuple[str, Any], directory: Path) -> Any:
    """A value, of which paths and patterns are told what they are relative to."""
    field, value = converted
    if field in {"exclude", "extend_exclude"}:
        return (PlacedPatterns(directory, value),)
    if field == "python" and value:
        return str(directory / value)
    if field == "per_file_ignores":
        return tuple(replace(one, root=directory) for one in value)
    return value


def _field(key: str) -> str:
    return key.replace("-", "_")


def _convert(
    key: str, value: object, where: str, known_codes: Callable[[], Mapping[str, str]] | None
) -> tuple[str, Any]:
    """Return the name of the field and the value of one setting."""
    if key not in KEYS or key == EXTEND:
        msg = f"unknown option `{key}`{did_you_mean(key.replace('_', '-'), KEYS)}"
        raise SettingsError(msg)
    converted = KEYS[key].convert(value, where)
    if known_codes is not None and converted and key in _SELECTING:
        check_codes(converted, known_codes(), where)
    if known_codes is not None and key == "per-file-ignores":
        for entry in converted:
            check_codes(entry.codes, known_codes(), where)
    return _field(key), converted


def _merge(values: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with others over them: a file's over those of the file it extends, the command line's over both.

    What the others turn on by a selector, they turn on although the values turn it off by the same one; of selectors of
    several lengths the longest counts, wherever it stands.
    """
    merged = {**values, **over}
    turned_on = _both(over, "select", "extend_select")
    kept = (code for code in _both(values, "ignore", "extend_ignore") if code not in turned_on)
    merged["ignore"] = (*kept, *_both(over, "ignore", "extend_ignore"))
    merged.pop("extend_ignore", None)
    before = () if "select" in over else values.get("extend_select", ())
    merged["extend_select"] = (*before, *over.get("extend_select", ()))
    if "unfixable" not in over:
        merged["unfixable"] = tuple(code for code in values.get("unfixable", ()) if code not in over.get("fixable", ()))
    merged["extend_exclude"] = (*values.get("extend_exclude", ()), *over.get("extend_exclude", ()))
    return merged


def _both(values: Mapping[str, Any], *keys: str) -> tuple[str, ...]:
    return tuple(item for key in keys for item in values.get(key, ()))


def _settings(root: Path, merged: dict[str, Any]) -> Settings:
    merged = dict(merged)
    groups = (*merged.pop("exclude", (PlacedPatterns(None, DEFAULT_EXCLUDES),)), *merged.pop("extend_exclude", ()))
    ignores = merged.pop("per_file_ignores", ())
    here = {None, *(one.root for one in (*groups, *ignores) if one.root is not None and one.root.resolve() == root)}
    return Settings(
        root=root,
        exclude=tuple(pattern for one in groups if one.root in here for pattern in one.patterns),
        inherited_excludes=tuple(one for one in groups if one.root not in here),
        per_file_ignores=tuple(replace(one, root=None) if one.root in here else one for one in ignores),
        **merged,
    )


def _with_declared_versions(settings: Settings, directory: Path | None) -> Settings:
    """Settings with what the project says of its versions, as far as that matters for them.

    Raises:
        SettingsError: fixes are to assign ``nn.Buffer``, and the project runs with a torch that does not have it.
    """
    wants_buffer = settings.buffer_style is BufferStyle.NN_BUFFER
    selectors = (*(settings.select or ()), *settings.extend_select)
    if wants_buffer or any(names(code, _SUGGESTS_NN_BUFFER) for code in selectors):
        reason = runs_with_older_torch(directory, _HAS_NN_BUFFER)
        if reason is not None:
            reason = f"`nn.Buffer` needs torch {_HAS_NN_BUFFER}, and {reason}"
            if wants_buffer:
                msg = f"buffer-style `nn-buffer`: {reason}"
                raise SettingsError(msg)
            settings = replace(settings, without_nn_buffer=reason)
    return replace(
        settings,
        oldest_python=oldest_python(directory),
        without_persistent=runs_only_before_torch(directory, _HAS_PERSISTENT) or "",
    )
