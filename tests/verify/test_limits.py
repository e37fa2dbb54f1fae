"""Whatever the code under verification does, it gives its own case a failed verdict, and nothing else."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mutants import FIXED, PLAIN, Version, method, rows

from borrowed_workers import BorrowingWorker
from regbuf_lint.verify.cases import pairs
from regbuf_lint.verify.isolation.client import CAN_FORK, FACTS, Worker, WorkerError
from regbuf_lint.verify.isolation.supervision import Limits, held_memory, holds_more
from regbuf_lint.verify.model import BUILDS, Machine, Outcome, Verdict
from regbuf_lint.verify.runner import run_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from regbuf_lint.verify.model import CaseReport

pytestmark = [pytest.mark.torch, pytest.mark.skipif(not CAN_FORK, reason="limits are watched on Linux")]

LIMITS = Limits(seconds=8, memory=900)
PATIENT = Limits(seconds=90, memory=900)
TAKING = {"fills_memory", "child_fills_memory", "prints_without_end", "child_prints_without_end"}
"""Those that are ended for what they take, which lasts on a loaded machine; they get the time."""
JOBS = 4
"""How many run at a time: most of the time goes by while some wait until theirs is up."""
META = Machine("2.13.0", "3", {"meta": ""})
MARK = 97531
"""Seconds that no other program sleeps."""
LARGE, MANY = b"x" * (2**20 + 1), 120
"""What is linked instead of copied: files of such a size, and what is in a directory with so many others."""
SHARED = f"regbuf_shared_{os.getpid()}"
"""The name of memory that no other run has."""
RIGHT = "z_right"
"""Verified last, by the workers that the others have used."""


def building(*done: str) -> Version:
    return Version(rows("import ctypes, os, signal, subprocess, sys, time", FIXED, *done))


BAD = {
    "exits": (building("os._exit(0)"), "ended early with exit code 0"),
    "exits_with_code": (building("os._exit(3)"), "ended early with exit code 3"),
    "leaves": (building("sys.exit(5)"), "SystemExit: 5"),
    "interrupts": (building("raise KeyboardInterrupt"), "the constructor raises KeyboardInterrupt"),
    "raises_what_is_no_exception": (
        building("raise type('Odd', (BaseException,), {})('x')"), "the constructor raises Odd: x ("
    ),
    "raises_what_cannot_be_read": (
        building("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()"),
        "the constructor raises Odd: its message cannot be read (",
    ),
    "segfaults": (building("ctypes.string_at(0)"), "killed by SIGSEGV"),
    "aborts": (building("os.abort()"), "killed by SIGABRT"),
    "hangs": (Version(first="while True: pass"), "took longer than 8 s"),
    "hangs_later": (
        Version(rows("import time", FIXED), more=method("def named_buffers(self, *given, **more):",
                "import sys, time", "if 'optimizer_step' in sys._getframe(1).f_code.co_filename: time.sleep(99)",
                "return super().named_buffers(*given, **more)")), "took longer"
    ),
    "ignores_signals": (building("signal.signal(signal.SIGTERM, signal.SIG_IGN)", "time.sleep(99)"), "took longer"),
    "fills_memory": (building("self.held = [bytearray(b'x' * 2**26) for _ in range(99)]"), "more than 900 MiB"),
    "child_fills_memory": (
        building("subprocess.run([sys.executable, '-c', \"x = [b'x' * 2**26 for _ in range(99)]\"])"),
        "more than 900 MiB",
    ),
    "prints": (building("print('epoch 1')"), "wrote to standard output, and the original did not: 'epoch 1'"),
    "writes_to_descriptor": (building("os.write(1, b'{}')"), "and the original did not: '{}"),
    "child_prints": (building("subprocess.run(['echo', 'hello'])"), "and the original did not: 'hello'"),
    "prints_without_end": (building("while True: print('x' * 2**16)"), "printed more than 64 MiB"),
    "child_prints_without_end": (building("subprocess.run(['yes'])"), "printed more than 64 MiB"),
    "closes_descriptors": (building("os.closerange(0, 999)", "os._exit(0)"), "ended early"),
    "writes_everywhere": (
        building("for number in range(3, 64):", "    try: os.write(number, b'{\"how\": \"exited\"}\\n')",
                 "    except OSError: pass", "os._exit(0)"),
        "ended early",
    ),
    "kills_parent": (building("os.kill(os.getppid(), signal.SIGKILL)", "time.sleep(99)"), "starts the others"),
    "leaves_a_session": (
        building(f"subprocess.Popen(['sleep', '{MARK}'], start_new_session=True)", "os._exit(1)"), "ended early"
    ),
    "leaves_a_daemon": (
        building("if not os.fork():", "    os.setsid()", "    if os.fork(): os._exit(0)",
                 f"    os.execvp('sleep', ['sleep', '{MARK}'])", "os.wait()", "time.sleep(0.3)", "os._exit(1)"),
        "ended early",
    ),
    "leaves_one_that_ignores": (
        building(f"subprocess.Popen(['sh', '-c', 'trap \"\" TERM HUP INT; sleep {MARK}; sleep {MARK}'], "
                 "start_new_session=True, env={})", "time.sleep(0.3)", "os._exit(1)"), "ended early"
    ),
    "leaves_one_and_hangs": (
        building(f"subprocess.Popen(['sleep', '{MARK}'], start_new_session=True)", "time.sleep(99)"), "took longer"
    ),
    "puts_a_file_in_the_place_of_its_directory": (
        building("import pathlib, shutil, tempfile", "own = pathlib.Path(tempfile.gettempdir()).parent",
                 "if own.name.startswith('regbuf-verify-'):", "    shutil.rmtree(own, ignore_errors=True)",
                 "    own.write_text('x')"),
        "ended early",
    ),
    "shares_memory": (
        building("from multiprocessing.shared_memory import SharedMemory",
                 f"self.shared = SharedMemory(create=True, size=9, name='{SHARED}')", "os._exit(1)"),
        "ended early",
    ),
    "shares_memory_and_hangs": (
        building("from multiprocessing.shared_memory import SharedMemory",
                 f"self.shared = SharedMemory(create=True, size=9, name='{SHARED}_2')", "time.sleep(99)"),
        "took longer",
    ),
    "writes_files": (
        building("open('new.txt', 'w').write('x')", "open('kept.txt', 'w').write('x')",
                 "open('data/new.txt', 'w').write('x')", "open('data/kept.txt', 'w').write('x')",
                 "import tempfile; tempfile.mkdtemp(); tempfile.mkstemp()", "os._exit(1)"),
        "ended early",
    ),
    "removes_files": (
        building("import shutil; shutil.rmtree(os.getcwd()); shutil.rmtree(os.environ['TMPDIR'])", "os._exit(1)"),
        "ended early",
    ),
    "writes_a_large_file": (
        building("open('large.bin', 'wb').close()", "open('large2.bin', 'ab').write(b'x')"),
        "it writes large.bin, and the original did not",
    ),
    "writes_far_down": (building("open('a/b/c/new.txt', 'w').close()", "open('a/b/c/kept.txt', 'w').close()"),
                        "it writes a/b/c/new.txt, and the original did not"),
    "writes_to_the_home_directory": (
        building("open(os.path.expanduser('~/new.txt'), 'w').close()",
                 "open(os.path.expanduser('~/kept.txt'), 'w').close()"),
        "it writes ~/new.txt, and the original did not",
    ),
    "writes_beside_the_source": (
        building("beside = os.path.dirname(__file__)", "os.makedirs(beside + '/runs/one', exist_ok=True)",
                 "open(beside + '/runs/one/new.txt', 'w').close()", "open(beside + '/new.txt', 'w').close()"),
        "/runs, and the original did not",
    ),
    "starts_a_process": (building("subprocess.run(['true'])"), "it starts a process, and the original did not"),
    "goes_elsewhere": (building("os.chdir('/')"), "working directory"),
    "recurses": (building("def again(): return again()", "again()"), "RecursionError"),
    "threads_without_end": (
        building("import threading", "threading.Thread(target=time.sleep, args=(99,)).start()", "raise ValueError(9)"),
        "ValueError: 9",
    ),
    "writes_escapes": (building("raise ValueError('\\x1b[31m\\x07red')"), "ValueError: \\x1b[31m\\x07red"),
    "says_too_much": (building("raise ValueError('x' * 10**7)"), "ValueError: xxx"),
    "raises": (building("raise ValueError('no luck')"), "ValueError: no luck"),
}  # fmt: skip
"""What a fixed version does, and what the verdict says."""


BUILT = {"goes_elsewhere"}
"""Those that can be built and called; another check speaks against them."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CaseReport]:
    pytest.importorskip("torch")
    directory = tmp_path_factory.mktemp("bad") / "RBF001"
    directory.mkdir()
    for name, version in [*((name, version) for name, (version, _) in BAD.items()), (RIGHT, Version())]:
        (directory / f"{name}.py").write_text(Version(PLAIN).text(), encoding="utf-8")
        (directory / f"{name}.fixed.py").write_text(version.text(), encoding="utf-8")
    here, temporary = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("temporary")
    (here / "kept.txt").write_text("kept", encoding="utf-8")
    (here / "data").mkdir()
    (here / "data" / "kept.txt").write_text("kept", encoding="utf-8")
    (here / "a" / "b" / "c").mkdir(parents=True)
    (here / "a" / "b" / "c" / "kept.txt").write_text("kept", encoding="utf-8")
    for number in range(MANY):
        (here / "a" / f"{number}.txt").write_text("kept", encoding="utf-8")
    for name in ("large.bin", "large2.bin"):
        (here / name).write_bytes(LARGE)
    home = tmp_path_factory.mktemp("home")
    (home / "kept.txt").write_text("kept", encoding="utf-8")
    before, temporary_before, shared = Path.cwd(), tempfile.tempdir, shared_memory()
    os.chdir(here)
    tempfile.tempdir = str(temporary)
    try:
        *bad, right = pairs(directory)
        with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
            workers = [stack.enter_context(Worker(LIMITS)) for _ in range(JOBS)]
            patient = stack.enter_context(Worker(PATIENT))
            patch.setenv("HOME", str(home))
            found = run_cases([one for one in bad if one.name not in TAKING], META, workers)
            found += run_cases([one for one in bad if one.name in TAKING], META, [patient])
            after = [run_cases([right], META, [worker])[0] for worker in (*workers, patient)]
    finally:
        os.chdir(before)
        tempfile.tempdir = temporary_before
    LEFT.update(directory=directory, home=home, here=here, temporary=temporary, shared=shared_memory() - shared)
    assert [one.verdict for one in after] == [after[0].verdict] * (JOBS + 1)
    return {report.case.name: report for report in [*found, after[0]]}


