"""The real flake8, run as a command in a directory of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

ATTENTION = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.mask = torch.tril(torch.ones(n, n))

    def forward(self, x):
        return x * self.mask
"""
"""A file with one finding, on its row 8."""


@dataclass(frozen=True)
class Line:
    """One line that flake8 prints, in its default format."""

    path: str
    row: int
    column: int
    code: str
    text: str

    @property
    def place(self) -> tuple[int, int, str]:
        return self.row, self.column, self.code


class Project:
    """A directory with files, and an interpreter whose flake8 checks them."""

    def __init__(self, directory: Path, python: str = sys.executable) -> None:
        self.directory = directory
        self.python = python

    def write(self, name: str, content: str | bytes) -> None:
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        (self.directory / name).write_bytes(data)

    def run(self, package: str, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.python, "-m", package, *arguments],
            cwd=self.directory,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def flake8(self, *arguments: str, stdin: str | None = None) -> list[Line]:
        """Return what flake8 prints; it must not fail in any way but by findings."""
        result = self.run("flake8", *arguments, stdin=stdin)
        assert result.stderr == ""
        lines = [_parse(line) for line in result.stdout.splitlines()]
        assert result.returncode == (1 if lines else 0)
        return lines

    def regbuf_lint(self, *arguments: str) -> list[dict[str, Any]]:
        """Return what the command line finds in the directory."""
        result = self.run("regbuf_lint", "--output-format", "json", *arguments)
        findings: list[dict[str, Any]] = json.loads(result.stdout)
        return findings


def _parse(line: str) -> Line:
    path, row, column, message = line.split(":", 3)
    code, text = message.strip().split(" ", 1)
    return Line(path, int(row), int(column), code, text)
