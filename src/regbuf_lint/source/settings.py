"""Settings: configuration file, command line and defaults put together."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from regbuf_lint.model.settings import AttributePersistence, BufferStyle, PerFileIgnore, Persistence, Settings
from regbuf_lint.source.code_style import code_style
from regbuf_lint.source.declared_versions import oldest_python, runs_with_older_torch
from regbuf_lint.source.discovery import DEFAULT_EXCLUDES
from regbuf_lint.source.environment import environment_packages
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.gitignore import compile_patterns
from regbuf_lint.source.project_tools import ProjectTools, project_root
from regbuf_lint.source.selection import ALL, names
from regbuf_lint.source.shown_paths import shown_path
from regbuf_lint.source.toml_files import (
    ConfigTable,
    find_table,
    read_table,
)
from regbuf_lint.source.type_checkers import has_type_checker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

_E = TypeVar("_E", bound=Enum)
_WIDEST = 1000
_HAS_NN_BUFFER = "2.5"
_SUGGESTS_NN_BUFFER = "RBF202"


def load_settings(
    start: Path,
    config: Path | None,
    isolated: bool,  # noqa: FBT001  callers name it
    overrides: Mapping[str, object],
    known_codes: Callable[[], Collection[str]] | None = None,
    base: Path | None = None,
) -> Settings:
    """Put settings together.

    Args:
        start: the closest directory that holds all that the user names: from there configuration files are looked
            for, upwards.
        config: configuration file to read instead.
        isolated: read no configuration file at all.
        overrides: settings from the command line, by the same keys and with the same types as in the file. ``select``
            replaces the file's selection; ``ignore`` adds to the file's.
        known_codes: gives the codes of all rules, and is asked only where something is selected; selectors that name
            none of them are refused. None checks nothing.
        base: directory in which packages are looked for where no file says which one is the project's; ``start`` where
            None.

    Raises:
        SettingsError: a file is missing or broken, or a key or value is wrong.
    """
    table = None if isolated else read_table(config) if config is not None else find_table(start)
    values = _convert_file(table, known_codes) if table is not None else {}
    if table is not None and "python" in values:
        values["python"] = str(table.path.parent / values["python"])
    given = {key: _convert(key, value, f"--{key}", known_codes) for key, value in overrides.items()}
    merged = _merge(values, given)
    if not isolated:
        tools = ProjectTools(config.parent if config is not None else start)
        style = code_style(tools)
        found = {"line_length": style.line_length, "quote": style.quote, "annotate": has_type_checker(tools)}
        merged = {**found, **merged}
    root = Path.cwd() if table is None else table.path.parent
    source = root.resolve() if table is not None else project_root(start) or (base or start).absolute()
    settings = replace(_settings(root.resolve(), merged), sources=(source,))
    settings = replace(settings, packages=environment_packages(settings.python, root))
    return settings if isolated else _with_declared_versions(settings, config.parent if config is not None else start)


def check_codes(codes: Iterable[str], known_codes: Collection[str], where: str) -> None:
    """Check that every selector names a rule.

    Args:
        codes: codes, prefixes of codes, or ``ALL``.
        known_codes: codes of all rules.
        where: what the selectors were given to, for the message.

    Raises:
        SettingsError: one of them names no rule.
    """
    for code in codes:
        if not code or not any(names(code, known) for known in known_codes):
            msg = f"{where}: unknown rule code `{code}`{_suggestion(code.upper(), [*known_codes, ALL])}"
            raise SettingsError(msg)


def _suggestion(word: str, candidates: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  start-up time

    close = get_close_matches(word, sorted(candidates), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _convert_file(table: ConfigTable, known_codes: Callable[[], Collection[str]] | None) -> dict[str, Any]:
    """Return the values of a file by the names of the fields of ``Settings``."""
    label = shown_path(table.path)
    values = {}
    for key, value in table.table.items():
        if key not in _CONVERTERS:
            place = f" in {table.where}" if table.where else ""
            msg = f"{label}: unknown key `{key}`{place}{_suggestion(key.replace('_', '-'), _CONVERTERS)}"
            raise SettingsError(msg)
        values[_field(key)] = _convert(key, value, f"{label}: `{key}`", known_codes)[1]
    return values


def _field(key: str) -> str:
    return key.replace("-", "_")


def _convert(key: str, value: object, where: str, known_codes: Callable[[], Collection[str]] | None) -> tuple[str, Any]:
    """Return the name of the field and the value of one setting."""
    converted = _CONVERTERS[key](value, where)
    if known_codes is not None and key in {"select", "extend-select", "ignore"}:
        check_codes(converted, known_codes(), where)
    if known_codes is not None and key == "per-file-ignores":
        for entry in converted:
            check_codes(entry.codes, known_codes(), where)
    return _field(key), converted


def _merge(values: dict[str, Any], given: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """Return the file's values with those of the command line over them."""
    over = dict(given.values())
    merged = {**values, **over}
    if "select" in over:
        merged["extend_select"] = over.get("extend_select", ())
        kept = [code for code in values.get("ignore", ()) if not _outweighs(over["select"], code)]
    else:
        merged["extend_select"] = (
            *values.get("extend_select", ()),
            *over.get("extend_select", ()),
        )
        kept = list(values.get("ignore", ()))
    merged["ignore"] = (*kept, *over.get("ignore", ()))
    merged["extend_exclude"] = (
        *values.get("extend_exclude", ()),
        *over.get("extend_exclude", ()),
    )
    return merged


