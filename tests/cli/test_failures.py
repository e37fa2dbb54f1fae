"""Honest exit codes: what goes wrong in the run itself is exit code 2 and one line, and costs no finding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.cli import kept_run
from regbuf_lint.cli import main as cli
from regbuf_lint.engine import run, workers, writing
from regbuf_lint.engine.fixing import fix_text
from regbuf_lint.source.atomic_write import write_atomically
from regbuf_lint.source.errors import SourceError
from small_files import PLAIN_TENSOR

if TYPE_CHECKING:
    from regbuf_lint.engine.fixing import FixMode

Capture = pytest.CaptureFixture[str]
FULL = Path("/dev/full")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PLAIN_TENSOR)


def shell(command: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command line in which ``LINT`` is the linter."""
    lint = f'"{sys.executable}" -m regbuf_lint --isolated --no-cache'
    script = command.replace("LINT", lint)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def one_error(message: str) -> str:
    return f"regbuf-lint: error: {message}\n"


@pytest.mark.skipif(os.name != "posix", reason="closes files as a shell does")
@pytest.mark.parametrize("options", ["", "--output-format json", "--output-format sarif", "--diff -q", "--list-rules"])
def test_closed_standard_output(options: str) -> None:
    assert shell(f"LINT {options} a.py >&-") == (2, "", one_error("standard output: closed"))


@pytest.mark.skipif(sys.platform != "linux", reason="removes the working directory")
@pytest.mark.parametrize("options", ["a.py", "--show-files a.py", "--clean-cache", "--diff -"])
def test_a_working_directory_that_is_gone(options: str) -> None:
    told = one_error("the working directory: no such file or directory")
    assert shell(f"mkdir gone; cd gone; rmdir ../gone; LINT {options} < /dev/null") == (2, "", told)
    assert shell("mkdir gone; cd gone; rmdir ../gone; LINT --list-rules")[0] == 0


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "options", ["a.py", "--output-format json a.py", "--diff -q a.py", "--explain RBF001", "--help", "--version"]
)
def test_a_full_disk(options: str) -> None:
    assert shell(f"LINT {options} > /dev/full") == (2, "", one_error("standard output: no space left on device"))


@pytest.mark.skipif(os.name != "posix", reason="closes files as a shell does")
def test_version_to_a_closed_standard_output() -> None:
    assert shell("LINT --version >&-") == (2, "", one_error("standard output: closed"))


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
def test_other_reports_and_fixes_are_written_to_the_end() -> None:
    code, _, err = shell("LINT --output-format json:out.json,full a.py > /dev/full")
    assert (code, err) == (2, one_error("standard output: no space left on device"))
    assert [one["code"] for one in json.loads(Path("out.json").read_text())] == ["RBF001"]
    assert shell("LINT --fix a.py > /dev/full")[0] == 2
    assert "register_buffer" in Path("a.py").read_text()


@pytest.mark.skipif(os.name != "posix", reason="closes files as a shell does")
def test_closed_standard_output_that_nobody_misses() -> None:
    assert shell("LINT --output-format json:out.json a.py >&-") == (1, "", "")


@pytest.mark.skipif(os.name != "posix", reason="closes files as a shell does")
def test_closed_standard_error() -> None:
    code, out, _ = shell("LINT --output-format concise -v a.py 2>&-")
    assert code == 1
    assert out.startswith("a.py:8:9: RBF001")


@pytest.mark.skipif(os.name != "posix", reason="closes files as a shell does")
@pytest.mark.parametrize("command", ["-", "--server"])
def test_closed_standard_input(command: str) -> None:
    assert shell(f"LINT {command} <&-") == (2, "", one_error("standard input is closed"))


@pytest.mark.skipif(os.name != "posix", reason="closes files as a shell does")
def test_a_language_server_without_standard_output() -> None:
    assert shell("LINT --server </dev/null >&-") == (2, "", one_error("standard output: closed"))


@pytest.mark.skipif(os.name != "posix", reason="closes files as a shell does")
def test_a_reader_that_has_gone_changes_no_exit_code() -> None:
    assert shell("LINT --output-format concise a.py | true; exit ${PIPESTATUS[0]}")[::2] == (1, "")


