"""The recipes of ``docs/integrations.md`` for GitLab, tox and nox, each run by the program that it is for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest
from working_tree import FIXED, MODULE, ROOT, commit_all, copy_working_tree

pytestmark = pytest.mark.slow
SEARCH_PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
GITLAB_RUNNER = shutil.which("gitlab-ci-local", path=SEARCH_PATH)


@pytest.fixture(scope="module")
def constraint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What has pip take `regbuf-lint` from the working tree."""
    directory = tmp_path_factory.mktemp("wheel")
    copy_working_tree(directory / "checkout")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(directory)]
    subprocess.run([*command, str(directory / "checkout")], check=True)
    (wheel,) = directory.glob("*.whl")
    path = directory / "constraint.txt"
    path.write_text(f"regbuf-lint @ {wheel.as_uri()}\n", encoding="utf-8")
    return path


class Project:
    """A project with one finding.

    Args:
        directory: an empty directory.
        constraint: what has pip take `regbuf-lint` from the working tree.
    """

    def __init__(self, directory: Path, constraint: Path) -> None:
        self.directory = directory / "project"
        self._environment = {
            **{name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}},
            "PIP_CONSTRAINT": str(constraint),
        }
        self.write("src/model.py", MODULE)

    def write(self, name: str, text: str) -> None:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, *command: str, path: str = SEARCH_PATH) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.directory, env={**self._environment, "PATH": path}, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip

    def finds_and_is_content(self, *command: str, path: str = SEARCH_PATH) -> None:
        """Run a program that fails because of the finding, and does not once that is mended."""
        found = self.run(*command, path=path)
        assert found.returncode == 1, found.stdout + found.stderr
        assert "src/model.py:8:9: RBF001" in found.stdout.replace(" --> ", "")
        self.write("src/model.py", FIXED)
        content = self.run(*command, path=path)
        assert content.returncode == 0, content.stdout + content.stderr


@pytest.fixture
def project(tmp_path: Path, constraint: Path) -> Project:
    return Project(tmp_path, constraint)


def recipe(heading: str) -> str:
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {heading}\n\n```\w+\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def runs(command: str) -> bool:
    return subprocess.run([command, "--version"], capture_output=True, check=False).returncode == 0


def test_gitlab(project: Project, tmp_path: Path) -> None:
    if GITLAB_RUNNER is None or not runs(GITLAB_RUNNER):
        pytest.skip("needs gitlab-ci-local, which is on npm, and a Node.js that it runs with")
    venv.EnvBuilder(symlinks=True, with_pip=True).create(tmp_path / "image")
    path = os.pathsep.join((str(tmp_path / "image" / "bin"), SEARCH_PATH))
    project.write(".gitlab-ci.yml", recipe("GitLab"))
    commit_all(project.directory)
    report = project.directory / "gl-code-quality-report.json"

    project.finds_and_is_content(GITLAB_RUNNER, "--force-shell-executor", "--no-color", path=path)
    assert json.loads(report.read_text(encoding="utf-8")) == []


def test_tox(project: Project) -> None:
    pytest.importorskip("tox")
    project.write("tox.ini", recipe("tox"))
    project.finds_and_is_content(sys.executable, "-m", "tox", "run", "-e", "regbuf-lint")


@pytest.mark.skipif(find_spec("nox") is None, reason="nox is not installed")
def test_nox(project: Project) -> None:
    project.write("noxfile.py", recipe("nox"))
    project.finds_and_is_content(sys.executable, "-m", "nox", "--no-color")
