"""What ``--version`` prints: all that decides what is found, what fixes look like and how JSON is to be read."""

from __future__ import annotations

import platform
from importlib import metadata

from regbuf_lint import __version__
from regbuf_lint.report.json_format import SCHEMA_VERSION


def versions() -> str:
    """Return the versions of the linter, of Python (which parses), libcst (which writes fixes) and the JSON schema."""
    try:
        libcst = metadata.version("libcst")
    except metadata.PackageNotFoundError:
        libcst = "not installed"
    others = f"Python {platform.python_version()}, libcst {libcst}, JSON schema {SCHEMA_VERSION}"
    return f"regbuf-lint {__version__} ({others})\n"