def _outweighs(select: Iterable[str], ignored: str) -> bool:
    """Whether the command line selects exactly what the file ignores, or a part of it."""
    return any(code == ignored or (code != ALL and names(ignored, code)) for code in select)


def _settings(root: Path, merged: dict[str, Any]) -> Settings:
    merged = dict(merged)
    extend = merged.pop("extend_exclude", ())
    merged["exclude"] = (*merged.get("exclude", DEFAULT_EXCLUDES), *extend)
    return Settings(root=root, **merged)


def _with_declared_versions(settings: Settings, start: Path) -> Settings:
    """Settings with what the project says of its versions, as far as that matters for them.

    Raises:
        SettingsError: fixes are to assign ``nn.Buffer``, and the project runs with a torch that does not have it.
    """
    wants_buffer = settings.buffer_style is BufferStyle.NN_BUFFER
    selectors = (*(settings.select or ()), *settings.extend_select)
    if wants_buffer or any(names(code, _SUGGESTS_NN_BUFFER) for code in selectors):
        reason = runs_with_older_torch(start, _HAS_NN_BUFFER)
        if reason is not None:
            reason = f"`nn.Buffer` needs torch {_HAS_NN_BUFFER}, and {reason}"
            if wants_buffer:
                msg = f"buffer-style `nn-buffer`: {reason}"
                raise SettingsError(msg)
            settings = replace(settings, without_nn_buffer=reason)
    return replace(settings, oldest_python=oldest_python(start))


def _strings(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return tuple(item.strip() for item in value)
    msg = f"{where} must be a list of strings"
    raise SettingsError(msg)


def _codes(value: object, where: str) -> tuple[str, ...]:
    return tuple(code.upper() for code in _strings(value, where))


def _patterns(value: object, where: str) -> tuple[str, ...]:
    patterns = _strings(value, where)
    for pattern in patterns:
        _check_pattern(pattern, where)
    return patterns


def _check_pattern(pattern: str, where: str) -> None:
    try:
        compile_patterns((pattern,))
    except ValueError as error:
        msg = f"{where}: `{pattern}` is no valid pattern"
        raise SettingsError(msg) from error


def _path(value: object, where: str) -> str:
    if isinstance(value, str) and value:
        return value
    msg = f"{where} must be a path"
    raise SettingsError(msg)


def _boolean(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    msg = f"{where} must be true or false"
    raise SettingsError(msg)


def _line_length(value: object, where: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _WIDEST:
        return value
    msg = f"{where} must be a number of columns from 1 to {_WIDEST}"
    raise SettingsError(msg)


def _enum(kind: type[_E]) -> Callable[[object, str], _E]:
    choices = _choices(kind)

    def convert(value: object, where: str) -> _E:
        if isinstance(value, str) and value in choices:
            return kind(value)
        hint = _suggestion(value, choices) if isinstance(value, str) else ""
        got = f", not `{value}`" if isinstance(value, str) else ""
        msg = f"{where} must be one of {_listed(kind)}{got}{hint}"
        raise SettingsError(msg)

    return convert


def _choices(kind: type[Enum]) -> list[str]:
    return [str(member.value) for member in kind]


def _listed(kind: type[Enum]) -> str:
    return ", ".join(f"`{choice}`" for choice in _choices(kind))


def _per_file_ignores(value: object, where: str) -> tuple[PerFileIgnore, ...]:
    if not isinstance(value, dict):
        msg = f"{where} must be a table of patterns with lists of codes"
        raise SettingsError(msg)
    entries = []
    for pattern, codes in value.items():
        _check_pattern(pattern.removeprefix("!"), where)
        entries.append(PerFileIgnore(pattern, _codes(codes, f"{where}: `{pattern}`")))
    return tuple(entries)


def _per_attribute_persistent(value: object, where: str) -> tuple[AttributePersistence, ...]:
    if not isinstance(value, dict):
        msg = f"{where} must be a table of patterns, each with one of {_listed(Persistence)}"
        raise SettingsError(msg)
    convert = _enum(Persistence)
    entries = []
    for pattern, given in value.items():
        if isinstance(given, dict):  # `Class.attr = ...` is a table in a table
            msg = f'{where}: write patterns in quotation marks: `"{pattern}.{next(iter(given), "*")}"`'
            raise SettingsError(msg)
        entries.append(AttributePersistence(pattern, convert(given, f"{where}: `{pattern}`")))
    return tuple(entries)


_CONVERTERS: dict[str, Callable[[object, str], Any]] = {
    "select": _codes,
    "extend-select": _codes,
    "ignore": _codes,
    "per-file-ignores": _per_file_ignores,
    "exclude": _patterns,
    "extend-exclude": _patterns,
    "respect-gitignore": _boolean,
    "force-exclude": _boolean,
    "persistent": _enum(Persistence),
    "per-attribute-persistent": _per_attribute_persistent,
    "buffer-style": _enum(BufferStyle),
    "annotate": _boolean,
    "line-length": _line_length,
    "module-classes": _strings,
    "tensor-functions": _strings,
    "ignore-attributes": _strings,
    "python": _path,
}
