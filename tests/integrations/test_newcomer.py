"""What somebody meets who follows the README from a fresh checkout: its first command, as it is written there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from working_tree import ROOT, copy_working_tree

if TYPE_CHECKING:
    from pathlib import Path

NOT_A_NEWCOMERS = frozenset({"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "REGBUF_LINT_NO_CACHE"})


def main_command() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- main command -->\n```sh\n(.*?)\n```", text, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_the_main_command_shows_findings_and_fixes(tmp_path: Path) -> None:
    checkout, programs = tmp_path / "checkout", tmp_path / "bin"
    copy_working_tree(checkout)
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    environment = {name: value for name, value in os.environ.items() if name not in NOT_A_NEWCOMERS}
    environment["PATH"] = os.pathsep.join([str(programs), environment["PATH"]])
    done = subprocess.run(
        ["bash", "-c", main_command()], cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Found 6 findings (3 fixable with --fix, 3 more with --unsafe-fixes) in " in done.stdout
    changed = [line for line in done.stdout.splitlines() if line.startswith("+        self.register_buffer(")]
    assert len(changed) == 3
    assert "Traceback" not in done.stderr
