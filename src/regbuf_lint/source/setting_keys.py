"""The keys of the configuration table: what each takes and means; reading it and its JSON schema rest on this alone."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from regbuf_lint.model.settings import AttributePersistence, BufferStyle, PerFileIgnore, Persistence
from regbuf_lint.source.errors import SettingsError
from regbuf_lint.source.gitignore import compile_patterns
from regbuf_lint.source.suggestions import did_you_mean
from regbuf_lint.source.toml_files import EXTEND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_E = TypeVar("_E", bound=Enum)
_WIDEST = 1000


class Key(Struct, frozen=True):
    """A key of the table.

    Attributes:
        convert: gives the value as settings have it; it is told where the value stands, for messages.
        schema: what JSON schema says of the value.
        meaning: what it is for, for people.
    """

    convert: Callable[[object, str], Any]
    schema: Mapping[str, Any]
    meaning: str


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
        hint = did_you_mean(value, choices) if isinstance(value, str) else ""
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


_STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_CODES: dict[str, Any] = {"type": "array", "items": {"$ref": "#/definitions/code"}}
_BOOLEAN: dict[str, Any] = {"type": "boolean"}
_PATH: dict[str, Any] = {"type": "string", "minLength": 1}


def _one_of(kind: type[Enum]) -> dict[str, Any]:
    return {"enum": _choices(kind)}


def _table_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": schema}


_LAYOUT = {"type": "integer", "minimum": 1, "maximum": _WIDEST}
KEYS: dict[str, Key] = {
    EXTEND: Key(_path, _PATH, "another configuration file, relative to this one, whose keys count beside these"),
    "select": Key(_codes, _CODES, "codes or prefixes to run, or ALL"),
    "extend-select": Key(_codes, _CODES, "codes or prefixes to run beside those"),
    "ignore": Key(_codes, _CODES, "codes or prefixes not to run; the longer of two matching prefixes wins"),
    "extend-ignore": Key(_codes, _CODES, "the same as ignore"),
    "fixable": Key(_codes, _CODES, "codes or prefixes whose fixes are applied"),
    "unfixable": Key(_codes, _CODES, "codes or prefixes whose fixes are only shown"),
    "per-file-ignores": Key(
        _per_file_ignores, _table_of(_CODES), "gitignore-style patterns of files with codes that are not reported there"
    ),
    "exclude": Key(_patterns, _STRINGS, "gitignore-style patterns of paths that are not read"),
    "extend-exclude": Key(_patterns, _STRINGS, "patterns beside those"),
    "respect-gitignore": Key(_boolean, _BOOLEAN, "leave out what git ignores"),
    "force-exclude": Key(_boolean, _BOOLEAN, "exclude also covers paths that are named on the command line"),
    "persistent": Key(_enum(Persistence), _one_of(Persistence), "what fixes write for persistent"),
    "per-attribute-persistent": Key(
        _per_attribute_persistent,
        _table_of(_one_of(Persistence)),
        "patterns of attr or Class.attr with what fixes write for persistent there",
    ),
    "buffer-style": Key(_enum(BufferStyle), _one_of(BufferStyle), "how fixes register a buffer"),
    "annotate": Key(_boolean, _BOOLEAN, "fixes that register a buffer by a call add x: Tensor to its class"),
    "line-length": Key(_line_length, _LAYOUT, "width to which fixes are laid out"),
    "module-classes": Key(_strings, _STRINGS, "dotted names of classes that are to be taken for nn.Module classes"),
    "tensor-functions": Key(_strings, _STRINGS, "dotted names of functions that return a tensor"),
    "ignore-attributes": Key(_strings, _STRINGS, "patterns of attr or Class.attr that are not reported"),
    "python": Key(_path, _PATH, "interpreter or environment with the packages that the project runs with"),
}
