"""What results depend on beside files: the linter, Python, the settings, and where the run starts."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import regbuf_lint
from regbuf_lint.index.files import installed_roots
from regbuf_lint.source.digests import digest_of
from regbuf_lint.source.disk_questions import unnoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.settings import Settings


def cache_key(kind: str, settings: Settings) -> str:
    """The key of results.

    Args:
        kind: what the results are, and who asks for them.
        settings: the settings of the files.
    """
    told = (kind, settings, settings.packages or installed_roots(), Path.cwd())
    return digest_of(repr((told, sys.version_info[:3], _writer(), own_code())).encode(errors="replace"))


def _writer() -> object:
    """What the installed libcst is told by, which lays out fixes; reading its release takes ten times as long."""
    origin = writer_file()
    status = os.stat(origin) if origin is not None else None  # noqa: PTH116
    return None if status is None else (status.st_mtime_ns, status.st_size)


def writer_file() -> str | None:
    """The first file of the installed libcst; None where there is none."""
    found = find_spec("libcst")
    return found.origin if found is not None else None


@cache
def own_code() -> str:
    """What the linter's own files are told by: the same release may be changed in place."""
    found = []
    for path in own_files():
        status = os.stat(path)  # noqa: PTH116  start-up time
        found.append((path, status.st_mtime_ns, status.st_size))
    return digest_of(repr(sorted(found)).encode(errors="replace"))


def own_files() -> Iterator[str]:
    """The linter's own files."""
    with unnoted():  # Python writes what it has compiled into the same directories
        found = [*os.walk(Path(regbuf_lint.__file__).parent)]
    for folder, _, names in found:
        for name in names:
            if not name.endswith(".pyc"):
                yield os.path.join(folder, name)  # noqa: PTH118  start-up time
