"""The hooks, installed and run by the real pre-commit from a copy of the working tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pre_commit")

from working_tree import FIXED, MODULE, commit_all, copy_working_tree, git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

UNSTAGED = "\n# still being written: self.other = torch.ones(3)\n"
PROJECT = {
    "pyproject.toml": '[tool.regbuf-lint]\nexclude = ["vendor"]\n',
    "model.py": MODULE,
    "notes.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": MODULE}], "nbformat": 4}),
    "notes.txt": "self.table = torch.arange(8)\n",
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the working tree."""
    directory = tmp_path_factory.mktemp("hooks")
    copy_working_tree(directory)
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


def repository(hooks: Path, *names: str) -> dict[str, object]:
    """What a configuration says to run hooks of a repository."""
    revision = git(hooks, "rev-parse", "HEAD").stdout.strip()
    return {"repo": str(hooks), "rev": revision, "hooks": [{"id": name} for name in names]}


class Hooked:
    """A project whose commits pre-commit looks at.

    Args:
        directory: the project.
        environment: variables for pre-commit.
    """

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self.directory = directory
        self._environment = environment

    def pre_commit(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", *arguments]
        return subprocess.run(
            command,
            cwd=self.directory,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def configure(self, repository: Mapping[str, object]) -> None:
        """Write a configuration, which is YAML as JSON is, and have git run its hooks."""
        text = json.dumps({"repos": [repository]})
        (self.directory / ".pre-commit-config.yaml").write_text(text, encoding="utf-8")
        git(self.directory, "add", ".pre-commit-config.yaml")
        git(self.directory, "commit", "--quiet", "--no-verify", "--message", "hooks")

    def staged(self, name: str) -> str:
        return git(self.directory, "show", f":{name}").stdout


@pytest.fixture
def hooked(project: Path, environment: dict[str, str]) -> Hooked:
    return Hooked(project, environment)


def test_hooks_find_and_then_fix(hooks: Path, project: Path, hooked: Hooked) -> None:
    vendored = (project / "vendor" / "model.py").read_bytes()

    hooked.configure(repository(hooks, "regbuf-lint", "regbuf-lint-fix"))
    first = hooked.pre_commit("run", "--all-files", "--verbose")
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
    second = hooked.pre_commit("run", "--all-files")
    assert second.returncode == 0, second.stdout + second.stderr
    assert second.stdout.count("Passed") == 2
    assert git(project, "status", "--porcelain").stdout == ""


@pytest.mark.parametrize(("hook", "message"), [("regbuf-lint", "RBF001"), ("regbuf-lint-fix", "files were modified")])
def test_a_file_staged_in_part_is_judged_by_that_part(hooks: Path, hooked: Hooked, hook: str, message: str) -> None:
    hooked.configure(repository(hooks, hook))
    model = hooked.directory / "model.py"

    model.write_text(FIXED, encoding="utf-8")
    git(hooked.directory, "add", "model.py")
    model.write_text(MODULE, encoding="utf-8")
    fine = hooked.pre_commit("run")
    assert fine.returncode == 0, fine.stdout + fine.stderr
    assert (hooked.staged("model.py"), model.read_text(encoding="utf-8")) == (FIXED, MODULE)

    staged = MODULE.replace("Model", "Other")
    model.write_text(staged, encoding="utf-8")
    git(hooked.directory, "add", "model.py")
    model.write_text(staged + UNSTAGED, encoding="utf-8")
    wrong = hooked.pre_commit("run")
    assert wrong.returncode == 1, wrong.stdout + wrong.stderr
    assert message in wrong.stdout
    assert hooked.staged("model.py") == staged
    fixed = FIXED.replace("Model", "Other") if hook.endswith("-fix") else staged
    assert model.read_text(encoding="utf-8") == fixed + UNSTAGED


def test_a_file_is_judged_with_those_that_are_not_in_the_commit(hooks: Path, hooked: Hooked) -> None:
    hooked.configure(repository(hooks, "regbuf-lint"))
    part = MODULE.replace("nn.Module", "Base").replace("from torch import nn", "from base import Base")
    (hooked.directory / "base.py").write_text(
        "from torch import nn\n\n\nclass Base(nn.Module): ...\n", encoding="utf-8"
    )
    git(hooked.directory, "add", "base.py")
    git(hooked.directory, "commit", "--quiet", "--no-verify", "--message", "base")
    (hooked.directory / "part.py").write_text(part, encoding="utf-8")
    git(hooked.directory, "add", "part.py")
    done = hooked.pre_commit("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "part.py:8:9: RBF001" in done.stdout


def test_flake8_gets_the_plugin_by_additional_dependencies(hooks: Path, hooked: Hooked) -> None:
    pytest.importorskip("flake8")
    hook = {
        "id": "flake8",
        "name": "flake8",
        "entry": "flake8 --select RBF",
        "language": "python",
        "types": ["python"],
        "additional_dependencies": ["flake8>=6", str(hooks)],
    }
    hooked.configure({"repo": "local", "hooks": [hook]})
    (hooked.directory / "model.py").write_text(f"{MODULE}# changed\n", encoding="utf-8")
    git(hooked.directory, "add", "model.py")
    done = hooked.pre_commit("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "model.py:8:9: RBF001" in done.stdout
