"""The GitHub Action: its steps, run as a runner runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from working_tree import FIXED, MODULE, ROOT, copy_working_tree

if TYPE_CHECKING:
    from pathlib import Path

yaml = pytest.importorskip("yaml")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


class Runner:
    """What GitHub gives the steps of a composite action.

    Args:
        directory: an empty directory; the action is checked out there, and so is the project that uses it.
    """

    def __init__(self, directory: Path) -> None:
        self.action = directory / "action"
        self.workspace = directory / "workspace"
        self.steps: list[dict[str, Any]] = ACTION["runs"]["steps"]
        self._temp = directory / "temp"
        self._path = directory / "path.txt"
        for folder in (self.workspace, self._temp, directory / "bin"):
            folder.mkdir()
        self._path.touch()
        copy_working_tree(self.action)
        (directory / "bin" / "python3").symlink_to(sys.executable)
        self._first = str(directory / "bin")

    def use(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run the steps of the action; return the first that fails, or the last."""
        known = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        assert inputs.keys() <= known.keys()
        done = subprocess.CompletedProcess[str]([], 0)
        for step in self.steps:
            done = self._step(step, {**known, **inputs})
            if done.returncode:
                break
        return done

    def _step(self, step: dict[str, Any], inputs: dict[str, str]) -> subprocess.CompletedProcess[str]:
        def filled(text: str) -> str:
            return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], text)

        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input in a script would be code"
        added = self._path.read_text(encoding="utf-8").split()
        environment = {
            **{name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}},
            "PATH": os.pathsep.join([*reversed(added), self._first, os.environ["PATH"]]),
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_PATH": str(self._path),
            "RUNNER_TEMP": str(self._temp),
            **{name: filled(value) for name, value in step.get("env", {}).items()},
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.workspace / filled(step.get("working-directory", ".")),
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


@pytest.mark.slow
def test_the_action_annotates_and_fails_where_there_are_findings(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    (runner.workspace / "src").mkdir()
    (runner.workspace / "src" / "model.py").write_text(MODULE, encoding="utf-8")
    found = runner.use()
    assert found.returncode == 1, found.stdout + found.stderr
    assert "::error " in found.stdout
    assert "file=src/model.py,line=8," in found.stdout

    quiet = runner.use(**{"paths": "src", "args": "--exit-zero --ignore RBF001", "output-format": "concise"})
    assert (quiet.returncode, quiet.stdout) == (0, "No findings in 1 file with 1 nn.Module class.\n")

    runner.steps = runner.steps[1:]  # the first installs, and did so twice
    both = runner.use(**{"output-format": "sarif:out.sarif,github", "working-directory": "src"})
    assert both.returncode == 1
    assert "file=model.py," in both.stdout
    assert (runner.workspace / "src" / "out.sarif").is_file()

    (runner.workspace / "src" / "model.py").write_text(FIXED, encoding="utf-8")
    assert runner.use().returncode == 0
    broken = runner.use(args="--no-such-option")
    assert broken.returncode == 2


def test_inputs_are_those_that_the_page_lists() -> None:
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w-]+)` \| (?:`([^`]*)`)? *\|", page, re.MULTILINE)
    assert dict(listed) == {name: one["default"] for name, one in ACTION["inputs"].items()}
