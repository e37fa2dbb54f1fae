"""Checking all files again and again, until a look at them leaves nothing to fix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.engine.fixing import MOST_ROUNDS
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.overlay import Overlay
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from regbuf_lint.model.result import FileResult, FixedFile


def until_stable(check: Callable[[Overlay], Sequence[FileResult]]) -> list[FileResult]:
    """Fix files until a look at all of them changes none.

    What is found in a file may depend on any other one: on bases and helpers, on subclasses, on who calls it and who
    reads its attributes. So each round looks at all files as the round before has left them.

    Args:
        check: checks all files, each beside the others as the overlay has them, and fixes each by itself in memory;
            it gives the results in the same order at each time.
    """
    overlay = Overlay()
    last = check(overlay)
    results = list(last)
    for _ in range(MOST_ROUNDS):
        changed = {path: data for file in last for path, data in _change(file)}
        if not changed:
            return results
        overlay = overlay.with_files(changed)
        last = check(overlay)
        results = [_joined(before, now) for before, now in zip(results, last, strict=True)]
    return [_unfinished(file) if any(_change(now)) else file for file, now in zip(results, last, strict=True)]


def _change(file: FileResult) -> Iterator[tuple[Path, bytes]]:
    """The file's path and new content, if a check changed it."""
    fixed = file.fixed
    if fixed is None or fixed.after == fixed.before:
        return
    path = Path(fixed.path)
    try:
        yield path, read_source(path).encode(fixed.after)
    except SourceError:  # no longer what it was: the next look at it tells
        return


def _joined(before: FileResult, now: FileResult) -> FileResult:
    """What a check gives for a file that earlier rounds may have fixed."""
    return replace(now, fixed=_joined_fixes(before.fixed, now.fixed))


def _joined_fixes(before: FixedFile | None, now: FixedFile | None) -> FixedFile | None:
    if before is None:
        return now
    if now is None:
        return replace(before, dropped=(), rounds=0) if before.after != before.before else None
    return replace(now, before=before.before, applied=(*before.applied, *now.applied))


def _unfinished(file: FileResult) -> FileResult:
    fixed = file.fixed
    return file if fixed is None else replace(file, fixed=replace(fixed, rounds=MOST_ROUNDS))
