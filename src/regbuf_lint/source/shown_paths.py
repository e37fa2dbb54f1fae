"""How reports and messages name files."""

from __future__ import annotations

import os
from pathlib import Path


def path_order(path: str) -> list[str]:
    """What paths are ordered by, as reports name them: part by part."""
    return path.replace(os.sep, "/").split("/")


def shown_path(path: Path) -> str:
    """A path relative to the working directory where it lies below it, with ``/`` between the parts."""
    try:
        return Path(os.path.abspath(path)).relative_to(Path.cwd()).as_posix()  # noqa: PTH100  links stay
    except ValueError:
        return path.as_posix()
