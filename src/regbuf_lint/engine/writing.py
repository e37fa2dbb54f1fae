"""Putting fixed texts in the place of files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from regbuf_lint.model.result import FileError, FileResult
from regbuf_lint.source.atomic_write import write_atomically
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import read_source


def write_fixed(result: FileResult) -> FileResult:
    """Put the fixed text in place of the file, unless the file has changed meanwhile.

    Args:
        result: what a fix run made of a file.
    """
    fixed = result.fixed
    if fixed is None or fixed.after == fixed.before:
        return result
    try:
        source = read_source(Path(fixed.path))
        if source.text != fixed.before:
            return _failed(result, "changed on disk since it was read; not written")
        write_atomically(Path(fixed.path), source.encode(fixed.after), source.data)
    except SourceError as error:
        return _failed(result, str(error))
    return replace(result, fixed=replace(fixed, written=True))


def _failed(result: FileResult, message: str) -> FileResult:
    return replace(result, fixed=None, errors=(*result.errors, FileError(result.path, message)))
