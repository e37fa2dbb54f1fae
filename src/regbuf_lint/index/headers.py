"""Which files derive from a class or call it, and which methods they call, as far as can be told without parsing."""

from __future__ import annotations

import os
import re
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from regbuf_lint.source.overlay import Overlay

# Not anchored to the start of the row, since a pattern that starts with a literal is ten times faster.
_HEADER = re.compile(rb"class[ \t]+[\w\x80-\xff]+[ \t]*(?:\[[^\]]*\])?\(([^)]*)\)")
_FIRST_PARAMETER = re.compile(rb"def[ \t]+[\w\x80-\xff]+[ \t]*\(\s*([\w\x80-\xff]+)")
_CALL = re.compile(rb"\b([\w\x80-\xff]+|super\([^)]*\))\.([\w\x80-\xff]+)\(")
_CALLED_CLASS = re.compile(rb"([A-Z\x80-\xff][\w\x80-\xff]*)\(")
_WORD = re.compile(rb"[\w\x80-\xff]+")


class Headers:
    """The answers of this file's functions, each found once and kept.

    Args:
        overlay: files that are others than on the disk.

    Attributes:
        files_by_base: see the function of that name.
        files_by_called_class: see the function of that name.
        files_with: see the function of that name.
        calls_on_self: see the function of that name.
    """

    def __init__(self, overlay: Overlay) -> None:
        self.files_by_base = cache(partial(files_by_base, overlay))
        self.files_by_called_class = cache(partial(files_by_called_class, overlay))
        self.files_with = cache(partial(files_with, overlay))
        self.calls_on_self = cache(partial(calls_on_self, overlay))


def files_by_base(overlay: Overlay, directory: Path) -> dict[str, tuple[Path, ...]]:
    """For each word in the bases of a class statement, the files below a directory that hold it, sorted."""
    return _files_by(overlay, _python_files(directory), _words_of_bases)


def _words_of_bases(text: bytes) -> set[bytes]:
    return {word for bases in _HEADER.findall(text) for word in _WORD.findall(bases)}


def files_by_called_class(
    overlay: Overlay, directory: Path, skipped: Collection[str] = (), most: int | None = None
) -> dict[str, tuple[Path, ...]]:
    """For each capitalised name that is called, the files below a directory that call it, sorted.

    Args:
        overlay: files that are others than on the disk.
        directory: where to look.
        skipped: names of folders that are left aside.
        most: number of folders beyond which nothing is looked at, so that nobody's home is read.
    """
    return _files_by(overlay, _python_files(directory, skipped, most), lambda text: set(_CALLED_CLASS.findall(text)))


def _files_by(
    overlay: Overlay, paths: Iterable[Path], words_of: Callable[[bytes], set[bytes]]
) -> dict[str, tuple[Path, ...]]:
    found: dict[bytes, list[Path]] = {}
    for path in paths:
        for word in words_of(_bytes(overlay, path)):
            found.setdefault(word, []).append(path)
    return {word.decode(errors="replace"): tuple(paths) for word, paths in found.items()}


def files_with(overlay: Overlay, directory: Path, text: bytes) -> tuple[Path, ...]:
    """The files below a directory that hold a text, and not only as the start of a longer word, sorted."""
    end = rb"(?![\w\x80-\xff])" if _WORD.fullmatch(text[-1:]) else b""
    whole = re.compile(re.escape(text) + end)
    return tuple(path for path in _python_files(directory) if whole.search(_bytes(overlay, path)))


def _bytes(overlay: Overlay, path: Path) -> bytes:
    try:
        return overlay.read_bytes(path)
    except OSError:
        return b""


def _python_files(directory: Path, skipped: Collection[str] = (), most: int | None = None) -> list[Path]:
    found: list[Path] = []
    # Several times faster than ``Path.rglob``.
    for number, (folder, below, names) in enumerate(os.walk(directory), start=1):
        if most is not None and number > most:
            return []
        below[:] = [name for name in below if name not in skipped]
        here = Path(folder)
        found.extend(here / name for name in names if name.endswith(".py"))
    return sorted(found)


def calls_on_self(overlay: Overlay, path: Path) -> frozenset[str]:
    """Names of the methods that a file calls on ``super()``, or on what one of its functions takes first (``self``)."""
    text = _bytes(overlay, path)
    receivers = {b"self", *_FIRST_PARAMETER.findall(text)}
    called = (name for owner, name in _CALL.findall(text) if owner in receivers or owner.startswith(b"super("))
    return frozenset(name.decode(errors="replace") for name in called)
