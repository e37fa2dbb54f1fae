"""``--shard I/N`` and ``merge``: a run in several parts, and one report of theirs."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from regbuf_lint.cli.errors import UsageError
from regbuf_lint.cli.outcome import CLEAN, FAILURE, FINDINGS
from regbuf_lint.cli.reporting import write_file
from regbuf_lint.source.errors import os_error_text

if TYPE_CHECKING:
    from argparse import Namespace

    from regbuf_lint.cli.console import Console
    from regbuf_lint.source.discovery import Discovery


class Shard(Struct, frozen=True):
    """A part of the files of a run.

    A file's path in its project alone says in which part it is: other files, their sizes, the machine and the place of
    the project on it do not.

    Attributes:
        number: which part, from 1.
        total: how many there are.
    """

    number: int
    total: int

    def __str__(self) -> str:
        """As reports name it."""
        return f"{self.number}/{self.total}"

    def holds(self, path: str) -> bool:
        """Whether a path in its project is in this part."""
        digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % self.total == self.number - 1

    def part_of(self, discovery: Discovery) -> Discovery:
        """Return what this part has to read, and the errors that it has to tell."""
        return replace(
            discovery,
            files=tuple(path for path in discovery.files if self.holds(_in_project(path, discovery))),
            errors=tuple(one for one in discovery.errors if self.holds(_in_project(Path(one.path), discovery))),
        )


def _in_project(path: Path, discovery: Discovery) -> str:
    """A path relative to the root of the project whose settings hold for it."""
    return Path(os.path.relpath(path, discovery.settings.of(path).root)).as_posix()


def parse_shard(text: str) -> Shard:
    """Read ``I/N``.

    Raises:
        ValueError: it is something else, or there is no such part.
    """
    number, _, total = text.partition("/")
    if not (number.isdecimal() and total.isdecimal() and 1 <= int(number) <= int(total)):
        msg = f"expected I/N with I from 1 to N, not `{text}`"
        raise ValueError(msg)
    return Shard(int(number), int(total))


def run_merge(arguments: Namespace, console: Console) -> int:
    """Print the report of all parts and return the exit code that the whole run would have had.

    Raises:
        UsageError: a part cannot be read, or is no report that can be merged.
    """
    from regbuf_lint.report.merging import UnmergeableError, merged  # noqa: PLC0415  start-up time

    if arguments.paths == ["."]:
        msg = "merge needs the reports of the shards"
        raise UsageError(msg)
    twice = next((name for name in arguments.paths if arguments.paths.count(name) > 1), None)
    if twice is not None:
        msg = f"merge: {twice} is named twice"
        raise UsageError(msg)
    try:
        text, has_findings, has_errors = merged({name: _text(Path(name)) for name in arguments.paths})
    except UnmergeableError as error:
        msg = f"merge: {error}"
        raise UsageError(msg) from None
    if arguments.output_file is not None:
        write_file(Path(arguments.output_file), text, "--output-file")
    else:
        console.out(text)
    if has_errors:
        return FAILURE
    return FINDINGS if has_findings and not arguments.exit_zero else CLEAN


def _text(path: Path) -> str:
    """Return what a part holds.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        msg = f"merge: {path.as_posix()}: {os_error_text(error)}"
        raise UsageError(msg) from error
