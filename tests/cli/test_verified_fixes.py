"""``--fix --verify``: files are written only when torch confirms their fixed classes."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from borrowed_workers import borrow_workers
from regbuf_lint.cli.main import main
from regbuf_lint.verify import cli

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.mask = torch.ones(3)

    def forward(self, x):
        return self.linear(x) * self.mask
"""
FIXED = MODEL.replace("self.mask = torch.ones(3)", 'self.register_buffer("mask", torch.ones(3), persistent=False)')
OTHER = MODEL.replace("class Net", "class Other")
COUNTING = MODEL.replace(
    "return self", "self.calls = len(self.state_dict()) + len(list(self.buffers()))\n        return self.calls * self"
)
"""A class whose output depends on how many buffers it has: the fix changes it."""
FACTORIES = """\
import torch


def net():
    from model import Net

    return Net(), (torch.randn(2, 3),)


def other():
    from other import Other

    return Other(), (torch.randn(2, 3),)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "factories.py").write_text(FACTORIES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(["--isolated", "--fix", "--verify", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture
def verifier_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the verifier in this process: a program of its own would have to start others that import torch."""
    pytest.importorskip("torch")
    borrow_workers(monkeypatch)

    def run_here(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[:3] == [sys.executable, "-m", "regbuf_lint.verify"]
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = cli.main(command[3:])
        return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())

    monkeypatch.setattr("regbuf_lint.cli.verified_fixes.run_program", run_here)


