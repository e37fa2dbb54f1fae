"""Replace a file's content in one step, or leave it as it is."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from regbuf_lint.source.errors import SourceError, os_error_text

if TYPE_CHECKING:
    from pathlib import Path

CHANGED = "changed on disk since it was read; not overwritten"


def write_atomically(path: Path, data: bytes, expected: bytes) -> None:
    """Replace the content of the file that ``path`` leads to.

    Args:
        path: the file; a symbolic link stays one, and what it leads to is replaced.
        data: the new content.
        expected: the content that the file must still have.

    Raises:
        SourceError: the file no longer holds ``expected``, or cannot be written; it is then as it was, and no
            temporary file is left.
    """
    try:
        target = path.resolve(strict=True)
        if target.read_bytes() != expected:
            raise SourceError(CHANGED)
        if not os.access(target, os.W_OK):
            msg = "cannot be written: permission denied"
            raise SourceError(msg)
        _replace(target, data)
    except OSError as error:
        msg = f"cannot be written: {os_error_text(error)}"
        raise SourceError(msg) from error


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.regbuf-lint.tmp")
    status = target.stat()
    try:
        descriptor = os.open(
            temporary,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0),
            0o600,
        )
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _keep_owner(temporary, status)
        temporary.chmod(stat.S_IMODE(status.st_mode))
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _keep_owner(temporary: Path, status: os.stat_result) -> None:
    """Give the new file the owner of the old one where the system allows it."""
    if hasattr(os, "chown") and (status.st_uid != os.geteuid() or status.st_gid != os.getegid()):
        with suppress(OSError):
            os.chown(temporary, status.st_uid, status.st_gid)
