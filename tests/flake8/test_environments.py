"""The installed wheel with other releases of flake8, and beside TorchFix, each in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest
from flake8_command import ATTENTION, Project

pytest.importorskip("flake8.main")

ROOT = Path(__file__).resolve().parents[2]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> str:
    directory = tmp_path_factory.mktemp("wheel")
    subprocess.run([*PIP, "wheel", "--no-deps", "--wheel-dir", str(directory), str(ROOT)], check=True, timeout=300)
    (path,) = directory.glob("*.whl")
    return str(path)


@pytest.fixture(scope="module", params=["flake8==6.0.0", "flake8>=7,<8", "torchfix"])
def peer(request: pytest.FixtureRequest) -> str:
    """What is installed beside the wheel."""
    requirement: str = request.param
    return requirement


@pytest.fixture(scope="module")
def python(peer: str, wheel: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of an environment with the wheel and its peer."""
    directory = tmp_path_factory.mktemp("environment")
    venv.EnvBuilder(symlinks=True).create(directory)
    interpreter = str(directory / "bin" / "python")
    subprocess.run([*PIP, "--python", interpreter, "install", wheel, peer], check=True, timeout=300)
    return interpreter


@pytest.fixture
def project(tmp_path: Path, python: str) -> Project:
    project = Project(tmp_path, python)
    project.write("attention.py", ATTENTION)
    return project


def test_flake8_and_the_command_line_agree(project: Project) -> None:
    project.write("two.py", f"import os\n{ATTENTION}")
    lines = project.flake8("-j2")
    assert [(line.path, *line.place) for line in lines] == [
        ("./attention.py", 8, 9, "RBF001"),
        ("./two.py", 1, 1, "F401"),
        ("./two.py", 9, 9, "RBF001"),
    ]
    messages = [line.text for line in lines if line.code == "RBF001"]
    assert [finding["message"] for finding in project.regbuf_lint()] == messages


def test_noqa_and_standard_input(project: Project) -> None:
    hidden = ATTENTION.replace("(n, n))\n", "(n, n))  # noqa: RBF001\n")
    assert project.flake8("-", stdin=hidden) == []
    assert [line.code for line in project.flake8("--disable-noqa", "-", stdin=hidden)] == ["RBF001"]
    (line,) = project.flake8("--stdin-display-name=a.py", "-", stdin=ATTENTION)
    assert (line.path, *line.place) == ("a.py", 8, 9, "RBF001")


def test_the_environment_holds_the_peer_and_reports_its_findings_too(project: Project, peer: str) -> None:
    versions = project.run("flake8", "--version").stdout
    assert versions.startswith("6.0.0 " if peer == "flake8==6.0.0" else "7.")
    project.write("attention.py", f"{ATTENTION}\n\nweights = torch.load('w.pt')\n")
    expected = {"RBF001", "TOR102"} if peer == "torchfix" else {"RBF001"}
    assert {line.code for line in project.flake8("--extend-select=TOR1")} == expected
