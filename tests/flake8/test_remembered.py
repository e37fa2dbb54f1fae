"""flake8 looks again only at files whose findings may be others."""

from __future__ import annotations

import sqlite3
import subprocess
from typing import TYPE_CHECKING

import pytest
from flake8_command import ATTENTION, Project

from regbuf_lint.cache.outcomes import packed

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("flake8.main")

OTHER = ATTENTION.replace("Attention", "Other")
"""A class of another name: who may call a class reads the files that call one of its name."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("REGBUF_LINT_NO_CACHE")
    project = Project(tmp_path)
    project.write("a.py", ATTENTION)
    project.write("b.py", OTHER)
    return project


def forge(root: Path) -> int:
    """Have the cache say that no file has findings; return of how many it knows any."""
    (database,) = (root / ".regbuf_cache").glob("*.sqlite3")
    connection = sqlite3.connect(database)
    with connection:
        changed = connection.execute("UPDATE results SET outcome = ?", (packed(()),)).rowcount
    connection.close()
    return changed


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_what_is_known_is_not_looked_at_again(jobs: str, project: Project, tmp_path: Path) -> None:
    first = project.flake8(jobs)
    assert [line.path for line in first] == ["./a.py", "./b.py"]
    assert project.flake8(jobs) == first
    assert forge(tmp_path) == 2
    assert project.flake8(jobs) == []
    project.write("b.py", OTHER + "\n\nMORE = 1\n")
    assert [line.path for line in project.flake8(jobs)] == ["./b.py"]


def test_no_rule_is_imported_where_all_is_known(project: Project, tmp_path: Path) -> None:
    code = (
        "import sys; from flake8.main.cli import main; main(['-j1', '--exit-zero'])\n"
        "print('regbuf_lint.rules' in sys.modules, 'regbuf_lint.flake8_plugin.plugin' in sys.modules)"
    )
    command = [project.python, "-c", code]
    said = [subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True) for _ in range(2)]
    assert [one.stdout.splitlines()[-1] for one in said] == ["True True", "False True"]
    assert said[0].stdout.count("RBF001") == said[1].stdout.count("RBF001") == 2


def test_the_environment_switches_it_off(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGBUF_LINT_NO_CACHE", "1")
    assert len(project.flake8()) == 2
    assert not (tmp_path / ".regbuf_cache").exists()
