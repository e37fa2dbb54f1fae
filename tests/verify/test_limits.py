"""Whatever the code under verification does, it gives its own case a failed verdict, and nothing else."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mutants import FIXED, PLAIN, Version, rows

from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.isolation.client import CAN_FORK, Worker, WorkerError
from regbuf_lint.verify.isolation.supervision import Limits, held_memory
from regbuf_lint.verify.model import BUILDS, Machine, Outcome, Verdict
from regbuf_lint.verify.runner import run_cases

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.verify.model import CaseReport

pytestmark = [pytest.mark.torch, pytest.mark.skipif(not CAN_FORK, reason="limits are watched on Linux")]

LIMITS = Limits(seconds=4, memory=1024)
META = Machine("2.13.0", "3", {"meta": ""})
RIGHT = "z_right"
"""Verified last, by the worker that all others have used."""


def building(*done: str) -> Version:
    return Version(rows("import ctypes, os, signal, subprocess, sys, time", FIXED, *done))


BAD = {
    "exits": (building("os._exit(0)"), "ended early with exit code 0"),
    "exits_with_code": (building("os._exit(3)"), "ended early with exit code 3"),
    "leaves": (building("sys.exit(5)"), "SystemExit: 5"),
    "interrupts": (building("raise KeyboardInterrupt"), "ended early with exit code 70"),
    "segfaults": (building("ctypes.string_at(0)"), "killed by SIGSEGV"),
    "aborts": (building("os.abort()"), "killed by SIGABRT"),
    "hangs": (Version(first="while True: pass"), "took longer than 4 s"),
    "ignores_signals": (building("signal.signal(signal.SIGTERM, signal.SIG_IGN)", "time.sleep(99)"), "took longer"),
    "fills_memory": (building("self.held = [bytearray(b'x' * 2**26) for _ in range(99)]"), "more than 1024 MiB"),
    "child_fills_memory": (
        building("subprocess.run([sys.executable, '-c', \"x = [b'x' * 2**26 for _ in range(99)]\"])"),
        "more than 1024 MiB",
    ),
    "prints": (building("print('epoch 1')"), "wrote to standard output: 'epoch 1'"),
    "writes_to_descriptor": (building("os.write(1, b'{}')"), "wrote to standard output: '{}"),
    "child_prints": (building("subprocess.run(['echo', 'hello'])"), "wrote to standard output: 'hello'"),
    "closes_descriptors": (building("os.closerange(0, 999)", "os._exit(0)"), "ended early"),
    "writes_everywhere": (
        building("for number in range(3, 64):", "    try: os.write(number, b'{\"how\": \"exited\"}\\n')",
                 "    except OSError: pass", "os._exit(0)"),
        "ended early",
    ),
    "kills_parent": (building("os.kill(os.getppid(), signal.SIGKILL)", "time.sleep(99)"), "starts the others"),
    "raises": (building("raise ValueError('no luck')"), "ValueError: no luck"),
}  # fmt: skip
"""What a fixed version does, and what the verdict says."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CaseReport]:
    pytest.importorskip("torch")
    directory = tmp_path_factory.mktemp("bad") / "RBF001"
    directory.mkdir()
    for name, version in [*((name, version) for name, (version, _) in BAD.items()), (RIGHT, Version())]:
        (directory / f"{name}.py").write_text(Version(PLAIN).text(), encoding="utf-8")
        (directory / f"{name}.fixed.py").write_text(version.text(), encoding="utf-8")
    with Worker(LIMITS) as worker:
        found = run_cases(list(pairs(directory)), META, [worker])
    return {report.case.name: report for report in found}


def built(report: CaseReport) -> Verdict:
    return next(one.verdict for one in report.results if one.check == BUILDS)


@pytest.mark.parametrize("name", BAD)
def test_it_gives_its_case_a_failed_verdict(name: str, reports: dict[str, CaseReport]) -> None:
    verdict = built(reports[name])
    assert verdict.outcome is Outcome.FAILED
    assert BAD[name][1] in verdict.reason


