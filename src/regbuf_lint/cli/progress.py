"""What a person sees while files are checked: findings as soon as they are known, and how far the run is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from regbuf_lint.cli.reporting import is_streamed, print_part
from regbuf_lint.model.result import RunResult

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from typing_extensions import Self

    from regbuf_lint.cli.console import Console
    from regbuf_lint.model.result import FileResult

_FIRST_AFTER = 1.0
"""Seconds after which a run says how far it is: shorter ones are done before anybody reads it."""
_NEXT_AFTER = 0.1
"""Seconds between two lines."""
_BAR = 30
"""Columns of the bar."""
_ERASED = "\r\033[K"


class Progress:
    """Prints the findings of files, where that can be done before all are known, and a bar that says how far it is.

    The bar stands on a terminal alone, is written over, and is gone at the end.

    Args:
        arguments: the command line.
        console: where to print.
        total: number of files.
        kept: gives what is to be printed of the result of a file.
    """

    def __init__(
        self, arguments: Namespace, console: Console, total: int, kept: Callable[[FileResult], FileResult]
    ) -> None:
        self._arguments = arguments
        self._console = console
        self._total = total
        self._kept = kept
        self._streams = is_streamed(arguments)
        self._shows = console.is_watched() and not arguments.quiet
        self._next = time.monotonic() + _FIRST_AFTER
        self._done = 0
        self._is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._erase()

    def tell(self, file: FileResult) -> None:
        """A file is checked."""
        self._done += 1
        if self._streams and ((kept := self._kept(file)).findings or kept.errors):
            self._erase()
            print_part(RunResult((kept,)), self._arguments, self._console)
        if self._shows and (now := time.monotonic()) >= self._next:
            self._next = now + _NEXT_AFTER
            self._is_shown = True
            filled = _BAR * self._done // self._total
            bar = "#" * filled + "-" * (_BAR - filled)
            self._console.err(f"{_ERASED}[{bar}] {self._done} of {self._total} files", again="")

    def _erase(self) -> None:
        if self._is_shown:
            self._is_shown = False
            self._console.err(_ERASED, again="")
