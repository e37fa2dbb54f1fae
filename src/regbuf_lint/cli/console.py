"""Writing to the terminal: encodings that lack a character, readers that have gone and full disks do no harm."""

from __future__ import annotations

import os
import sys

from regbuf_lint.cache.replay import ERR, OUT
from regbuf_lint.cli.outcome import FAILURE, INTERRUPTED
from regbuf_lint.source.errors import os_error_text

TYPE_CHECKING = False  # type checkers take it for the one of `typing`, which takes longer to import than all else here

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO


class Console:
    """Standard output and standard error of one run.

    What cannot be written does not stop the run: other reports are written and files fixed nevertheless. What was
    closed before the run started is open to nowhere, so that no file is opened in its place.

    Attributes:
        printed: what a later run prints that sees the same, each text with its stream; what is written as bytes is
            not in it.
        failure: why standard output does not have all that was written; empty where it has. A reader that has gone
            wanted no more.
    """

    def __init__(self) -> None:
        self.failure = ""
        self.printed: list[tuple[str, str]] = []
        self._is_closed = sys.stdout is None
        if sys.stdout is None:
            sys.stdout = _nowhere()
        if sys.stderr is None:
            sys.stderr = _nowhere()

    def out(self, text: str, *, again: str | None = None) -> None:
        """Write text to standard output.

        Args:
            text: the text.
            again: what a later run prints that sees the same; the text where None.
        """
        self.printed.append((OUT, text if again is None else again))
        self._note(_write(sys.stdout, text), written=bool(text))

    def out_bytes(self, data: bytes) -> None:
        """Write bytes to standard output as they are, for text that a program reads."""
        stream = sys.stdout
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            self.out(data.decode("utf-8", "replace"))
            return

        def write() -> None:
            stream.flush()
            buffer.write(data)
            buffer.flush()

        self._note(_guard(stream, write), written=bool(data))

    def exit_code(self, code: int) -> int:
        """What a run ends with that would end with ``code``; where standard output lacks something, that is told."""
        if not self.failure:
            return code
        self.note("error", f"standard output: {self.failure}")
        return code if code == INTERRUPTED else FAILURE

    def flush(self) -> None:
        """Write what others have printed."""
        self._note(_write(sys.stdout, ""), written=True)

    def _note(self, failure: str, *, written: bool) -> None:
        if self._is_closed and written:
            failure = "closed"
        self.failure = self.failure or failure

    def err(self, text: str, *, again: str | None = None) -> None:
        """Write text to standard error; ``again`` as above."""
        self.printed.append((ERR, text if again is None else again))
        _write(sys.stderr, text)

    def note(self, kind: str, message: str) -> None:
        """Write a line ``regbuf-lint: kind: message`` to standard error."""
        self.err(f"regbuf-lint: {kind}: {message}\n")

    @staticmethod
    def is_terminal() -> bool:
        """Whether somebody reads standard output."""
        return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

    @staticmethod
    def is_watched() -> bool:
        """Whether somebody reads standard error."""
        return sys.stderr.isatty()

    @staticmethod
    def wants_color(choice: str) -> bool:
        """Whether standard output is to be coloured, for a choice of ``auto``, ``always`` or ``never``."""
        if choice != "auto":
            return choice == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR"):
            return True
        return Console.is_terminal()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  it stays open


def _write(stream: TextIO, text: str) -> str:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)

    def write() -> None:
        stream.write(text)
        stream.flush()

    return _guard(stream, write)


def _guard(stream: TextIO, write: Callable[[], None]) -> str:
    """Write; where that fails, let everything further go nowhere.

    Returns:
        Why it failed; empty where it did not, and where the reader has gone.
    """
    try:
        write()
    except OSError as error:
        _discard(stream)
        return "" if isinstance(error, BrokenPipeError) else os_error_text(error)
    return ""


def _discard(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
