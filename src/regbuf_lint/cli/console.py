"""Writing to the terminal: encodings that lack a character and readers that have gone do no harm."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable


class Console:
    """Standard output and standard error of one run."""

    def out(self, text: str) -> None:
        """Write text to standard output."""
        _write(sys.stdout, text)

    def out_bytes(self, data: bytes) -> None:
        """Write bytes to standard output as they are, for text that a program reads."""
        stream = sys.stdout
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            _write(stream, data.decode("utf-8", "replace"))
            return

        def write() -> None:
            stream.flush()
            buffer.write(data)
            buffer.flush()

        _guard(stream, write)

    def err(self, text: str) -> None:
        """Write text to standard error."""
        _write(sys.stderr, text)

    def note(self, kind: str, message: str) -> None:
        """Write a line ``regbuf-lint: kind: message`` to standard error."""
        self.err(f"regbuf-lint: {kind}: {message}\n")

    @staticmethod
    def wants_color(choice: str) -> bool:
        """Whether standard output is to be coloured, for a choice of ``auto``, ``always`` or ``never``."""
        if choice != "auto":
            return choice == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR"):
            return True
        return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _write(stream: TextIO, text: str) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)

    def write() -> None:
        stream.write(text)
        stream.flush()

    _guard(stream, write)


def _guard(stream: TextIO, write: Callable[[], None]) -> None:
    """Write; where the reader has gone, let everything further go nowhere."""
    try:
        write()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