def test_an_internal_error_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def fail(*_: object) -> int:
        msg = "first\nsecond"
        raise ZeroDivisionError(msg)

    monkeypatch.setattr(kept_run, "run_files", fail)
    assert cli.main(["a.py"]) == 2
    assert capsys.readouterr() == ("", one_error("internal error, please report it: ZeroDivisionError: first"))


@pytest.mark.parametrize("others", [(), ("--output-format", "json")])
def test_a_file_that_cannot_be_written_keeps_its_findings(
    others: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    Path("b.py").write_text(PLAIN_TENSOR)

    def fail(path: Path, data: bytes, expected: bytes) -> None:
        if path.name == "a.py":
            msg = "cannot be written: no space left on device"
            raise SourceError(msg)
        write_atomically(path, data, expected)

    monkeypatch.setattr(writing, "write_atomically", fail)
    assert cli.main(["--fix", "--no-cache", *others, "."]) == 2
    out = capsys.readouterr().out
    assert "cannot be written: no space left on device" in out
    if others:
        assert [(one["code"], one["filename"]) for one in json.loads(out)] == [(None, "a.py"), ("RBF001", "a.py")]
    else:
        assert "a.py:8:9: RBF001 [*] `M.m`" in out
        assert out.endswith("Found 2 findings (1 fixed, 1 remaining) in 1 file with 1 nn.Module class.\n")
    assert Path("a.py").read_text() == PLAIN_TENSOR
    assert "register_buffer" in Path("b.py").read_text()


def test_what_rests_on_a_file_that_was_not_written_is_judged_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """A second name of a tensor is a plain tensor; with the fixed base it would be the alias of a buffer."""
    Path("b.py").write_text(
        "from a import M\n\n\nclass N(M):\n    def __init__(self):\n        super().__init__()\n"
        "        self.k = self.m\n\n    def forward(self, x):\n        return x + self.k\n"
    )

    def fail(*_: object) -> None:
        msg = "cannot be written"
        raise SourceError(msg)

    command = ["--fix", "--no-cache", "--output-format", "json", "."]
    with monkeypatch.context() as patch:
        patch.setattr(writing, "write_atomically", fail)
        assert cli.main(command) == 2
    found = [(one["code"], one["filename"]) for one in json.loads(capsys.readouterr().out)]
    assert found == [(None, "a.py"), ("RBF001", "a.py"), ("RBF001", "b.py")]
    assert cli.main(command) == 1
    assert [one["code"] for one in json.loads(capsys.readouterr().out)] == ["RBF105"]


def test_text_that_cannot_be_encoded_keeps_its_findings(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def fail(*_: object) -> None:
        msg = "cannot be encoded"
        raise SourceError(msg)

    monkeypatch.setattr("regbuf_lint.source.text.SourceText.with_text", fail)
    with Path("a.py").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert cli.main(["--fix", "--no-cache", "--output-format", "concise", "-"]) == 2
    err = capsys.readouterr().err
    assert "error: cannot be encoded" in err
    assert "8:9: RBF001" in err


def test_a_failure_while_fixing_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:

    def fail(source: object, check: object, mode: FixMode) -> object:
        if mode.value != "none":
            raise ZeroDivisionError
        return fix_text(source, check, mode)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "fix_text", fail)
    assert cli.main(["--fix", "--no-cache", "--output-format", "concise", "a.py"]) == 2
    out = capsys.readouterr().out
    assert "internal error, please report it: ZeroDivisionError" in out
    assert "a.py:8:9: RBF001" in out


def test_processes_that_do_not_start_are_done_without(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def fail(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("concurrent.futures.process.ProcessPoolExecutor", fail)
    monkeypatch.setattr(workers, "LEAST_BYTES_FOR_WORKERS", 0)
    Path("b.py").write_text(PLAIN_TENSOR)
    assert cli.main(["--no-cache", "-j2", "--output-format", "concise", "."]) == 1
    assert capsys.readouterr().out.count("RBF001") == 2
