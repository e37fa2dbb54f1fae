"""The process ``regbuf-lint``: it runs once and ends, so that nothing is tidied up in it."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn


def run() -> NoReturn:
    """Run the linter with the arguments of the process, and end the process with its exit code.

    Looking for cycles of objects, and giving up all objects at the end, would take as long as checking a file does.

    Raises:
        SystemExit: after ``--help``.
    """
    gc.disable()
    from regbuf_lint.cli.main import main  # noqa: PLC0415  what it imports makes many objects, too

    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)
