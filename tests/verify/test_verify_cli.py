"""``regbuf-verify``: options, formats, exit codes, classes of users."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mutants import PLAIN, Version, rows

from borrowed_workers import borrow_workers
from regbuf_lint.report.json_format import not_followed_record
from regbuf_lint.verify import cli
from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.model import BUILDS, SHOWS_BUG

FACTORY = "from model import Net\nimport torch\ndef make_net():\n    return Net(), (torch.randn(2, 3),)\n"
HAS_NO_CUDA = os.environ.get("CUDA_VISIBLE_DEVICES") in {"", "-1"} or not Path("/dev/nvidiactl").exists()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A right class, a wrong one, and a factory."""
    pytest.importorskip("torch")
    borrow_workers(monkeypatch)
    (tmp_path / "model.py").write_text(Version().text(), encoding="utf-8")
    (tmp_path / "plain.py").write_text(Version(PLAIN).text(), encoding="utf-8")
    (tmp_path / "factories.py").write_text(FACTORY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = cli.main(["-j", "1", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def as_json(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code, out, err = run(*arguments, "--output-format", "json", capsys=capsys)
    assert err == ""
    return code, json.loads(out)


def outcomes(case: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(one["check"], one["device"]): one["outcome"] for one in case["checks"]}


@pytest.mark.torch
@pytest.mark.usefixtures("project")
class TestClassesOfUsers:
    CALLED = ("plain.py::Net", "--init", "Net()", "--inputs", "torch.ones(2, 3)")

    def test_a_right_class_by_an_expression(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, found = as_json("model.py::Net", "--init", "Net()", "--inputs", "torch.randn(2, 3)", capsys=capsys)
        assert code == cli.VERIFIED
        assert found["verified"]
        assert found["summary"]["failed"] == 0
        (target,) = found["targets"]
        assert (Path(target["target"]).name, target["outcome"]) == ("model.py::Net", "passed")
        (case,) = found["cases"]
        assert [one["check"] for one in case["checks"]] == [BUILDS, *CHECKS]
        assert outcomes(case)["outputs-device", next(iter(found["devices"]))] == "passed"
        assert outcomes(case)["checkpoint-loads", "cpu"] == "not run"

    def test_a_wrong_class_by_a_factory(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "factories.py").write_text(FACTORY.replace("model", "plain"), encoding="utf-8")
        code, found = as_json("plain.py::Net", "--factory", "factories.py::make_net", "--device", "meta", capsys=capsys)
        assert code == cli.FAILED
        failed = {check for (check, _), outcome in outcomes(found["cases"][0]).items() if outcome == "failed"}
        assert failed == {"plain-tensors", "moves", "moves-after-use", "casts", "outputs-device", "export"}

    def test_without_inputs_nothing_is_called_or_verified(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, found = as_json("model.py::Net", "--init", "Net()", "--device", "meta", capsys=capsys)
        assert code == cli.FAILED
        by_check = {one["check"]: one for one in found["cases"][0]["checks"]}
        for check in ("outputs-device", "round-trip", "export", "moves-after-use"):
            assert (by_check[check]["outcome"], by_check[check]["reason"]) == ("not run", "no inputs were given")
        assert by_check["deepcopy"]["outcome"] == "passed"

    def test_inputs_with_names(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["model.py::Net", "--init", "Net()", "--inputs", "{'x': torch.randn(2, 3)}", "--device", "meta"]
        code, found = as_json(*arguments, capsys=capsys)
        assert code == cli.VERIFIED
        assert outcomes(found["cases"][0])["outputs-device", "meta"] == "passed"

    def test_inputs_of_a_function_beside_the_factory(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        text = FACTORY.replace("Net(), (torch.randn(2, 3),)", "Net()\ndef inputs():\n    return torch.ones(3)")
        (project / "factories.py").write_text(text, encoding="utf-8")
        code, found = as_json("model.py::Net", "--factory", "factories.py::make_net", "--device", "meta", capsys=capsys)
        assert code == cli.VERIFIED
        assert outcomes(found["cases"][0])["outputs-device", "meta"] == "passed"

    def test_a_fixed_file_is_compared(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = [*self.CALLED, "--fixed", "plain.py=model.py"]
        code, found = as_json(*arguments, "--device", "meta", capsys=capsys)
        assert code == cli.VERIFIED
        assert set(outcomes(found["cases"][0]).values()) == {"passed"}

    def test_nothing_to_be_fixed_is_not_verified(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["model.py::Net", *self.CALLED[1:], "--fixed", "model.py=model.py"]
        _, found = as_json(*arguments, "--device", "meta", capsys=capsys)
        assert found["targets"][0]["outcome"] == "not run"
        assert "nothing to be fixed" in found["targets"][0]["reason"]

    def test_what_no_factory_builds_is_not_verified(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "factories.py").write_text(
            "import torch\ndef make_net():\n    return torch.nn.ReLU()\n", encoding="utf-8"
        )
        code, found = as_json("model.py::Net", "--factory", "factories.py::make_net", "--device", "meta", capsys=capsys)
        assert (found["targets"][0]["outcome"], found["targets"][0]["reason"]) == ("not run", "no factory builds it")
        assert code == cli.FAILED

    def test_a_library_that_is_missing(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "factories.py").write_text("import no_such_library\n" + FACTORY, encoding="utf-8")
        code, found = as_json("model.py::Net", "--factory", "factories.py::make_net", "--device", "meta", capsys=capsys)
        assert found["summary"] == {"passed": 0, "failed": 0, "not run": 1}
        assert found["cases"][0]["checks"][0]["reason"] == "no_such_library is not installed"
        assert code == cli.FAILED

    def test_a_module_of_the_project_that_is_missing(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "factories.py").write_text("import model.gone\n" + FACTORY, encoding="utf-8")
        _, found = as_json("model.py::Net", "--factory", "factories.py::make_net", "--device", "meta", capsys=capsys)
        assert found["cases"][0]["checks"][0]["outcome"] == "failed"

    def test_a_package(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        inner = project / "package" / "inner"
        inner.mkdir(parents=True)
        (project / "package" / "__init__.py").touch()
        (inner / "__init__.py").write_text("SIZE = 3\n", encoding="utf-8")
        (inner / "net.py").write_text("from . import SIZE\n" + Version().text(), encoding="utf-8")
        arguments = ["package/inner/net.py::Net", "--init", "Net()", "--inputs", "torch.ones(SIZE)", "--device", "meta"]
        code, found = as_json(*arguments, capsys=capsys)
        assert code == cli.VERIFIED
        assert found["targets"][0]["outcome"] == "passed"

    def test_a_dataset_of_findings_that_declares_other_keys(
        self, project: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        fix = {"applicability": "safe", "state_dict": {"adds": ["scale"], "removes": []}}
        finding = {"code": "RBF001", "filename": "plain.py", "class": "Net", "attribute": "scale", "fix": fix}
        no_finding = not_followed_record("plain.py", "Net")
        (project / "findings.json").write_text(json.dumps([finding, no_finding]), encoding="utf-8")
        arguments = [*self.CALLED, "--fixed", "plain.py=model.py"]
        code, found = as_json(*arguments, "--device", "meta", "--findings", "findings.json", capsys=capsys)
        assert code == cli.FAILED
        assert outcomes(found["cases"][0])["state-dict-keys", "cpu"] == "failed"


@pytest.mark.torch
@pytest.mark.usefixtures("project")
class TestOutput:
    ARGUMENTS = ("plain.py::Net", "--init", "Net()", "--inputs", "torch.ones(2, 3)", "--device", "meta")

    def test_a_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = run(*self.ARGUMENTS, capsys=capsys)
        assert code == cli.FAILED
        assert "plain-tensors     cpu     FAILED   left: scale: tensor" in out
        assert out.endswith("6 failed, 13 not run.\n")

    def test_a_table_for_a_terminal(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("rich")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", "200")
        _, out, _ = run(*self.ARGUMENTS, capsys=capsys)
        assert re.search(r"│ plain-tensors +│ cpu +│ \S*FAILED", out)
        assert "━" in out

    def test_markdown_into_a_file(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = run(*self.ARGUMENTS, "--output-format", "markdown", "-o", "report.md", capsys=capsys)
        assert (code, out) == (cli.FAILED, "")
        text = (project / "report.md").read_text(encoding="utf-8")
        assert "| plain-tensors | cpu | 0 | 1 | 0 |" in text
        assert "- meta: no device: shapes, dtypes and devices without values" in text

    def test_many_cases_are_summed_up(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        directory = project / "cases" / "RBF001"
        directory.mkdir(parents=True)
        for number in range(4):
            (directory / f"case{number}.py").write_text(Version(PLAIN).text(), encoding="utf-8")
            fixed = Version(PLAIN) if number == 3 else Version()
            (directory / f"case{number}.fixed.py").write_text(fixed.text(), encoding="utf-8")
        code, out, _ = run("cases", "--device", "cpu", capsys=capsys)
        assert code == cli.FAILED
        assert f"{BUILDS:<16}  cpu     4       0       0" in out
        assert "RBF001/case3  plain-tensors  cpu     FAILED" in out
        assert "RBF001/case2  " not in out
        assert "no device other than the CPU was asked for  " in out
        assert "\nRBF001/case3  FAILED   plain-tensors on cpu: " in out
        assert "\nNot verified: 4 cases, of which 3 passed; " in out
        run("cases", "--device", "cpu", "--output-format", "markdown", "-o", "report.md", capsys=capsys)
        text = (project / "report.md").read_text(encoding="utf-8")
        assert "| not verified | outcome | reason |\n" in text
        assert "\n| RBF001/case3 | FAILED | plain-tensors on cpu: " in text

    def test_output_of_the_code_does_not_reach_ours(self, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (project / "plain.py").write_text(Version(rows(PLAIN, "print('{}')")).text(), encoding="utf-8")
        _, found = as_json(*self.ARGUMENTS, capsys=capsys)
        assert found["cases"][0]["checks"][0]["outcome"] == "passed"  # one version may print what it likes


@pytest.mark.torch
@pytest.mark.usefixtures("project")
class TestDevices:
    def test_several(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["model.py::Net", "--init", "Net()", "--inputs", "torch.ones(2, 3)"]
        code, found = as_json(*arguments, "--device", "cpu,meta", "--device", "meta", capsys=capsys)
        assert code == cli.VERIFIED
        assert list(found["devices"]) == ["cpu", "meta"]

    @pytest.mark.skipif(not HAS_NO_CUDA, reason="there may be CUDA")
    def test_one_that_is_absent_is_not_run_and_not_verified(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["model.py::Net", "--init", "Net()", "--inputs", "torch.ones(2, 3)"]
        code, found = as_json(*arguments, "--device", "cuda:0,meta", capsys=capsys)
        assert code == cli.FAILED
        assert not found["verified"]
        assert found["summary"]["failed"] == 0
        checks = [one for one in found["cases"][0]["checks"] if one["device"] == "cuda:0"]
        assert {one["outcome"] for one in checks} == {"not run"}
        assert {one["check"] for one in checks} == {"moves", "moves-after-use", "outputs-device"}
        assert all(one["reason"].startswith("there is no such device: ") for one in checks)

    @pytest.mark.skipif(not HAS_NO_CUDA, reason="there may be CUDA")
    @pytest.mark.parametrize("device", ["auto", "meta", "cuda"])
    def test_cuda_is_required(self, device: str, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ["model.py::Net", "--init", "Net()", "--device", device, "--require-cuda"]
        code, out, err = run(*arguments, capsys=capsys)
        assert (code, out) == (cli.MISTAKE, "")
        assert err.startswith("regbuf-verify: error: CUDA is required: ")


MISTAKES = [
    ([], "name a directory"),
    (["--device", "cuad", "x.py::Net"], "x.py: no such file"),
    (["model.py::Net", "--init", "Net()", "--device", "cuad"], "`cuad` is none of auto"),
    (["model.py::Net", "--init", "Net()", "--device", "auto,meta"], "`auto` stands alone"),
    (["model.py::Net"], "say how to build the class"),
    (["model.py::Net", "--init", "Net()", "--preload", "wave,.chunk"], "`.chunk` is no name of a module"),
    (["model.py::Net", "--init", "Net()", "--factory", "model.py::make"], "either --factory"),
    (["model.py::Net", "--factory", "make"], "expected FILE::NAME, not `make`"),
    (["model.py::Net", "--factory", "gone.py::make"], "gone.py: no such file"),
    (["model.py::A", "model.py::B", "--init", "A()"], "--init builds one class"),
    (["model.py::Net", "--init", "Net()", "--fixed", "model.py"], "expected FILE=FIXED_FILE"),
    (["model.py::Net", "--init", "Net("], "--init: `Net(` is no expression: '(' was never closed"),
    (["model.py::Net", "--init", "Net()", "--inputs", "1 +"], "--inputs: `1 +` is no expression"),
    (["model.py::Net", "--init", "Net()", "--leave-out"], "--leave-out needs classes and --fixed"),
    (["model.py::Net", "--init", "Net()", "--findings", "model.py"], "not what `regbuf-lint"),
    ([".", "--factory", "model.py::make"], "need a class"),
    (["gone"], "gone: no such file or directory"),
    (["empty"], "nothing with make()"),
    (["model.py::Net", "--init", "Net()", "--timeout", "0"], "no positive number"),
    (["model.py::Net", "--init", "Net()", "--memory-limit", "0.5"], "no positive whole number"),
    (["--no-such-option"], "unrecognized arguments"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_mistakes(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "model.py").write_text(Version().text(), encoding="utf-8")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    if "--device" in arguments:
        monkeypatch.setattr(cli, "run_cases", None)
    code = cli.main(arguments)
    printed = capsys.readouterr()
    assert (code, printed.out) == (cli.MISTAKE, "")
    assert message in printed.err
    assert printed.err.startswith("regbuf-verify: error: ")
    assert printed.err.count("\n") == 1


@pytest.mark.torch
@pytest.mark.usefixtures("project")
def test_what_cannot_be_preloaded_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run("model.py::Net", "--init", "Net()", "--preload", "no_such_package", capsys=capsys)
    assert (code, out) == (cli.MISTAKE, "")
    assert err == "regbuf-verify: error: ModuleNotFoundError: No module named 'no_such_package'\n"


LOADED_BEFORE = """
import sys

LOADED = "wave" in sys.modules

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        if not LOADED:
            raise RuntimeError("it would have to be imported here")
        self.scale = torch.ones(2)

    def forward(self, x):
        return x * self.scale
"""


@pytest.mark.torch
@pytest.mark.parametrize(("preload", "expected"), [("wave", "passed"), ("email,wave", "passed"), ("email", "failed")])
def test_what_is_preloaded_is_there_before_the_code(
    preload: str, expected: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "loading.py").write_text(LOADED_BEFORE, encoding="utf-8")
    how = ["--init", "Net()", "--inputs", "torch.ones(2)", "--device", "meta", "--preload", preload]
    _, found = as_json("loading.py::Net", *how, capsys=capsys)
    assert outcomes(found["cases"][0])["builds", "cpu"] == expected


def test_the_checks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--list-checks"]) == cli.VERIFIED
    out = capsys.readouterr().out
    for check in (BUILDS, SHOWS_BUG, *CHECKS):
        assert f"\n{check} " in out


# Bare machines

HIDING = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError("no " + name, name=name)
sys.meta_path.insert(0, Hidden())
"""
OTHERS = ["libcst", "msgspec", "flake8", "rich", "packaging", "pathspec", "tomli", "pytest"]


def without(names: list[str], directory: Path) -> dict[str, str]:
    """An environment in which some libraries cannot be imported."""
    (directory / "sitecustomize.py").write_text(HIDING.format(names=names), encoding="utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(directory), *filter(None, sys.path)])}


@pytest.mark.torch
def test_torch_is_all_that_is_needed(project: Path) -> None:
    command = [sys.executable, "-m", "regbuf_lint.verify", "model.py::Net", "--init", "Net()", "--device", "meta"]
    command += ["--inputs", "torch.ones(2, 3)"]
    environment = without(OTHERS, project)
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (cli.VERIFIED, "")
    assert "Verified: 1 case" in done.stdout
    for name in OTHERS:
        gone = subprocess.run(
            [sys.executable, "-c", f"import {name}"], check=False, capture_output=True, env=environment
        )
        assert gone.returncode == 1


def test_without_torch_there_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(Version().text(), encoding="utf-8")
    command = [sys.executable, "-m", "regbuf_lint.verify", "model.py::Net", "--init", "Net()"]
    environment = without(["torch"], tmp_path)
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (cli.MISTAKE, "")
    assert done.stderr == "regbuf-verify: error: ModuleNotFoundError: no torch\n"


# Older torch

OLD = """
import torch
from torch import nn
torch.__version__ = "2.0.1"
if hasattr(nn, "Buffer"):
    del nn.Buffer
"""
WITH_BUFFER = {
    "attribute": (OLD, "self.scale = nn.Buffer(torch.ones(3), persistent=False)"),
    "name": (OLD + "from torch.nn import Buffer\n", "self.scale = Buffer(torch.ones(3), persistent=False)"),
}


@pytest.mark.torch
@pytest.mark.parametrize("how", WITH_BUFFER)
def test_nn_buffer_needs_newer_torch(how: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, storing = WITH_BUFFER[how]
    directory = project / "RBF001"
    directory.mkdir()
    (directory / "case.py").write_text(OLD + Version(PLAIN).text(), encoding="utf-8")
    text = Version(storing).text()
    (directory / "case.fixed.py").write_text(text.replace("from torch import nn\n", head, 1), encoding="utf-8")
    code, found = as_json(str(directory), "--device", "meta", capsys=capsys)
    (only,) = found["cases"][0]["checks"]
    assert only["outcome"] == "not run"
    assert only["reason"].startswith("needs nn.Buffer, which came with torch 2.5, and this is ")
    assert code == cli.FAILED  # nothing was verified


@pytest.mark.torch
def test_torch_that_cannot_export(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Version().text().replace("import torch\n", "import sys, torch\nsys.modules['torch.export'] = None\n", 1)
    (project / "model.py").write_text(text, encoding="utf-8")
    _, found = as_json(
        "model.py::Net", "--init", "Net()", "--inputs", "torch.ones(3)", "--device", "meta", capsys=capsys
    )
    by_check = {one["check"]: one for one in found["cases"][0]["checks"]}
    assert by_check["export"]["outcome"] == "not run"
    assert by_check["export"]["reason"].startswith("torch.export came with torch 2.1, and this is ")


def test_the_page_speaks_of_every_check() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "verification.md").read_text(encoding="utf-8")
    assert [check for check in (BUILDS, SHOWS_BUG, *CHECKS) if f"`{check}`" not in page] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("option", ["--list-checks", "--version"])
@pytest.mark.parametrize(("to", "why"), [("/dev/full", "No space left on device"), ("&-", "closed")])
def test_output_that_cannot_be_written_is_a_mistake_told_in_one_line(option: str, to: str, why: str) -> None:
    command = f"'{sys.executable}' -m regbuf_lint.verify {option} >{to}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    assert (done.returncode, done.stderr) == (2, f"regbuf-verify: error: standard output: {why}\n")
