"""Where the packages lie with which a project runs; nothing of them is run to find that out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from regbuf_lint.source.disk_questions import note_path
from regbuf_lint.source.errors import SettingsError

_PATTERNS = (
    "lib*/python3*/site-packages",
    "Lib/site-packages",
    "lib/python3*/dist-packages",
    "lib/python3/dist-packages",
)


def environment_packages(python: str, root: Path) -> tuple[Path, ...]:
    """The directories of installed packages that belong to a project.

    That is the environment that the settings name, else the active one (``VIRTUAL_ENV``), unless that is only the one
    in which the linter runs, else ``.venv`` beside the configuration.

    Args:
        python: an interpreter or the directory of an environment; empty where the settings name none.
        root: directory of the configuration.

    Returns:
        Nothing where there is no such environment: the linter's own serves then.

    Raises:
        SettingsError: there are no packages where the settings say.
    """
    if python:
        found = _packages(Path(python))
        if not found:
            msg = f"`{python}` is no interpreter or environment with packages"
            raise SettingsError(msg)
        return found
    active = os.environ.get("VIRTUAL_ENV", "")
    if active and Path(active).resolve() != Path(sys.prefix).resolve():
        found = _packages(Path(active))
        if found:
            return found
    return _packages(root / ".venv")


def _packages(place: Path) -> tuple[Path, ...]:
    """The directories of packages of an interpreter or environment; of the system, too, where it says so."""
    note_path(place)
    base = place.parent.parent if place.is_file() else place
    found = {one.resolve(): one for pattern in _PATTERNS for one in sorted(base.glob(pattern)) if one.is_dir()}
    home = _home_if_shared(base)
    return (*found.values(), *(_packages(home) if home is not None else ()))


def _home_if_shared(base: Path) -> Path | None:
    """The installation of Python that an environment was made from, if it shares the packages of that one."""
    try:
        lines = (base / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    said = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    if said.get("include-system-site-packages", "").lower() != "true" or not said.get("home"):
        return None
    return Path(said["home"]).parent
