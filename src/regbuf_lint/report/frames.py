"""Source frames: a line of the file with a caret line below the place that a finding is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regbuf_lint.model.span import Span
    from regbuf_lint.report.style import Style

_TAB = "    "
_LEFT_OF_SPAN = 160
_MOST_CHARACTERS = 240


def split_lines(text: str) -> list[str]:
    """Return the lines of a Python file, split where Python splits them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def frame(lines: list[str], span: Span, style: Style) -> list[str]:
    """Return the rows of a source frame.

    Args:
        lines: all lines of the file.
        span: what to underline; of one over several lines only the first line is shown, underlined to its end.
        style: colours.

    Returns:
        Rows without line ends; none where the file has no such line.
    """
    row = span.start.row
    if not 1 <= row <= len(lines):
        return []
    line = lines[row - 1]
    start = min(span.start.column - 1, len(line))
    end = span.end.column - 1 if span.end.row == row else len(line.rstrip())
    line, start, end = _clip(line, start, max(start, min(end, len(line))))
    cells = [_cell(character) for character in line]
    shown = "".join(text for text, _ in cells).rstrip()
    indent = sum(width for _, width in cells[:start])
    length = max(1, sum(width for _, width in cells[start:end]))
    number = str(row)
    bar = style.blue("|")
    gutter = " " * len(number)
    return [
        f"{gutter} {bar}",
        f"{style.blue(number)} {bar} {shown}".rstrip(),
        f"{gutter} {bar} {' ' * indent}{style.red('^' * length)}",
    ]


def _clip(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Cut a very long line down to the part around the span."""
    if len(line) <= _MOST_CHARACTERS:
        return line, start, end
    left = max(0, start - _LEFT_OF_SPAN) if start > _LEFT_OF_SPAN else 0
    right = left + _MOST_CHARACTERS
    before, after = "…" if left else "", "…" if right < len(line) else ""
    shift = len(before) - left
    return before + line[left:right] + after, start + shift, min(end, right) + shift


def _cell(character: str) -> tuple[str, int]:
    """Return what a terminal is to show for a character, and how many columns that takes."""
    if " " <= character <= "~":
        return character, 1
    if character == "\t":
        return _TAB, len(_TAB)
    import unicodedata  # noqa: PLC0415  only lines with characters beyond ASCII need it

    category = unicodedata.category(character)
    if category in {"Mn", "Me"}:
        return character, 0
    if category.startswith(("C", "Z")) and character != "\u3000":
        return " ", 1
    return character, 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
