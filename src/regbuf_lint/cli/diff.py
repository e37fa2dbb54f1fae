"""Unified diffs that ``git apply`` and ``patch -p1`` take, and for notebooks diffs of their cells, to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.source.text import SourceText

_NO_NEWLINE = b"\\ No newline at end of file\n"
_ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"}


def unified_diff(before: SourceText, after: SourceText, name: str) -> bytes:
    """Return what changes between two texts of one file, in the file's own bytes; of a notebook cell by cell.

    Args:
        before: the file as it is.
        after: the file as it would be.
        name: its path relative to the working directory.
    """
    from difflib import diff_bytes, unified_diff  # noqa: PLC0415  start-up time
    from os import fsencode  # noqa: PLC0415

    diffs: list[bytes] = []
    for (cell, old), (_, new) in zip(before.pieces(), after.pieces(), strict=True):
        names = (fsencode(name + cell),) * 2 if cell else (_header_name("a", name), _header_name("b", name))
        diffs.extend(_terminated(diff_bytes(unified_diff, _lines(old), _lines(new), *names)))
    return b"".join(diffs)


def _lines(data: bytes) -> list[bytes]:
    r"""Split as git does: at ``\n`` alone."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _terminated(rows: Iterator[bytes]) -> Iterator[bytes]:
    for row in rows:
        yield row
        if not row.endswith(b"\n"):
            yield b"\n" + _NO_NEWLINE


def _header_name(side: str, name: str) -> bytes:
    """Return a name as git writes it: quoted if it holds special characters, ended by a tab if it holds spaces."""
    from os import fsencode  # noqa: PLC0415

    shown = f"{side}/{name.lstrip('/')}"
    quoted = shown.translate(_ESCAPES)
    if quoted != shown:
        return fsencode(f'"{quoted}"')
    return fsencode(shown + "\t" if " " in shown else shown)
