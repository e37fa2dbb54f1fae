"""Where a statement stands, as far as its new text depends on it; known without libcst."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.model.settings import Brackets

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.rewrite.style import TextStyle
    from regbuf_lint.source.text import SourceText

TAB = 4
"""Columns of a tab, as ruff counts them."""

_UNLIMITED = 100_000
_PRAGMAS = ("noqa", "type:", "pyright:", "pylint:", "nosec", "mypy:", "ruff:")
_FURTHER_PRAGMAS = (
    *("codespell", "flake8:", "fmt:", "isort:", "lint", "nolint", "nopep8", "nosemgrep", "nosonar", "pragma"),
    *("pyre-", "pyrefly:", "ty:", "yapf:"),
)
"""What formatters do not know as such, and count in the width of a line."""

_SKIP = re.compile(r"#\s*(?:fmt:\s*skip|yapf:\s*disable)\b")
_SWITCH = re.compile(
    r"^(?P<indent>[^\S\r\n]*)#[^\S\r\n]*(?:(?P<on>fmt:\s*on|yapf:\s*enable)|fmt:\s*off|yapf:\s*disable)\b", re.MULTILINE
)


class Place(Struct, frozen=True):
    """Where a statement is laid out.

    Attributes:
        indent: white space before it.
        unit: white space of one further level.
        width: number of columns that a line may have.
        behind: number of columns of what follows it on its last line (a comment).
        newline: line end of the file.
        alone: whether nothing but a comment shares its lines.
        brackets: how what does not fit on a line is split at its brackets.
        as_written: whether a comment keeps formatters from it, so that line breaks stay where they are.
        comment: what speaks of the last line of a value, and stays behind it where that keeps its line breaks.
    """

    indent: str
    unit: str
    width: int
    behind: int = 0
    newline: str = "\n"
    alone: bool = True
    brackets: Brackets = Brackets.DEDENTED
    as_written: bool = False
    comment: str = ""

    def deeper(self) -> Place:
        """One level further in; what follows the statement does not follow this line, but a comma does."""
        return replace(self, indent=self.indent + self.unit, behind=1)

    def fits(self, text: str) -> bool:
        """Whether each line of a text that starts at the indentation ends within the width."""
        first, *more = text.splitlines() or [""]
        lines = [" " * columns(self.indent) + first, *more]
        lines[-1] += " " * self.behind
        return all(columns(line) <= self.width for line in lines)

    def of(self, index: int, number: int) -> Place:
        """Where one of several statements is laid out that ``joined`` puts here; what follows them follows the last."""
        return replace(self, behind=0) if self.alone and index < number - 1 else self

    def joined(self, statements: list[str]) -> str:
        """Several statements in the place of one."""
        return (f"{self.newline}{self.indent}" if self.alone else "; ").join(statements)


def columns(text: str) -> int:
    """Width of a piece of a line."""
    return len(text.replace("\t", " " * TAB))


def place_of(source: SourceText, span: Span, style: TextStyle) -> Place:
    """Where a statement stands; one behind a ``;`` or a ``:`` on the same line must stay on its line."""
    before = source.line(span.start.row)[: span.start.column - 1]
    behind = source.line(span.end.row)[span.end.column - 1 :]
    comment = behind.strip()
    alone = not before.strip() and (not comment or comment.startswith("#"))
    indent = before[: len(before) - len(before.lstrip())]
    width = style.width if alone else _UNLIMITED
    as_written = _is_kept_from_formatters(source, span, behind)
    return Place(indent, style.unit, width, _columns_of(behind), source.newline, alone, style.brackets, as_written)


def _is_kept_from_formatters(source: SourceText, span: Span, behind: str) -> bool:
    """Whether ``# fmt: off`` or the like stands above a statement, or ``# fmt: skip`` among its lines or behind it."""
    if _SKIP.search(source.slice(span) + behind) is not None:
        return True
    start = source.offset(span.start)
    last = next((one for one in reversed(_switches(source.text)) if one.start() < start), None)
    return last is not None and last["on"] is None and len(last["indent"]) <= len(source.indent(span.start.row))


@lru_cache(maxsize=8)
def _switches(text: str) -> tuple[re.Match[str], ...]:
    """The comments of a file that keep formatters from what follows, in its block, and those that end this."""
    return tuple(_SWITCH.finditer(text))


def is_pragma(comment: str) -> bool:
    """Whether a comment speaks to a tool, which looks for it on the line of the code."""
    return comment.strip().lstrip("#").lstrip().lower().startswith(_PRAGMAS)


def speaks_to_tool(comment: str) -> bool:
    """Whether any part of a comment speaks to a tool, formatters included."""
    parts = (part.strip().lower() for part in comment.split("#")[1:])
    return any(part.startswith((*_PRAGMAS, *_FURTHER_PRAGMAS)) for part in parts)


def _columns_of(behind: str) -> int:
    return 0 if not behind.strip() or is_pragma(behind) else columns(behind.rstrip())