@pytest.mark.torch
@pytest.mark.usefixtures("verifier_here")
class TestWriting:
    def test_what_verifies_is_written(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, err = run("--factory", "factories.py::net", "model.py", capsys=capsys)
        assert (code, err) == (0, "")
        assert "1 fixed, 0 remaining" in out
        assert (project / "model.py").read_text(encoding="utf-8") == FIXED

    def test_a_device_that_is_not_there_verifies_nothing(
        self, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
        code, _, err = run("--factory", "factories.py::net", "--device", "cuda", "model.py", capsys=capsys)
        assert code == 2
        assert err.startswith("regbuf-lint: error: --verify: there is no device cuda: ")
        assert (project / "model.py").read_text(encoding="utf-8") == MODEL

    def test_what_no_fix_speaks_of_speaks_against_none(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A tensor that the linter does not see stays plain, before and after."""
        hidden = 'self.hidden = eval("torch.ones(3)")\n        self.mask'
        text = MODEL.replace("self.mask", hidden, 1).replace("* self.mask", "* self.mask * self.hidden")
        (project / "model.py").write_text(text, encoding="utf-8")
        code, _, err = run("--factory", "factories.py::net", "model.py", capsys=capsys)
        assert (code, err) == (0, "")
        assert 'self.register_buffer("mask"' in (project / "model.py").read_text(encoding="utf-8")

    def test_fixes_that_were_not_asked_for_are_not_missed(
        self, project: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """With safe fixes alone, what only an unsafe one would mend stays as it is and is reported."""
        own = 'self.register_buffer("own", torch.ones(3, requires_grad=True))'
        lines = [own, "self.ids = torch.ones(1).expand(3)", "self.mask"]
        text = MODEL.replace("self.mask", "\n        ".join(lines), 1)
        text = text.replace("* self.mask", "* self.mask * self.ids * self.own")
        (project / "model.py").write_text(text, encoding="utf-8")
        code, out, err = run("--factory", "factories.py::net", "model.py", capsys=capsys)
        assert code == 1
        assert "not verified" not in err
        assert "RBF001" in out
        assert "RBF101" in out
        assert 'self.register_buffer("mask"' in (project / "model.py").read_text(encoding="utf-8")

    def test_what_fails_is_not_written(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "model.py").write_text(COUNTING, encoding="utf-8")
        code, out, err = run("--factory", "factories.py::net", "model.py", capsys=capsys)
        assert code == 1
        assert "`Net.mask` is a plain tensor" in out
        assert "fixed" not in out
        expected = (
            "not verified, so not written: model.py::Net: outputs-cpu on cpu: call 1 in train() gives another output"
        )
        assert expected in err
        assert (project / "model.py").read_text(encoding="utf-8") == COUNTING

    def test_what_nothing_builds_is_listed(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "other.py").write_text(OTHER, encoding="utf-8")
        code, _, err = run("--factory", "factories.py::net", "model.py", "other.py", capsys=capsys)
        assert code == 1
        assert "not verified, so not written: other.py::Other: no factory builds it" in err
        assert "model.py" not in err
        assert (project / "model.py").read_text(encoding="utf-8") == FIXED
        assert (project / "other.py").read_text(encoding="utf-8") == OTHER

    def test_a_file_with_a_class_that_nothing_builds(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A file is written as a whole or not at all."""
        both = MODEL + "\n\n" + OTHER.partition("\n\n\n")[2]
        (project / "model.py").write_text(both, encoding="utf-8")
        code, out, err = run("--factory", "factories.py::net", "model.py", capsys=capsys)
        assert code == 1
        assert "model.py::Other: no factory builds it" in err
        assert out.count("is a plain tensor") == 2
        assert (project / "model.py").read_text(encoding="utf-8") == both

    def test_several_factories(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "other.py").write_text(OTHER, encoding="utf-8")
        arguments = ["--factory", "factories.py::net", "--factory", "factories.py::other", "model.py", "other.py"]
        code, _, err = run(*arguments, capsys=capsys)
        assert (code, err) == (0, "")
        assert (project / "other.py").read_text(encoding="utf-8") == FIXED.replace("class Net", "class Other")

    def test_what_fails_is_left_out_for_the_others(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "other.py").write_text(COUNTING.replace("class Net", "class Other"), encoding="utf-8")
        arguments = ["--factory", "factories.py::net", "--factory", "factories.py::other", "model.py", "other.py"]
        code, _, err = run(*arguments, capsys=capsys)
        assert code == 1
        assert "not verified, so not written: other.py::Other: outputs-cpu" in err
        assert "model.py" not in err
        assert (project / "model.py").read_text(encoding="utf-8") == FIXED
        assert "register_buffer" not in (project / "other.py").read_text(encoding="utf-8")

    def test_a_base_is_built_through_its_subclass(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "other.py").write_text("from model import Net\nclass Other(Net):\n    pass\n", encoding="utf-8")
        code, _, err = run("--factory", "factories.py::other", "model.py", capsys=capsys)
        assert (code, err) == (0, "")
        assert (project / "model.py").read_text(encoding="utf-8") == FIXED

    def test_a_factory_that_fails(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "factories.py").write_text("def net():\n    raise ValueError('no data')\n", encoding="utf-8")
        code, _, err = run("--factory", "factories.py::net", "model.py", capsys=capsys)
        assert code == 1
        assert "model.py::Net: factories.py::net: the factory net() raises ValueError: no data (factories.py:2)" in err
        assert "; the original does not work either\n" in err
        assert (project / "model.py").read_text(encoding="utf-8") == MODEL

    def test_a_missing_factory_is_a_mistake(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, err = run("--factory", "gone.py::net", "model.py", capsys=capsys)
        assert (code, out) == (2, "")
        assert err == "regbuf-lint: error: --verify: --factory: gone.py: no such file\n"
        assert (project / "model.py").read_text(encoding="utf-8") == MODEL

    def test_nothing_to_fix_starts_nothing(
        self, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (project / "model.py").write_text(FIXED, encoding="utf-8")
        monkeypatch.setattr("regbuf_lint.cli.verified_fixes.run_program", None)
        assert run("--factory", "factories.py::net", "model.py", capsys=capsys)[0] == 0


def judging(monkeypatch: pytest.MonkeyPatch, passes: Callable[[str, list[str]], bool]) -> list[list[str]]:
    """Put a stand-in for the verifier, which passes a class by its file's name and those of the files in fixed form."""
    runs: list[list[str]] = []

    def judge(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        targets = [one for one in command if "::" in one and "f.py::" not in one]
        fixed = [Path(one.partition("=")[0]).name for one in command if ".py=" in one]
        runs.append(fixed)
        found = [
            {"target": one, "outcome": "passed" if passes(Path(one).name, fixed) else "failed", "reason": "no"}
            for one in targets
        ]
        return subprocess.CompletedProcess(command, 0, json.dumps({"targets": found, "absent_devices": {}}), "")

    monkeypatch.setattr("regbuf_lint.cli.verified_fixes.run_program", judge)
    return runs


def files(project: Path, *names: str) -> None:
    for name in names:
        text = MODEL.replace("class Net", f"class {name.title()}")
        (project / f"{name}.py").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("wrong", [[], ["two", "six"]])
def test_all_files_are_verified_by_one_process(
    wrong: list[str], project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are, and whether or not some fail; only those that pass are written."""
    names = ["eight", "five", "four", "one", "seven", "six", "three", "two"]
    files(project, *names)
    (project / "model.py").unlink()
    runs = judging(monkeypatch, lambda name, _: name.partition(".")[0] not in wrong)
    code, _, err = run(*(f"--factory=f.py::{name}" for name in names), ".", capsys=capsys)
    assert code == bool(wrong)
    assert runs == [[f"{name}.py" for name in names]]
    assert err.splitlines() == [
        f"regbuf-lint: warning: not verified, so not written: {name}.py::{name.title()}: no" for name in sorted(wrong)
    ]
    for name in names:
        text = (project / f"{name}.py").read_text(encoding="utf-8")
        assert ("register_buffer" in text) == (name not in wrong)


@pytest.mark.usefixtures("project")
def test_options_are_passed_on(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def judge(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        found = [{"target": one, "outcome": "passed", "reason": ""} for one in command if one.endswith("model.py::Net")]
        return subprocess.CompletedProcess(command, 0, json.dumps({"targets": found, "absent_devices": {}}), "")

    monkeypatch.setattr("regbuf_lint.cli.verified_fixes.run_program", judge)
    options = ["--inputs", "-torch.ones(3)", "--timeout", "7", "--memory", "512", "--device", "cpu,meta"]
    options[0:2] = ["--inputs=-torch.ones(3)"]
    assert run("--factory", "f.py::f", *options, "model.py", capsys=capsys)[0] == 0
    (command,) = commands
    for option in ("--inputs=-torch.ones(3)", "--timeout=7", "--memory=512"):
        assert option in command
    assert command[command.index("--device") + 1] == "cpu,meta"


@pytest.mark.parametrize("option", ["--inputs=1", "--timeout=1", "--memory=1", "--device=cpu"])
def test_options_of_the_verifier_need_it(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--isolated", "--fix", option, "."]) == 2
    assert "needs --verify" in capsys.readouterr().err


def test_a_file_that_is_not_written_is_reported_as_it_is(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = MODEL.replace("self.mask = ", "self.other = self.mask = ").replace("* self.mask", "* self.mask + self.other")
    (project / "model.py").write_text(base, encoding="utf-8")
    (project / "other.py").write_text(OTHER, encoding="utf-8")
    judging(monkeypatch, lambda name, _: name == "other.py::Other")
    code, out, err = run("--unsafe-fixes", "--factory", "f.py::f", "model.py", "other.py", capsys=capsys)
    assert code == 1
    assert err == "regbuf-lint: warning: not verified, so not written: model.py::Net: no\n"
    assert out.endswith("Found 3 findings (1 fixed, 2 remaining) in 2 files with 2 nn.Module classes.\n")
    assert (project / "model.py").read_text(encoding="utf-8") == base
    assert (project / "other.py").read_text(encoding="utf-8") == FIXED.replace("class Net", "class Other")


@pytest.mark.usefixtures("project")
def test_without_torch_nothing_is_written(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "hidden").mkdir()
    (project / "hidden" / "torch.py").write_text("raise ImportError('no torch here')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(project / "hidden"), prepend=":")
    code, out, err = run("--factory", "factories.py::net", "model.py", capsys=capsys)
    assert (code, out) == (2, "")
    assert err.startswith("regbuf-lint: error: --verify: ImportError: no torch here")
    assert (project / "model.py").read_text(encoding="utf-8") == MODEL


@pytest.mark.parametrize(
    "arguments",
    [
        ["--verify", "--factory", "a.py::b"],
        ["--verify", "--fix"],
        ["--fix", "--factory", "a.py::b"],
        ["--verify", "--factory", "a.py::b", "--diff", "--fix"],
        ["--verify", "--factory", "a.py::b", "--fix", "-"],
    ],
)
def test_options_that_need_each_other(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--isolated", *arguments]) == 2
    assert "--verify" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_program_ends_with_the_one_that_runs_it(number: signal.Signals, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    child = (
        "import os, pathlib, signal, time\n"
        f"signal.signal(signal.SIGTERM, lambda *_: (pathlib.Path({str(tmp_path / 'ended')!r}).touch(), os._exit(0)))\n"
        f"pathlib.Path({str(note)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(60)"
    )
    code = (
        "import sys; from regbuf_lint.cli.verified_fixes import run_program\n"
        f"run_program([sys.executable, '-c', {child!r}])"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as run_of_it:
        deadline = time.monotonic() + 60
        while not (note.exists() and note.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        run_of_it.send_signal(number)
        assert run_of_it.wait(60) == 128 + number
    assert (tmp_path / "ended").exists()


@pytest.mark.torch
def test_the_verifier_is_a_program_of_its_own(project: Path) -> None:
    """The linter imports neither torch nor what it verifies."""
    pytest.importorskip("torch")
    code = (
        "import sys; from regbuf_lint.cli.main import main\n"
        "main(['--isolated', '--fix', '--verify', '--factory', 'factories.py::net', 'model.py'])\n"
        "assert not {'torch', 'model'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=project)
    assert done.returncode == 0, done.stderr
    assert (project / "model.py").read_text(encoding="utf-8") == FIXED
