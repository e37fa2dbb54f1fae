"""The command as users run it, with the real engine, on input that goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.mask = torch.tril(torch.ones(n, n))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.mask
"""


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODULE)


def run(*argv: str, stdin: bytes = b"") -> tuple[int, str, str]:
    command = [sys.executable, "-m", "regbuf_lint", "--isolated", *argv]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_plain_tensor_is_found() -> None:
    code, out, err = run("--output-format", "json")
    assert (code, err) == (1, "")
    (record,) = json.loads(out)
    assert (record["code"], record["filename"], record["location"]) == ("RBF001", "model.py", {"row": 8, "column": 9})
    assert (record["class"], record["attribute"], record["method"]) == ("Attention", "mask", "__init__")


def test_fixing_leaves_nothing() -> None:
    code, _, _ = run("--fix", "model.py")
    assert code == 0
    assert "self.register_buffer(" in Path("model.py").read_text()
    assert run("model.py")[0] == 0


def test_diff_and_standard_input_agree() -> None:
    code, patch, _ = run("--diff", "model.py")
    assert code == 1
    assert Path("model.py").read_text() == MODULE
    code, fixed, _ = run("--fix", "-", "--stdin-filename", "model.py", stdin=MODULE.encode())
    assert code == 0
    added = [line[1:] for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert added
    assert set(added) <= set(fixed.splitlines())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x = '\xff'\n", "not valid UTF-8 (byte 0xff at offset 5)"),
        (b"# coding: foo\n", "unknown encoding foo declared in the first two lines"),
        (b"x = 1\0\n", "source contains null bytes (first at offset 5)"),
    ],
)
def test_a_file_that_cannot_be_read_does_not_stop_the_others(data: bytes, message: str) -> None:
    Path("broken.py").write_bytes(data)
    code, out, err = run("--output-format", "concise", "nope.py", ".", "-q")
    assert (code, err) == (2, "")
    assert "nope.py: error: no such file or directory\n" in out
    assert f"broken.py: error: {message}" in out
    assert "model.py:8:9: RBF001" in out


def test_a_syntax_error_is_a_finding() -> None:
    Path("broken.py").write_text("def f(:\n")
    code, out, _ = run("--output-format", "json", "broken.py")
    assert code == 1
    assert [record["code"] for record in json.loads(out)] == ["RBF900"]


def test_a_directory_named_like_a_file_and_a_dangling_link() -> None:
    Path("d.py").mkdir()
    Path("d.py/inner.py").write_text(MODULE)
    Path("gone.py").symlink_to("nowhere")
    code, out, _ = run("--output-format", "concise", "-q", "d.py", "gone.py")
    assert code == 2
    assert out.splitlines()[0] == "gone.py: error: broken symbolic link"
    assert out.splitlines()[1].startswith("d.py/inner.py:8:9: RBF001")


def test_an_empty_directory_is_no_failure() -> None:
    Path("empty").mkdir()
    code, out, err = run("empty")
    assert (code, out, err) == (0, "No findings.\n", "regbuf-lint: warning: no Python files found under empty\n")


def test_unknown_code_and_unknown_key() -> None:
    code, out, err = run("--select", "RBF999")
    assert (code, out) == (2, "")
    assert err.startswith("regbuf-lint: error: --select: unknown rule code `RBF999`")
    Path("lint.toml").write_text("selct = []\n")
    command = [sys.executable, "-m", "regbuf_lint", "--config", "lint.toml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr == "regbuf-lint: error: lint.toml: unknown key `selct`; did you mean `select`?\n"


def test_every_rule_has_a_page() -> None:
    code, out, _ = run("--list-rules")
    assert code == 0
    codes = [line.split()[0] for line in out.splitlines()]
    assert "RBF001" in codes
    for rule in codes:
        code, page, _ = run("--explain", rule)
        assert code == 0
        assert f"({rule})" in page.splitlines()[0]
