"""Files as a run has made them and not written yet: their bytes count instead of those of the disk."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from msgspec import Struct, field

from regbuf_lint.source.errors import SourceError
from regbuf_lint.source.text import SourceText, decode_source, read_source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LARGEST_IMPORTED = 4_000_000
"""Bytes of a file that names lead to; larger ones are tables of data."""


class Overlay(Struct, frozen=True):
    """What files hold for a run.

    Attributes:
        contents: bytes of the files that differ from the disk, by their real paths.
    """

    contents: Mapping[str, bytes] = field(default_factory=dict)

    def with_files(self, contents: Mapping[Path, bytes]) -> Overlay:
        """Return an overlay that holds some files more, or others of them."""
        return Overlay({**self.contents, **{os.path.realpath(path): data for path, data in contents.items()}})

    def holds(self, path: Path) -> bool:
        """Whether a file is another one than on the disk."""
        return bool(self.contents) and os.path.realpath(path) in self.contents

    def read_bytes(self, path: Path) -> bytes:
        """Return the content of a file.

        Raises:
            OSError: it cannot be read.
        """
        return self.contents[os.path.realpath(path)] if self.holds(path) else path.read_bytes()

    def read_source(self, path: Path) -> SourceText:
        """Read and decode a file.

        Raises:
            SourceError: it cannot be read or decoded.
        """
        return decode_source(self.read_bytes(path), str(path)) if self.holds(path) else read_source(path)

    def read_imported(self, path: Path) -> SourceText:
        """Read and decode a file that names lead to.

        Raises:
            SourceError: it cannot be read or decoded, is no regular file, or is so large that it is data.
        """
        try:
            status = path.stat()
        except (OSError, ValueError) as error:
            raise SourceError(str(error)) from error
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_IMPORTED:
            msg = "no regular file, or too large"
            raise SourceError(msg)
        return self.read_source(path)
