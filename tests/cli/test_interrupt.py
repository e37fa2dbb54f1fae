"""Ctrl-C while files are fixed: each is as it was or as it shall be, and nothing else is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.source.atomic_write import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable

OLD = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.mask = torch.tril(torch.ones(n, n))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.mask
"""
NEW = OLD.replace(
    "self.mask = torch.tril(torch.ones(n, n))",
    'self.register_buffer("mask", torch.tril(torch.ones(n, n)), persistent=False)',
)
PADDING = "".join(f"# {i:4} {'x' * 40}\n" for i in range(60))
"""What takes long to write and not to read: files are written once all are checked."""
FILES = 600


@pytest.mark.slow
@pytest.mark.usefixtures("heeding_interrupts")
@pytest.mark.skipif(os.name != "posix", reason="sends signals to a group of processes")
@pytest.mark.parametrize("kill", [os.killpg, os.kill], ids=["terminal", "kill"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_leaves_each_file_old_or_new(tmp_path: Path, jobs: int, kill: Callable[[int, int], None]) -> None:
    """A terminal sends the signal to each process, ``kill`` to the first alone; the others then end their chunk."""
    paths = [tmp_path / f"file_{index}.py" for index in range(FILES)]
    for path in paths:
        path.write_text(PADDING + OLD, encoding="utf-8")
    command = [sys.executable, "-m", "regbuf_lint", "--isolated", "--fix", f"--jobs={jobs}", "."]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    wait_for_first_change(paths, process)
    kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    contents = [path.read_text(encoding="utf-8") for path in paths]
    assert set(contents) == {PADDING + OLD, PADDING + NEW}, "not interrupted in between, or a file is neither"
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    assert err.decode() == "regbuf-lint: error: interrupted\n"
    assert process.returncode == 130


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_process(tmp_path: Path, sent: signal.Signals) -> None:
    """Who waits for the end of its output would wait for ever for a worker that is left."""
    for index in range(FILES):
        (tmp_path / f"file_{index}.py").write_text(PADDING + OLD, encoding="utf-8")
    command = [sys.executable, "-m", "regbuf_lint", "--isolated", "--no-cache", "--jobs=2", "."]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline()
    process.send_signal(sent)
    try:
        process.communicate(timeout=30)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -sent


def wait_for_first_change(paths: list[Path], process: subprocess.Popen[bytes]) -> None:
    sizes = {path: path.stat().st_size for path in paths}
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if any(path.stat().st_size != size for path, size in sizes.items()):
            return
        time.sleep(0.01)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interrupt_between_writing_and_replacing(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text(OLD, encoding="utf-8")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    owner, name = (os, "fsync") if step == "fsync" else (Path, "replace")
    monkeypatch.setattr(owner, name, interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, NEW.encode(), OLD.encode())
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text(encoding="utf-8") == OLD
