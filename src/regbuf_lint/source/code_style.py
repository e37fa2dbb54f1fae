"""How the tool that formats a project lays out its lines and quotes its strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from regbuf_lint.model.settings import Brackets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from regbuf_lint.source.project_tools import ProjectTools

DEFAULT_LENGTH = 88
_LONGEST_LIMIT = 120
"""A linter that allows longer lines than this does not ask for them."""

_GAP = r"[\s=:,\"'{\[\]-]*"
"""What may stand between an option and its value, on a command line and in YAML."""
_LENGTH = rf"(?<![\w-])(?:--line-length|-l){_GAP}(\d+)"
_KEEPS_STRINGS = r"(?<![\w-])(--skip-string-normalization|-S)(?![\w-])"
_QUOTE_STYLE = rf"quote-style{_GAP}(single|double|preserve)"
"""As an option, or as a setting that ``--config`` gives."""
_CONFIG = rf"(?<![\w-])--config{_GAP}([\w./-]+)"
_COLUMN_LIMIT = rf"(?:column_limit){_GAP}(\d+)"
_BASED_ON = rf"(?:--style){_GAP}(?:based_on_style{_GAP})?(\w+)"
_LIMIT = rf"(?m)^(?!.*--exit-zero).*--max-line-length{_GAP}(\d+)"
"""Of a run that fails for longer lines; GitHub's template for Python has another one, which only counts."""
_LIMIT_SECTIONS = ("flake8", "pycodestyle", "pep8")
_LIMIT_FILES = ("setup.cfg", "tox.ini", ".flake8", ".pycodestyle")
_RUFF_FILES = (".ruff.toml", "ruff.toml")
_YAPF_FILE = ".style.yapf"
STYLE_FILES = (*_LIMIT_FILES, *_RUFF_FILES, _YAPF_FILE)
"""Files with settings of formatters, and with limits that lines have to keep."""
_YAPF_LENGTHS = {"pep8": 79, "google": 80, "yapf": 80, "chromium": 80, "facebook": 80}
_QUOTES = {"single": "'", "preserve": ""}


class CodeStyle(Struct, frozen=True):
    """What new text looks like.

    Attributes:
        line_length: columns of a line; 0 where each file has its own.
        quote: quotation mark of strings; empty where each file has its own.
        brackets: how what does not fit on a line is split at its brackets.
    """

    line_length: int = DEFAULT_LENGTH
    quote: str = ""
    brackets: Brackets = Brackets.DEDENTED


def code_style(tools: ProjectTools) -> CodeStyle:
    """The style of a project.

    The formatter counts for which most speaks: pre-commit runs it, a command runs it, it has settings; where that is
    even, the first of these. Where none formats, the line length of ruff's settings counts, else the limit of flake8,
    else that of each file.
    """
    settings = {
        "ruff format": tools.toml("ruff", *_RUFF_FILES, config=tools.argument("ruff format", _CONFIG)),
        "black": tools.toml("black", config=tools.argument("black", _CONFIG)),
        "yapf": _yapf_settings(tools),
    }
    ruff = settings["ruff format"] or {}
    has_settings = {tool for tool, table in settings.items() if table is not None}
    if "format" not in ruff and "ruff format" not in {*tools.hooks, *tools.commands}:  # it lints alone
        has_settings.discard("ruff format")
    signs = {tool: [tool in one for one in (tools.hooks, tools.commands, has_settings)] for tool in _STYLES}
    tool = max(_STYLES, key=lambda tool: (sum(signs[tool]), signs[tool]))
    if any(signs[tool]):
        return _STYLES[tool](tools, settings[tool] or {})
    return CodeStyle(_number(ruff.get("line-length")) or _limit(tools) or 0)


def _ruff(tools: ProjectTools, table: Mapping[str, Any]) -> CodeStyle:
    format_table = table.get("format")
    in_table = format_table.get("quote-style") if isinstance(format_table, dict) else None
    quotes = tools.argument("ruff format", _QUOTE_STYLE) or in_table
    length = _number(tools.argument("ruff format", _LENGTH)) or _number(table.get("line-length"))
    return CodeStyle(length or DEFAULT_LENGTH, _QUOTES.get(str(quotes), '"'))


def _black(tools: ProjectTools, table: Mapping[str, Any]) -> CodeStyle:
    table = {key.replace("_", "-"): value for key, value in table.items()}
    length = _number(tools.argument("black", _LENGTH)) or _number(table.get("line-length"))
    keeps_quotes = table.get("skip-string-normalization") is True or tools.argument("black", _KEEPS_STRINGS)
    return CodeStyle(length or DEFAULT_LENGTH, "" if keeps_quotes else '"')


def _yapf(tools: ProjectTools, table: Mapping[str, Any]) -> CodeStyle:
    based_on = tools.argument("yapf", _BASED_ON) or str(table.get("based_on_style")).strip()
    length = _number(tools.argument("yapf", _COLUMN_LIMIT)) or _number(table.get("column_limit"))
    dedents = str(table.get("dedent_closing_brackets", based_on.lower() == "facebook")).lower() == "true"
    hangs = str(table.get("split_before_expression_after_opening_paren")).lower() == "true"
    brackets = Brackets.DEDENTED if dedents else Brackets.HANGING if hangs else Brackets.ALIGNED
    return CodeStyle(length or _YAPF_LENGTHS.get(based_on.lower(), _YAPF_LENGTHS["pep8"]), brackets=brackets)


def _yapf_settings(tools: ProjectTools) -> Mapping[str, Any] | None:
    for section, file in (("style", _YAPF_FILE), ("yapf", "setup.cfg")):
        found = tools.ini(section, file)
        if found is not None:
            return found
    return tools.toml("yapf")


def _limit(tools: ProjectTools) -> int | None:
    """The length of lines that flake8 or pycodestyle allows."""
    sections = (tools.ini(section, *_LIMIT_FILES) for section in _LIMIT_SECTIONS)
    written = [tools.argument("flake8", _LIMIT), (tools.toml("flake8") or {}).get("max-line-length")]
    for section in sections:
        written += [section.get(key) for key in ("max-line-length", "max_line_length")] if section is not None else []
    found = next((length for value in written if (length := _number(value)) is not None), None)
    return None if found is None else min(found, _LONGEST_LIMIT)


def _number(value: object) -> int | None:
    """The number that a setting holds, as TOML or an INI file gives it."""
    text = str(value).strip() if not isinstance(value, bool) else ""
    return int(text) if text.isdecimal() and int(text) > 0 else None


_STYLES: Mapping[str, Callable[[ProjectTools, Mapping[str, Any]], CodeStyle]] = {
    "ruff format": _ruff,
    "black": _black,
    "yapf": _yapf,
}
"""The formatters, in the order in which they count."""
