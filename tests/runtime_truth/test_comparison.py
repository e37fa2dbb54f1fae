"""``scripts/compare_with_runtime.py`` on a small project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPT = Path(__file__).parents[2] / "scripts" / "compare_with_runtime.py"
MODULES = """\
import torch
from torch import nn


class Found(nn.Module):
    def __init__(self, size, table=None, bias: torch.Tensor | None = None):
        super().__init__()
        self.mask = torch.ones(size)
        self.__hidden = torch.ones(size)
        self.table = table
        self.rows = [torch.ones(size)]
        self.bias = bias
        self.add(["first"])

    def add(self, names):
        for name in names:
            setattr(self, name, torch.ones(2))

    def forward(self, x):
        return x * self.__hidden + self.bias + self.first + self.rows[0]


class Moved(nn.Module):
    def __init__(self):
        super().__init__()
        setattr(self, *("followed", torch.ones(2)))

    def _apply(self, fn, recurse=True):
        self.followed = fn(self.followed)
        return super()._apply(fn, recurse)


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(2)


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(2)


def replace(module):
    module.mask = None
    return module


class Owner(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = replace(Replaced())


def total(unused, replaced):
    return unused.mask + replaced.mask
"""
TESTS = """\
import pickle

import torch

from small.modules import Found, Moved, Owner


def test_all():
    assert Found(2).table is None
    assert Found(*pickle.loads(pickle.dumps((2, torch.ones(2))))).table is not None
    Moved(), Owner()
"""


def run(*arguments: str, cwd: Path) -> str:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], cwd=cwd, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def test_the_page_tells_what_is_missed_and_what_is_false(tmp_path: Path) -> None:
    package = tmp_path / "project" / "small"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "modules.py").write_text(MODULES, encoding="utf-8")
    (tmp_path / "project" / "test_modules.py").write_text(TESTS, encoding="utf-8")
    run("trace", "--output", "t.json", "--revision", "0123456789", "project", "small", "--", "-q", cwd=tmp_path)
    lint = f"{sys.executable} -m regbuf_lint"
    page = run("report", "--lint", lint, "t.json", "t.json", cwd=tmp_path).splitlines()
    row = next(line for line in page if line.startswith("| project | `"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    found, certain, containers, moved, executed, given_none, false = cells[3:]
    assert cells[:3] == ["project", "`012345678`", "2 passed"]
    assert (found, certain) == ("3 of 4 (0.75)", "3 of 4 (0.75)")
    assert (containers, moved) == ("1 of 1 (1.00)", "1")
    assert (executed, given_none, false) == ("6 of 7", "1", "1")
    assert "- small/modules.py:10 Found.table" in page
    assert "- small/modules.py:12 Found.bias RBF001" in page
    assert "- small/modules.py:42 Replaced.mask RBF001: ends as none" in page
