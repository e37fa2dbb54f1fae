"""The hooks, installed and run by the real pre-commit from a copy of the working tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pre_commit")

ROOT = Path(__file__).resolve().parent.parent

CODE = """\
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.arange(8)

    def forward(self, x):
        return x + self.table
"""
PROJECT = {
    "pyproject.toml": '[tool.regbuf-lint]\nexclude = ["vendor"]\n',
    "model.py": CODE,
    "notes.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": CODE}], "nbformat": 4}),
    "notes.txt": "self.table = torch.arange(8)\n",
}

pytestmark = pytest.mark.slow


def git(directory: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout


def commit_all(directory: Path) -> None:
    git(directory, "init", "--quiet")
    git(directory, "add", "--all", "--force")
    git(directory, "commit", "--quiet", "--message", "state")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the working tree as it is, files that are not committed yet included."""
    directory = tmp_path_factory.mktemp("hooks")
    for name in git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0"):
        if name and (ROOT / name).is_file():
            target = directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
    commit_all(directory)
    return directory


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    (directory / "vendor").mkdir(parents=True)
    for name, text in PROJECT.items():
        (directory / name).write_text(text, encoding="utf-8")
    (directory / "vendor" / "model.py").write_text(PROJECT["model.py"], encoding="utf-8")
    commit_all(directory)
    return directory


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("pre-commit")
    return {**os.environ, "PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"}


def test_hooks_find_and_then_fix(hooks: Path, project: Path, environment: dict[str, str]) -> None:
    def pre_commit(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", *arguments]
        return subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    vendored = (project / "vendor" / "model.py").read_bytes()

    first = pre_commit("try-repo", str(hooks), "--all-files", "--verbose")
    assert first.returncode == 1, first.stdout + first.stderr
    lint, _, fix = first.stdout.partition("- hook id: regbuf-lint-fix")
    assert "regbuf-lint..." in lint
    assert "model.py:8:9: RBF001" in lint.replace(" --> ", "")
    assert "vendor" not in first.stdout
    assert "- files were modified by this hook" in fix
    assert "notes.ipynb:cell 1:8:9: RBF001" in lint
    assert "register_buffer" in (project / "model.py").read_text(encoding="utf-8")
    assert "register_buffer" in (project / "notes.ipynb").read_text(encoding="utf-8")
    assert (project / "vendor" / "model.py").read_bytes() == vendored

    git(project, "commit", "--quiet", "--all", "--message", "fixed")
    second = pre_commit("try-repo", str(hooks), "--all-files")
    assert second.returncode == 0, second.stdout + second.stderr
    assert second.stdout.count("Passed") == 2
    assert git(project, "status", "--porcelain") == ""
