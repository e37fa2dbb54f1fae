"""Putting fixed texts in the place of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.many_files import check_files
from regbuf_lint.model.result import FileError, FileResult, RunResult
from regbuf_lint.source.atomic_write import write_atomically
from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from regbuf_lint.model.file_settings import FileSettings


def write_all(result: RunResult, settings: FileSettings, jobs: int, named: Collection[Path] = ()) -> RunResult:
    """Put all fixed texts in place of their files, and look again at all files where that fails for one.

    Args:
        result: what a fix run found that wrote nothing.
        settings: the settings of each file.
        jobs: number of processes that check files.
        named: files that the user names.
    """
    files = [write_fixed(file) for file in result.files]
    if any(after.errors != before.errors for before, after in zip(result.files, files, strict=True)):
        files = as_on_disk(files, settings, jobs, named)
    return replace(result, files=tuple(files))


def as_on_disk(
    files: Sequence[FileResult], settings: FileSettings, jobs: int, named: Collection[Path] = ()
) -> list[FileResult]:
    """Check all files again: what was found in one may rest on the fixed text of one that was not written.

    Args:
        files: what was found and written, in the order of the files.
        settings: the settings of each file.
        jobs: number of processes.
        named: files that the user names.

    Returns:
        What is found now, with what was fixed and what went wrong before.
    """
    now = check_files([Path(file.path) for file in files], settings, jobs=jobs, fix=FixMode.NONE, named=named)
    return [
        replace(found, fixed=file.fixed, errors=tuple(dict.fromkeys((*file.errors, *found.errors))))
        for file, found in zip(files, now.files, strict=True)
    ]


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
