"""``--why``: what it takes, and what it prints."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.cli.outcome import CLEAN
from regbuf_lint.report.explained import render_explanations
from regbuf_lint.report.style import Style
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from argparse import Namespace

    from regbuf_lint.cli.console import Console
    from regbuf_lint.source.nearest_settings import NearestSettings
    from regbuf_lint.source.text import SourceText

_LINE = re.compile(r"(?P<path>.+?)(?::cell (?P<cell>\d+))?:(?P<row>\d+)(?::\d+)?:?")


class Target(Struct, frozen=True):
    """What ``--why`` asks about.

    Attributes:
        path: the file.
        name: ``Class.attr``; empty where a line is asked about.
        row: the line; in a notebook one of the cell.
        cell: the cell of a notebook, 0 in other files.
    """

    path: str
    name: str = ""
    row: int = 0
    cell: int = 0


def parse_target(text: str) -> Target:
    """Read ``FILE:LINE``, ``FILE:cell N:LINE`` or ``FILE::Class.attr``; a column behind the line is passed over.

    Raises:
        ValueError: it is none of these.
    """
    path, colons, name = text.rpartition("::")
    if colons and path and all(part.isidentifier() for part in name.split(".")) and "." in name:
        return Target(path, name)
    match = _LINE.fullmatch(text)
    if colons or match is None or int(match["row"]) < 1:
        msg = f"expected FILE:LINE or FILE::Class.attr, not `{text}`"
        raise ValueError(msg)
    return Target(match["path"], row=int(match["row"]), cell=int(match["cell"] or 0))


def run_why(arguments: Namespace, nearest: NearestSettings, console: Console) -> int:
    """Print what is known of the attributes that are asked about and return the exit code.

    Raises:
        UsageError: there is no such file, class, attribute or line.
    """
    target: Target = arguments.why
    from regbuf_lint.engine.deep_stack import with_deep_stack  # noqa: PLC0415  start-up time
    from regbuf_lint.engine.explaining import NothingToExplainError, explain  # noqa: PLC0415

    try:
        source = read_source(Path(target.path))
        where = target.name or _row(target, source)
        settings = nearest.of_file(Path(target.path))
        found = with_deep_stack(partial(explain, Path(target.path), source, where, settings))
    except (SourceError, NothingToExplainError) as error:
        msg = f"--why: {target.path}: {error}"
        raise UsageError(msg) from None
    console.out(render_explanations(target.path, found, Style(console.wants_color(arguments.color))))
    return CLEAN


def _row(target: Target, source: SourceText) -> int:
    """Return the row of the text that is meant.

    Raises:
        SourceError: it is in another kind of file, or there is no such cell.
    """
    if not source.cells:
        if target.cell:
            msg = "cells are in notebooks only"
            raise SourceError(msg)
        return target.row
    if not target.cell:
        msg = "a line of a notebook is FILE:cell NUMBER:LINE"
        raise SourceError(msg)
    row = source.row_of(target.cell, target.row)
    if row is None:
        msg = f"no line {target.row} in a code cell {target.cell}"
        raise SourceError(msg)
    return row
