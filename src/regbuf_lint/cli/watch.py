"""``--watch``: checking again whenever a file has changed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cli.given_settings import nearest_settings
from regbuf_lint.cli.outcome import CLEAN
from regbuf_lint.source.discovery import discover
from regbuf_lint.source.errors import SettingsError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from regbuf_lint.cli.console import Console

OPTION = "--watch"
_LEAST_PAUSE = 0.5
_PAUSE_PER_LOOK = 5
"""Looking at the files takes at most a sixth of the time."""


def run_watch(arguments: Namespace, console: Console) -> int:
    """Check, wait for a change, and check again until Ctrl-C, which is the way to end it.

    Each run is a process of its own, as if it were started by hand; the cache makes it short.
    """
    command = [sys.executable, "-m", "regbuf_lint", *_without_option(arguments.given)]
    seen: dict[str, object] | None = None
    gc.enable()
    try:
        while True:
            started = time.monotonic()
            now = dict(_states(arguments))
            if now != seen:
                seen = now
                subprocess.run(command, check=False)  # noqa: S603  our own command line
                console.note("note", "waiting for changes; Ctrl-C ends")
                started = time.monotonic()
            time.sleep(max(_LEAST_PAUSE, _PAUSE_PER_LOOK * (time.monotonic() - started)))
    except KeyboardInterrupt:
        return CLEAN


def _without_option(given: list[str]) -> list[str]:
    place = given.index(OPTION)
    return given[:place] + given[place + 1 :]


def _states(arguments: Namespace) -> Iterator[tuple[str, object]]:
    """The files that a run reads by what the system says of them, and the settings of each."""
    nearest = nearest_settings(arguments)
    try:
        discovery = discover([Path(name) for name in arguments.paths], nearest.of)
    except SettingsError as error:
        yield "", str(error)
        return
    for path in discovery.files:
        try:
            state = os.stat(path)  # noqa: PTH116  ten thousand times, and Path's own is slower
        except OSError:
            continue
        yield str(path), (state.st_mtime_ns, state.st_size, discovery.settings.of(path))
