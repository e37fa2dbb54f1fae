"""The directory of the cache."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from regbuf_lint.source.errors import SettingsError, os_error_text

if TYPE_CHECKING:
    from regbuf_lint.model.settings import Settings

_FOLDER = ".regbuf_cache"
_NO_CACHE = "REGBUF_LINT_NO_CACHE"
_TAG = "CACHEDIR.TAG"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55"
"""What marks a directory as a cache: https://bford.info/cachedir/."""
_TAG_TEXT = f"{_SIGNATURE}\n# Results of regbuf-lint; they are found anew where this directory is missing.\n"


def folder_of(settings: Settings, named: str | None = None) -> Path:
    """The directory of the cache.

    Args:
        settings: the run's settings; by default the directory lies beside their file.
        named: the directory that the user wants instead.
    """
    return Path(named) if named is not None else settings.root / _FOLDER


def folder_in_use(settings: Settings, named: str | None = None) -> Path | None:
    """The directory of the cache; None where the environment wants none, and the user names none."""
    return None if named is None and os.environ.get(_NO_CACHE) else folder_of(settings, named)


def prepare(folder: Path) -> None:
    """Make the directory, where it is missing, with marks for git and for backup programs.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ((_TAG, _TAG_TEXT), (".gitignore", "*\n")):
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")


def clean(folder: Path) -> bool:
    """Remove the directory.

    Returns:
        Whether there was one.

    Raises:
        SettingsError: it is no directory that ``prepare`` has made, or it cannot be removed.
    """
    if not folder.exists():
        return False
    try:
        is_cache = (folder / _TAG).read_text(encoding="utf-8", errors="replace").startswith(_SIGNATURE)
    except OSError:
        is_cache = False
    if not is_cache:
        msg = f"{folder.as_posix()}: not a cache directory, so it is not removed"
        raise SettingsError(msg)
    try:
        shutil.rmtree(folder)
    except OSError as error:
        msg = f"{folder.as_posix()}: cannot be removed: {os_error_text(error)}"
        raise SettingsError(msg) from error
    return True