def shared_memory() -> set[str]:
    """Return the names of the memory that the programs share."""
    return {one.name for one in Path("/dev/shm").glob(f"{SHARED}*")}  # noqa: S108  that is where it is


LEFT: dict[str, Any] = {}
"""The directories in which the programs were run, and the memory that they left."""


def built(report: CaseReport) -> Verdict:
    return next(one.verdict for one in report.results if one.check == BUILDS)


@pytest.mark.parametrize("name", BAD)
def test_it_gives_its_case_a_failed_verdict(name: str, reports: dict[str, CaseReport]) -> None:
    report = reports[name]
    assert report.verdict.outcome is Outcome.FAILED
    verdict = built(report) if name not in BUILT else report.verdict
    assert BAD[name][1] in verdict.reason
    assert verdict.reason.isprintable()


def test_it_does_nothing_else(reports: dict[str, CaseReport]) -> None:
    assert reports[RIGHT].verdict.outcome is Outcome.PASSED
    assert set(reports) == {*BAD, RIGHT}


def test_the_verdict_says_where_it_happened(reports: dict[str, CaseReport]) -> None:
    for name in ("segfaults", "hangs"):
        assert "while it was built and called" in built(reports[name]).reason
    assert "in optimizer-step on cpu" in built(reports["hangs_later"]).reason


