"""What ``--version`` prints: all that decides what is found and what fixes look like."""

from __future__ import annotations

import platform
from importlib import metadata

from regbuf_lint import __version__


def versions() -> str:
    """Return the versions of the linter, of Python, whose parser reads the code, and of libcst, which writes fixes."""
    try:
        libcst = metadata.version("libcst")
    except metadata.PackageNotFoundError:
        libcst = "not installed"
    return f"regbuf-lint {__version__} (Python {platform.python_version()}, libcst {libcst})\n"
