"""The packages over which linters are compared: pinned wheels, unpacked side by side."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PINS = Path(__file__).with_name("packages.txt")
_PLATFORMS = ("any", "manylinux_2_28_x86_64", "manylinux2014_x86_64")


def fetch(folder: Path, pins: Path = PINS) -> list[Path]:
    """The folders of the pinned packages below a folder; those that it lacks are downloaded, without dependencies."""
    wanted = [line.strip() for line in pins.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [_fetched(folder, pin) for pin in wanted]


def _fetched(folder: Path, pin: str) -> Path:
    place = folder / pin.replace("==", "-")
    if not place.is_dir():
        with tempfile.TemporaryDirectory() as name:
            platforms = [word for one in _PLATFORMS for word in ("--platform", one)]
            options = ["--quiet", "--no-deps", "--only-binary=:all:", *platforms, "--dest", name]
            subprocess.run([sys.executable, "-m", "pip", "download", *options, pin], check=True)  # noqa: S603  pinned
            (wheel,) = Path(name).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(place)
    return place


def python_files(folder: Path) -> list[Path]:
    """The Python files below a folder, sorted."""
    return sorted(path for path in folder.rglob("*.py") if path.is_file())


def copy_some(source: Path, target: Path, files: int, seed: int) -> None:
    """Copy whole directories of a tree, drawn at random, until they have about a number of Python files.

    A larger number with the same seed gives what a smaller one gives, and more.
    """
    directories = sorted({path.parent for path in python_files(source)})
    random.Random(seed).shuffle(directories)  # noqa: S311  a sample, no secret
    copied = 0
    for directory in directories:
        if copied >= files:
            return
        place = target / directory.relative_to(source)
        place.mkdir(parents=True, exist_ok=True)
        for path in sorted(directory.glob("*.py")):
            shutil.copyfile(path, place / path.name)
            copied += 1


def size(folder: Path) -> tuple[int, float]:
    """How many Python files there are below a folder, and their megabytes."""
    files = python_files(folder)
    return len(files), sum(path.stat().st_size for path in files) / 1e6