@pytest.mark.usefixtures("reports")
def test_no_files_are_left_and_none_is_changed() -> None:
    here, temporary = LEFT["here"], LEFT["temporary"]
    found = sorted(one.relative_to(here).as_posix() for one in here.rglob("*") if one.parent.name != "a")
    assert found == [
        *("a", "a/b/c", "a/b/c/kept.txt", "data", "data/kept.txt", "kept.txt", "large.bin", "large2.bin"),
    ]
    assert {one.read_bytes() for one in here.glob("*.bin")} == {LARGE}
    assert [one.read_text(encoding="utf-8") for one in LEFT["home"].iterdir()] == ["kept"]
    assert [one for one in LEFT["directory"].iterdir() if one.suffix != ".py"] == []
    assert {one.read_text(encoding="utf-8") for one in here.rglob("*.txt")} == {"kept"}
    assert list(temporary.iterdir()) == []
    assert LEFT["shared"] == set()


@pytest.mark.usefixtures("reports")
def test_no_process_is_left() -> None:
    assert list(sleeping()) == []


def sleeping() -> Iterator[Path]:
    """Yield the processes that the programs have left."""
    for one in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(MARK).encode() in (one / "cmdline").read_bytes() and is_running(int(one.name)):
                yield one


def test_memory_that_torch_shares_is_given_back(tmp_path: Path) -> None:
    """The process that torch starts for that is killed, too, before it can do so."""
    pytest.importorskip("torch")
    note, case = tmp_path / "pid", tmp_path / "RBF001" / "case.py"
    case.parent.mkdir()
    sharing = (
        "torch.multiprocessing.set_sharing_strategy('file_system')",
        "KEPT.append(torch.ones(9).share_memory_())",
    )
    noting = f"open({str(note)!r}, 'w').write(str(__import__('os').getpid()))"
    original = Version(rows(PLAIN, *sharing, noting), top="KEPT = []\n")
    case.write_text(original.text(), encoding="utf-8")
    case.with_name("case.fixed.py").write_text(
        Version(rows(FIXED, *sharing, noting), top="KEPT = []\n").text(), encoding="utf-8"
    )
    with BorrowingWorker(LIMITS) as worker:
        run_cases(list(pairs(tmp_path)), META, [worker])
    assert shared_by_torch(note.read_text(encoding="ascii")) == []


