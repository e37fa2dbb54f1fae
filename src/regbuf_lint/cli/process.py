"""The process ``regbuf-lint``: it runs once and ends, so that nothing is tidied up in it."""

from __future__ import annotations

import gc
import os
import sys

from regbuf_lint.cache.replay import OUT, replay

TYPE_CHECKING = False  # type checkers take it for the one of `typing`, which takes longer to import than all else here

if TYPE_CHECKING:
    from typing import NoReturn


def run() -> NoReturn:
    """Run the linter with the arguments of the process, and end the process with its exit code.

    Looking for cycles of objects, and giving up all objects at the end, would take as long as checking a file does.

    Raises:
        SystemExit: after ``--help``.
    """
    gc.disable()
    code = print_again(sys.argv[1:])
    if code is None:
        from regbuf_lint.cli.main import main  # noqa: PLC0415  what it imports makes many objects, too

        code = main()
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105  contextlib takes longer to import than all else here
            stream.flush()
        except OSError:  # noqa: PERF203
            pass
    os._exit(code)


def print_again(argv: list[str]) -> int | None:
    """Print what an earlier run has printed that saw the same, and return the exit code; None where there was none."""
    found = replay(argv)
    if found is None:
        return None
    from regbuf_lint.cli.console import Console  # noqa: PLC0415  start-up time

    code, printed = found
    console = Console()
    for stream, text in printed:
        (console.out if stream == OUT else console.err)(text)
    return console.exit_code(code)
