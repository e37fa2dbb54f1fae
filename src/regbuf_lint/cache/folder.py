"""The directory of the cache."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.cache.replay import CACHE_FOLDER, RECORDS
from regbuf_lint.source.errors import SettingsError, os_error_text

if TYPE_CHECKING:
    from regbuf_lint.model.settings import Settings

_NO_CACHE = "REGBUF_LINT_NO_CACHE"
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = """\
Signature: 8a477f597d28d172789f06886806bc55
# Results of regbuf-lint; they are found anew where this directory is missing.
"""
"""What marks a directory as a cache: https://bford.info/cachedir/."""
_IGNORE = ".gitignore"
_IGNORE_TEXT = "*\n"
_RESULTS = ("results-[0-9].sqlite3", "results-[0-9].sqlite3-*", RECORDS)
"""The databases of all versions, what SQLite writes beside them, and what runs have printed."""


def folder_of(settings: Settings, named: str | None = None) -> Path:
    """The directory of the cache: a directory below the one that is wanted, if that holds something else.

    Args:
        settings: the run's settings; by default the directory lies beside their file.
        named: the directory that the user wants instead.
    """
    wanted = Path(named) if named is not None else settings.root / CACHE_FOLDER
    return wanted / CACHE_FOLDER if _is_foreign(wanted) else wanted


def folder_in_use(settings: Settings, named: str | None = None) -> Path | None:
    """The directory of the cache; None where the environment wants none, and the user names none."""
    return folder_of(settings, named) if is_wanted(named) else None


def is_wanted(named: str | None = None) -> bool:
    """Whether there is to be a cache: the user names one, or the environment does not say that there is none."""
    return named is not None or not os.environ.get(_NO_CACHE)


def prepare(folder: Path) -> None:
    """Make the directory, where it is missing, with marks for git and for backup programs.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ((_TAG, _TAG_TEXT), (_IGNORE, _IGNORE_TEXT)):
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")


def clean(folder: Path) -> bool:
    """Remove what ``prepare`` and the database have written, and the directory where nothing else is in it.

    Returns:
        Whether there was a cache.

    Raises:
        SettingsError: it cannot be removed.
    """
    if not is_cache(folder):
        return False
    try:
        for pattern in _RESULTS:
            for path in filter(Path.is_file, folder.glob(pattern)):
                path.unlink()
        if _text(folder / _IGNORE) == _IGNORE_TEXT:
            (folder / _IGNORE).unlink()
        (folder / _TAG).unlink()  # the last: what is left of a cache that cannot be removed is one still
    except OSError as error:
        msg = f"{folder.as_posix()}: cannot be removed: {os_error_text(error)}"
        raise SettingsError(msg) from error
    with suppress(OSError):  # something else is in it, or it is the working directory
        folder.rmdir()
    return True


def _is_foreign(folder: Path) -> bool:
    """Whether a directory holds something, and is no cache."""
    try:
        return any(folder.iterdir()) and not is_cache(folder)
    except OSError:
        return False


def is_cache(folder: Path) -> bool:
    """Whether a directory is marked by ``prepare``, or another run is about to write the mark."""
    return _text(folder / _TAG) in {_TAG_TEXT, ""}


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
