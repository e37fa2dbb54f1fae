"""Work grows with a file's size and not with the square of it, counted in calls of functions, which no load changes."""

from __future__ import annotations

import cProfile
import pstats
import sys
from pathlib import Path

import pytest

from regbuf_lint.engine import run
from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.many_files import check_files
from regbuf_lint.model.file_settings import FileSettings
from regbuf_lint.model.settings import Settings

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

from hard_cases import CASES

SIZES = (24, 48, 96)
SIZES_OF = {"subclasses": (80, 160, 320), "assignments": (160, 320, 640), "fitted-later": (160, 320, 640)}
"""Where a limit ends what grows with the square up to there, or what does so is small, sizes lie beyond."""
MOST = 2.6
"""How many times as many calls the second doubling may add as the first: 2 where work is linear, 4 where quadratic."""

LINEAR = (
    "flagged-classes", "hidden-findings", "assignments", "fitted-later", "sum-of-tensors", "sum-of-locals",
    "long-initialiser", "branches", "methods", "functions", "re-exports", "subclasses", "callers", "data", "package",
)  # fmt: skip


def calls(name: str, size: int, folder: Path, mode: FixMode) -> int:
    """Calls of functions while a hard case is checked."""
    place = folder / f"{name}-{size}"
    CASES[name].write(size, place)
    files = sorted(place.rglob("*.py"))
    profile = cProfile.Profile()
    profile.enable()
    result = check_files(files, FileSettings.one(Settings(root=place)), jobs=1, fix=mode)
    profile.disable()
    assert result.all_errors == ()
    total: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return total


def growth(name: str, folder: Path, mode: FixMode, monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr(run, "with_deep_stack", lambda work: work())  # on this thread, so that its calls are counted
    calls(name, 2, folder, mode)  # what only the first run does
    first, second, third = (calls(name, size, folder, mode) for size in SIZES_OF.get(name, SIZES))
    return (third - second) / (second - first)


@pytest.mark.parametrize("name", LINEAR)
def test_checking_grows_no_faster_than_the_text(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert growth(name, tmp_path, FixMode.NONE, monkeypatch) < MOST


@pytest.mark.parametrize("name", ["flagged-classes", "assignments", "long-initialiser"])
def test_fixing_grows_no_faster_than_the_text(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert growth(name, tmp_path, FixMode.UNSAFE, monkeypatch) < MOST
