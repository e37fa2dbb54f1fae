"""A small project in which the examples of a page run, one page each."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
import sysconfig
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from doc_pages import ROOT

from regbuf_lint.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, d: int = 8) -> None:
        super().__init__()
        self.mask = torch.ones(d)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.mask
"""
_FIXED = _MODEL.replace("self.mask = torch.ones(d)", 'self.register_buffer("mask", torch.ones(d), persistent=False)')
_CASE = "\n\ndef make():\n    return Net()\n\n\ndef inputs():\n    return (torch.ones(2, 8),)\n"
_FACTORY = """\
import sys

import torch

sys.path.insert(0, "src")


def make_net():
    from model import Net

    return Net(d=8), (torch.randn(2, 8),)
"""
_TEST = "def test_net():\n    from factories import make_net\n\n    net, inputs = make_net()\n    net(*inputs)\n"
_NOX = """\
import subprocess


class Session:
    def install(self, *packages):
        assert packages

    def run(self, *command):
        assert subprocess.run(command, capture_output=True).returncode in {0, 1}, command


def session(function):
    function(Session())
    return function
"""
"""A stand-in for nox, which runs each session where it is defined."""
_FILES = {
    "pyproject.toml": "[tool.mypy]\nstrict = true\n[tool.ruff]\nline-length = 120\n[tool.regbuf-lint]\nignore = []\n",
    "src/model.py": _MODEL,
    "src/tables.py": _MODEL.replace("Net", "Table"),
    "model_fixed.py": _FIXED,
    "a.py": _MODEL,
    "src/nox.py": _NOX,
    "fixtures/net.py": _MODEL + _CASE,
    "fixtures/net.fixed.py": _FIXED + _CASE,
    "tests/factories.py": _FACTORY,
    "tests/test_net.py": _TEST,
}
_STAND_INS = ("pip", "pre-commit", "reviewdog", "pipx", "uv")
"""Programs that examples name and that do nothing here; what they are given is read from standard input."""
_SHELL = frozenset("|<>&$;")


@contextmanager
def chdir(directory: Path) -> Iterator[None]:
    """Work in a directory for a while; `contextlib` has it since Python 3.11."""
    before = Path.cwd()
    os.chdir(directory)
    yield
    os.chdir(before)


class Stage:
    """The project, and what runs in it.

    Args:
        directory: an empty directory.

    Attributes:
        directory: where the project lies.
        search_path: where programs are looked for: stand-ins first, then those installed beside this Python.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "project"
        for name, text in _FILES.items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        shutil.copytree(ROOT / "examples", self.directory / "examples", ignore=shutil.ignore_patterns(".*"))
        self._bin = directory / "bin"
        self._bin.mkdir()
        for name in _STAND_INS:
            (self._bin / name).write_text("#!/bin/sh\n[ -t 0 ] || cat > /dev/null\n", encoding="utf-8")
            (self._bin / name).chmod(0o755)
        self.search_path = os.pathsep.join([str(self._bin), sysconfig.get_path("scripts"), os.environ["PATH"]])

    def run(self, line: str) -> tuple[int, str, str]:
        """Run a line as a shell would; return the exit code, standard output and standard error.

        A command of the linter that needs no shell runs in this process, which saves the start of another one.
        """
        if line.startswith("regbuf-lint ") and not _SHELL & {*line}:
            return self._lint(shlex.split(line)[1:])
        done = self._run_in_shell(line)
        return done.returncode, done.stdout, done.stderr

    def _lint(self, arguments: list[str]) -> tuple[int, str, str]:
        """Run the linter in the project's directory."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with chdir(self.directory), redirect_stdout(out), redirect_stderr(err):
            code = main(arguments)
        told = []
        for stream in (out, err):
            stream.flush()
            told.append(stream.buffer.getvalue().decode())
        return code, told[0], told[1]

    def _run_in_shell(self, line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=self.directory,
            env={**os.environ, "PATH": self.search_path, "COLUMNS": "120"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
