"""``--watch``: a run after each change, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest

from regbuf_lint.cli.main import main
from small_files import PLAIN_TENSOR

WAITING = "regbuf-lint: note: waiting for changes; Ctrl-C ends"
PATIENCE = 60


class Watching:
    """A process that watches, and the lines that it and its runs print."""

    def __init__(self, *argv: str) -> None:
        command = [sys.executable, "-m", "regbuf_lint", "--watch", "--output-format", "concise", "--no-cache", *argv]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._lines: Queue[str] = Queue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))

    def run(self) -> list[str]:
        """The lines of the next run."""
        return list(iter(lambda: self._lines.get(timeout=PATIENCE), WAITING))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PLAIN_TENSOR)
    return tmp_path


@pytest.mark.usefixtures("project", "heeding_interrupts")
@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_each_change_is_checked_until_ctrl_c() -> None:
    watching = Watching(".")
    try:
        first = watching.run()
        assert first[0].startswith("a.py:8:9: RBF001")
        assert first[-1] == "Found 1 finding (1 fixable with --fix) in 1 file with 1 nn.Module class."
        Path("a.py").write_text("x = 1\n")
        assert watching.run() == ["No findings in 1 file with 0 nn.Module classes."]
        Path("b.py").write_text(PLAIN_TENSOR)
        assert watching.run()[0].startswith("b.py:8:9: RBF001")
        Path("b.py").unlink()
        assert watching.run() == ["No findings in 1 file with 0 nn.Module classes."]
        watching.process.send_signal(signal.SIGINT)
        assert watching.process.wait(timeout=PATIENCE) == 0
    finally:
        watching.process.kill()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--watch", "-"], "--watch cannot be combined with standard input"),
        (["--watch", "--add-noqa"], "--add-noqa cannot be combined with --watch"),
        (["--watch", "--why", "a.py:8"], "--why cannot be combined with --watch"),
    ],
)
def test_mistakes(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    assert capsys.readouterr().err == f"regbuf-lint: error: {message}\n"