def test_it_does_nothing_else(reports: dict[str, CaseReport]) -> None:
    assert reports[RIGHT].verdict.outcome is Outcome.PASSED
    assert set(reports) == {*BAD, RIGHT}


def test_the_verdict_says_where_it_happened(reports: dict[str, CaseReport]) -> None:
    assert "in inventory on cpu" in built(reports["segfaults"]).reason
    assert (
        "in round-trip on cpu" in built(reports["hangs"]).reason
        or "in moves-after-use" in built(reports["hangs"]).reason
    )


def test_an_original_is_watched_too(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    case = tmp_path / "RBF001" / "case.py"
    case.parent.mkdir()
    case.write_text(Version(rows(PLAIN, "print('original')")).text(), encoding="utf-8")
    case.with_name("case.fixed.py").write_text(Version().text(), encoding="utf-8")
    with Worker(LIMITS) as worker:
        (report,) = run_cases(list(pairs(tmp_path)), META, [worker])
    assert built(report).reason == "original: it wrote to standard output: 'original'"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prints"])
def test_without_forking(name: str, tmp_path: Path) -> None:
    """An interpreter for each version, as on systems where forking is not to be had."""
    pytest.importorskip("torch")
    directory = tmp_path / "RBF001"
    directory.mkdir()
    for one, version in ((name, BAD[name][0]), (RIGHT, Version())):
        (directory / f"{one}.py").write_text(Version(PLAIN).text(), encoding="utf-8")
        (directory / f"{one}.fixed.py").write_text(version.text(), encoding="utf-8")
    with Worker(Limits(seconds=60), fork=False) as worker:
        bad, right = run_cases(list(pairs(directory)), META, [worker])
    assert built(bad).outcome is Outcome.FAILED
    assert BAD[name][1] in built(bad).reason
    assert right.verdict.outcome is Outcome.PASSED


def test_nothing_is_left_running(tmp_path: Path) -> None:
    """A process that the code leaves behind is ended with its group."""
    pytest.importorskip("torch")
    note = tmp_path / "pid"
    left = f"subprocess.Popen(['sh', '-c', 'echo $$ > {note}; exec sleep 99'])"
    case = tmp_path / "RBF001" / "case.py"
    case.parent.mkdir()
    case.write_text(Version(PLAIN).text(), encoding="utf-8")
    case.with_name("case.fixed.py").write_text(building(left, "time.sleep(0.2)").text(), encoding="utf-8")
    with Worker(LIMITS) as worker:
        run_cases(list(pairs(tmp_path)), META, [worker])
    wait_until(lambda: not is_running(int(note.read_text(encoding="ascii"))))


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def test_memory_that_is_held_counts_and_reserved_memory_does_not() -> None:
    before = held_memory(os.getpid())
    with mmap.mmap(-1, 2**32) as reserved:
        assert held_memory(os.getpid()) - before < 2**26
        reserved[: 2**27] = b"x" * 2**27
        assert held_memory(os.getpid()) - before >= 2**27


def test_a_server_without_torch_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    with Worker(LIMITS) as worker, pytest.raises(WorkerError, match="no torch here"):
        worker.run({"do": "describe", "devices": ["meta"]})


@pytest.mark.usefixtures("heeding_interrupts")
def test_an_interrupted_run_ends_at_once(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    note = tmp_path / "pid"
    case = tmp_path / "RBF001" / "case.py"
    case.parent.mkdir()
    hanging = Version(
        rows(PLAIN, f"open({str(note)!r}, 'w').write(str(__import__('os').getpid()))"), "while True: pass"
    )
    case.write_text(hanging.text(), encoding="utf-8")
    case.with_name("case.fixed.py").write_text(Version().text(), encoding="utf-8")
    command = [sys.executable, "-m", "regbuf_lint.verify", str(tmp_path), "--timeout", "300"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: note.exists() and note.read_text(encoding="ascii") != "")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "regbuf-verify: error: interrupted\n")
    wait_until(lambda: not is_running(int(note.read_text(encoding="ascii"))))


def wait_until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.05)