def test_a_directory_that_cannot_be_removed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    with BorrowingWorker(LIMITS) as worker:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)
        done = worker.run({"do": "describe", "devices": []})
    assert (done.ending.how, done.ending.code) == ("exited", 0)
    assert len(list(tmp_path.glob(f"*/{FACTS}"))) == 1  # it is still there


def shared_by_torch(pid: str) -> list[Path]:
    return list(Path("/dev/shm").glob(f"torch_{pid}_*"))  # noqa: S108  that is where it is


def test_what_the_original_prints_too_is_no_failure(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    case = tmp_path / "RBF001" / "case.py"
    case.parent.mkdir()
    case.write_text(
        Version(rows(PLAIN, "print('took 0.31 s' or self.scale)", "print('original' or self.scale)")).text(),
        encoding="utf-8",
    )
    fixed = case.with_name("case.fixed.py")
    fixed.write_text(Version(rows(FIXED, "print('took 17 s' or self.scale)")).text(), encoding="utf-8")
    with BorrowingWorker(LIMITS) as worker:
        (report,) = run_cases(list(pairs(tmp_path)), META, [worker])
    assert report.verdict.outcome is Outcome.PASSED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prints"])
def test_without_forking(name: str, tmp_path: Path) -> None:
    """An interpreter for each version, as on systems where forking is not to be had."""
    pytest.importorskip("torch")
    directory = tmp_path / "RBF001"
    directory.mkdir()
    (directory / f"{name}.py").write_text(Version(PLAIN).text(), encoding="utf-8")
    (directory / f"{name}.fixed.py").write_text(BAD[name][0].text(), encoding="utf-8")
    with Worker(Limits(seconds=60), fork=False) as worker:
        (bad,) = run_cases(list(pairs(directory)), META, [worker])
    failures = [one for one in bad.results if one.verdict.outcome is Outcome.FAILED]
    assert [one.check for one in failures] == [BUILDS, "same-code"]
    assert BAD[name][1] in failures[0].verdict.reason


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
        assert held_memory(os.getpid()) - before > 2**26  # less than is written: the process may free some meanwhile


def test_what_children_share_with_their_parent_counts_once() -> None:
    code = (
        "import os, time; held = b'x' * 2**27; forked = [os.fork() for _ in range(3)]; "
        "all(forked) and print('ready'); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-uc", code], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.read(5) == b"ready"  # the parent alone says so, of eight processes
        assert held_memory(process.pid) > 4 * 2**27
        assert not holds_more(process.pid, 2 * 2**27)
        assert holds_more(process.pid, 2**26)
        os.killpg(process.pid, signal.SIGKILL)


def test_children_that_end_while_memory_is_measured() -> None:
    deadline = time.monotonic() + 2

    def start() -> None:
        while time.monotonic() < deadline:
            subprocess.run(["true"], check=True)

    with ThreadPoolExecutor() as starting:
        done = starting.submit(start)
        while not done.done():
            assert held_memory(os.getpid()) > 0


def test_one_that_stops_the_server_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server keeps the limit, so what stops it would never end."""
    monkeypatch.setattr("regbuf_lint.verify.isolation.client.LATE", 2.0)
    (tmp_path / "RBF001").mkdir()
    fixed = building("os.kill(os.getppid(), signal.SIGSTOP)", "time.sleep(99)")
    (tmp_path / "RBF001" / "case.py").write_text(Version(PLAIN).text(), encoding="utf-8")
    (tmp_path / "RBF001" / "case.fixed.py").write_text(fixed.text(), encoding="utf-8")
    with Worker(Limits(seconds=4)) as worker:
        (report,) = run_cases(list(pairs(tmp_path)), META, [worker])
    assert "took longer than 4 s" in report.verdict.reason


def test_a_server_without_torch_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    with Worker(LIMITS) as worker, pytest.raises(WorkerError, match="no torch here"):
        worker.run({"do": "describe", "devices": ["meta"]})


@pytest.mark.usefixtures("heeding_interrupts")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_ends_at_once(number: signal.Signals, tmp_path: Path) -> None:
    """With what the code has started, and without leaving files."""
    pytest.importorskip("torch")
    temporary, note = tmp_path / "tmp", tmp_path / "pid"
    temporary.mkdir()
    case = tmp_path / "RBF001" / "case.py"
    case.parent.mkdir()
    daemon = f"__import__('subprocess').Popen(['sleep', '{MARK}'], start_new_session=True)"
    noting = f"open({str(note)!r}, 'w').write(str(__import__('os').getpid()))"
    case.write_text(Version(rows(PLAIN, daemon, noting), "while True: pass").text(), encoding="utf-8")
    case.with_name("case.fixed.py").write_text(Version().text(), encoding="utf-8")
    command = [sys.executable, "-m", "regbuf_lint.verify", str(case.parent), "--timeout", "300"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as run:
        wait_until(lambda: note.exists() and note.read_text(encoding="ascii") != "")
        time.sleep(0.5)
        run.send_signal(number)
        _, errors = run.communicate(timeout=20)
    assert (run.returncode, errors) == (130, "regbuf-verify: error: interrupted\n")
    assert not is_running(int(note.read_text(encoding="ascii")))
    assert list(sleeping()) == []
    assert list(temporary.iterdir()) == []


def wait_until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.05)
