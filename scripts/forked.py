"""Run code that builds other people's objects in a process that cannot harm this one."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def rows_of_child(work: Callable[[], Iterator[dict[str, Any]]], seconds: int) -> list[dict[str, Any]]:
    """Return what a function yields in a process of its own, as far as it gets within a limit of time.

    Args:
        work: yields what JSON can hold; where it raises, a last row with ``error`` says what.
        seconds: after which the process is ended.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as rows:  # a pipe would stay open with what the code starts
        child = os.fork()
        if not child:
            _write(work, rows, seconds)
        os.waitpid(child, 0)
        rows.seek(0)
        return [json.loads(row) for row in rows if row.endswith("\n")]  # what is ended may leave half a row


def _write(work: Callable[[], Iterator[dict[str, Any]]], rows: TextIO, seconds: int) -> NoReturn:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    signal.alarm(seconds)
    try:
        for row in work():
            print(json.dumps(row), file=rows, flush=True)
    except BaseException as failure:  # noqa: BLE001  also what exits
        print(json.dumps({"error": f"{type(failure).__name__}: {failure}"[:200]}), file=rows, flush=True)
    os._exit(0)
