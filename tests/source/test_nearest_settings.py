"""Looking for settings costs little: each directory is looked at once, and settings are made once for a project."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from regbuf_lint.source.nearest_settings import NearestSettings
from regbuf_lint.source.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.model.settings import Settings


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.regbuf-lint]\n[tool.black]\nline-length = 70\n")
    for number in range(40):
        (tmp_path / f"pkg/{number % 4}/{number}").mkdir(parents=True)
    return tmp_path


def directories(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_dir()]


def test_settings_are_made_once_for_a_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def watched(start: Path, *rest: Any) -> Settings:
        made.append(start)
        return load_settings(start, *rest)

    monkeypatch.setattr("regbuf_lint.source.nearest_settings.load_settings", watched)
    nearest = NearestSettings({})
    found = {id(nearest.of(path, path)) for path in directories(project)}
    assert made == [project]
    assert len(found) == 1


def test_each_directory_is_listed_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: Counter[str] = Counter()
    real = os.listdir

    def watched(path: str = ".") -> list[str]:
        listed[str(path)] += 1
        return real(path)

    monkeypatch.setattr(os, "listdir", watched)
    for number in range(0, 40, 5):
        (project / f"pkg/{number % 4}/{number}/requirements.txt").write_text("torch>=2.1\n")
    nearest = NearestSettings({})
    for path in (*directories(project), *directories(project)):
        nearest.of(path, project)
    assert set(map(str, directories(project))) <= set(listed)
    assert max(listed.values()) == 1


def test_equal_settings_are_one_object(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "pkg/1/requirements.txt").write_text("numpy\n")
    (project / "pkg/2/setup.cfg").write_text("[flake8]\nmax-line-length = 100\n")
    (project / "pkg/3/ruff.toml").write_text("line-length = 99\n[format]\n")
    nearest = NearestSettings({})
    settings = [nearest.of(project / f"pkg/{number}", project) for number in range(4)]
    assert settings[1] is settings[0]
    assert settings[2] is settings[0], "black counts before flake8's limit"
    assert [one.line_length for one in settings] == [70, 70, 70, 99], "and ruff's formatter before black"
