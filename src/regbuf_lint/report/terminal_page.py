"""A page of Markdown as it looks on a terminal: of Markdown there is what the pages of rules use."""

from __future__ import annotations

import re
from textwrap import TextWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.report.style import Style

_FENCE = "```"
_HEADING = re.compile(r"#+ ")
_ITEM = re.compile(r" *- ")
_CODE = re.compile(r"`([^`]+)`")
_BULLET = "• "
_NO_BREAK = "\N{NO-BREAK SPACE}"
"""Stands for spaces within code while lines are broken, so that it stays in one line where it can."""


def terminal_page(page: str, width: int, style: Style) -> str:
    """Return a page without the signs of Markdown: headings in bold, code in cyan, lines as long as the terminal."""
    return "".join(f"{line}\n" for line in _lines(page, width, style))


def _lines(page: str, width: int, style: Style) -> Iterator[str]:
    in_code = False
    for line in page.splitlines():
        if line.startswith(_FENCE):
            in_code = not in_code
        elif in_code:
            yield f"    {style.cyan(line)}" if line else ""
        elif heading := _HEADING.match(line):
            yield style.bold(line[heading.end() :])
        else:
            yield from _wrapped(line, width, style) if line else [""]


def _wrapped(line: str, width: int, style: Style) -> Iterator[str]:
    """A paragraph or an item of a list, broken into lines."""
    item = _ITEM.match(line)
    start = " " * line.index("-") + _BULLET if item else ""
    text = _CODE.sub(lambda code: code[0].replace(" ", _NO_BREAK), line[item.end() :] if item else line)
    wrapper = TextWrapper(
        width, initial_indent=start, subsequent_indent=" " * len(start), break_on_hyphens=False, break_long_words=False
    )
    kept = "\n".join(wrapper.wrap(text)).replace(_NO_BREAK, " ")
    yield from _CODE.sub(lambda code: style.cyan(code[1]), kept).split("\n")
