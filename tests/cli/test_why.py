"""``--why``: what an attribute holds and what decided about it, from the command line to what is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable

    Why = Callable[..., tuple[int, str, str]]

NET = """\
import torch
from torch import nn


class Fill:
    def fill(self):
        self.late = torch.ones(1)


class Net(Fill, nn.Module):
    def __init__(self, n, w):
        super().__init__()
        self.mask = torch.tril(torch.ones(n, n))
        self.register_buffer("scale", torch.zeros(3))
        self.hidden = torch.ones(3)  # noqa: RBF001
        self.w = w
        self.proj = nn.Linear(3, 3)
        self.size = 3
        self.cache = None
        self.steps = torch.ones(
            2,
            dtype=torch.int64,
        )
        setattr(self, n, torch.ones(2))
        self.fill()

    def forward(self, x):
        held = self.mask + self.scale * self.hidden * self.steps
        x = x + self.late
        return self.proj(self.helper(x)) * self.w + held

    def helper(self, x):
        if self.cache is None:
            self.cache = torch.ones(3)
        return x + self.cache

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.deep = torch.ones(3)

        def forward(self, x):
            return x * self.deep


def free(self):
    return self.mask


class Given(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = torch.as_tensor(p)
        self.table = torch.ones(3)

    def forward(self, x):
        at = lambda row: row * self.table
        return scaled(at(x), self.p)


class Shared(nn.Module):
    table = torch.ones(3)
    mean = torch.full((3,), 0.5)

    def forward(self, x):
        return (x - self.mean.to(x)) * self.table


from lib.scaling import scaled
"""
SCALING = """\
def scaled(x, factor):
    return x * factor
"""
MASK = """\
net.py: `Net.mask`
  holds: a floating-point tensor
  set while the object is built:
    net.py:13:9: `__init__` assigns it: a floating-point tensor
  used once it is built:
    net.py:28:16: `forward` combines it with `self.scale`, which moves with the object
  RBF001: `Net.mask` is a plain tensor: """


def row(text: str) -> int:
    return NET[: NET.index(text)].count("\n") + 1


@pytest.fixture
def why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Why:
    monkeypatch.chdir(tmp_path)
    Path("net.py").write_text(NET, encoding="utf-8")
    Path("lib").mkdir()
    Path("lib/scaling.py").write_text(SCALING, encoding="utf-8")

    def run(*argv: str) -> tuple[int, str, str]:
        code = main(["--isolated", "--why", *argv])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize("target", ["net.py:13", "net.py:13:9:", "net.py::Net.mask"])
def test_an_attribute_is_explained_by_line_and_by_name(why: Why, target: str) -> None:
    code, out, err = why(target)
    assert (code, err) == (0, "")
    assert out.startswith(MASK)
    assert out.count("\n") == MASK.count("\n") + 1


def attributes(out: str) -> list[str]:
    return [line.partition(": ")[2].strip("`") for line in out.splitlines() if line.startswith("net.py: ")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("held = self.mask", ["Net.mask", "Net.scale", "Net.hidden", "Net.steps"]),
        ("return self.proj", ["Net.proj", "Net.w"]),
        ('self.register_buffer("scale"', ["Net.scale"]),
        ("            dtype=torch.int64", ["Net.steps"]),
        ("if self.cache is None", ["Net.cache"]),
        ("self.deep = ", ["Net.Inner.deep"]),
        ("self.late = ", ["Fill.late"]),
        ("    mean = ", ["Shared.mean"]),
    ],
)
def test_all_attributes_of_a_line_are_explained_in_its_order(why: Why, line: str, expected: list[str]) -> None:
    _, out, _ = why(f"net.py:{row(line)}")
    assert attributes(out) == expected


@pytest.mark.parametrize(
    ("name", "decided"),
    [
        ("Net.scale", "  not reported: it is a registered buffer, which moves with the object\n"),
        ("Net.proj", "  not reported: it is a part of the object, which moves with it and is looked at as"),
        ("Net.w", "  not reported: what it may hold is not known, and rules speak only where it is\n"),
        ("Net.size", "  not reported: it holds no tensor that could be left behind\n"),
        ("Net.cache", "  RBF004, which is not selected, would report: `Net.cache` "),
        ("Net.hidden", "  RBF001, hidden by a comment: `Net.hidden` "),
        ("Net.Inner.deep", "  RBF001: `Net.Inner.deep` "),
        ("Fill.late", "  RBF001: `Fill.late` "),
        ("Shared.table", "`Shared` assigns it: a floating-point tensor\n"),
        ("Shared.table", "  RBF001: `Shared.table` "),
        ("Shared.mean", "  not reported: it belongs to the class: methods move it where they need it, or objects get"),
    ],
)
def test_what_decided_is_told(why: Why, name: str, decided: str) -> None:
    _, out, _ = why(f"net.py::{name}")
    assert decided in out


def test_what_nothing_reports_by_default_says_so_before_rules_that_are_off(why: Why) -> None:
    _, out, _ = why("net.py::Net.cache")
    decisions = [line.split()[0] for line in out.splitlines() if line.startswith(("  not", "  RBF"))]
    assert decisions == ["not", "RBF004,"]
    _, out, _ = why("net.py::Net.cache", "--extend-select", "RBF004")
    assert "not reported" not in out
    assert "\n  RBF004: " in out


def test_what_the_class_looks_after_is_told_from_what_is_no_tensor(why: Why) -> None:
    own = "    def _apply(self, fn):\n        self.mask = fn(self.mask)\n        return super()._apply(fn)\n\n"
    moved = NET.replace("    def helper", f"{own}    def helper")
    Path("net.py").write_text(moved, encoding="utf-8")
    _, out, _ = why("net.py::Net.mask")
    assert "  not reported: the class moves it, or makes it anew, when the object is moved (moved-by-class)\n" in out


def test_a_name_that_only_a_run_can_tell(why: Why) -> None:
    _, out, _ = why(f"net.py:{row('setattr(')}")
    title, holds, *_, decided = out.splitlines()
    assert title == "net.py: an attribute of `Net` whose name is computed"
    assert holds == "  holds: a floating-point tensor"
    assert decided.startswith("  RBF001: an attribute of `Net` ")


def test_a_lambda_is_named_by_the_method_that_it_stands_in(why: Why) -> None:
    _, out, _ = why("net.py::Given.table")
    assert "`forward` combines it with `x`, which comes from the caller" in out


def test_a_file_beside_is_named_from_the_working_directory(why: Why) -> None:
    _, out, _ = why("net.py::Given.p")
    assert "    lib/scaling.py:2:12: `scaled` combines it with" in out


def test_a_tensor_from_outside_that_has_no_name_is_called_that(why: Why) -> None:
    _, out, _ = why("net.py::Given.p")
    assert "holds: a tensor given from outside\n" in out


def test_a_line_of_a_notebook_is_one_of_its_cell(why: Why) -> None:
    head, _, body = NET.partition("\n\n\n")
    cells = [{"cell_type": "code", "source": one} for one in ("%matplotlib inline\n" + head, body)]
    Path("net.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8"
    )
    code, out, _ = why("net.ipynb:cell 2:9")
    assert code == 0
    assert out.startswith("net.ipynb: `Net.mask`\n")
    assert "    net.ipynb:cell 2:9:9: `__init__` assigns it" in out
    for target, message in [
        ("net.ipynb:9", "a line of a notebook is FILE:cell NUMBER:LINE"),
        ("net.ipynb:cell 3:1", "no line 1 in a code cell 3"),
        ("net.ipynb:cell 1:40", "no line 40 in a code cell 1"),
        ("net.py:cell 1:9", "cells are in notebooks only"),
    ]:
        code, out, err = why(target)
        path = target.partition(":")[0]
        assert (code, out, err) == (2, "", f"regbuf-lint: error: --why: {path}: {message}\n")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("net.py", "argument --why: expected FILE:LINE or FILE::Class.attr, not `net.py`"),
        ("net.py:0", "argument --why: expected FILE:LINE or FILE::Class.attr, not `net.py:0`"),
        ("net.py::mask", "argument --why: expected FILE:LINE or FILE::Class.attr, not `net.py::mask`"),
        ("net.py::Net.mask:3", "argument --why: expected FILE:LINE or FILE::Class.attr, not `net.py::Net.mask:3`"),
        ("nope.py:3", "--why: nope.py: no such file or directory"),
        (".:3", "--why: .: is a directory"),
        ("broken.py:1", "--why: broken.py: line 1: "),
        ("net.py:999", "--why: net.py: there is no line 999"),
        ("net.py:1", "--why: net.py: line 1 is in no class that is known to be an nn.Module"),
        (f"net.py:{row('return self.mask')}", "--why: net.py: line 47 is in no class that is known"),
        (f"net.py:{row('super()')}", "--why: net.py: line 12 neither sets nor reads an attribute of `Net`"),
        (f"net.py:{row('self.fill()')}", "--why: net.py: line 25 neither sets nor reads an attribute of `Net`"),
        ("net.py::Net.maks", "--why: net.py: `Net` has no attribute `maks`; did you mean `mask`?"),
        ("net.py::net.mask", "--why: net.py: no class `net` that is known to be an nn.Module; did you mean `Net`?"),
        ("net.py::Inner.deep", "--why: net.py: no class `Inner` that is known to be an nn.Module"),
    ],
)
def test_mistakes_are_one_line_that_names_the_file(why: Why, target: str, message: str) -> None:
    Path("broken.py").write_text("def f(:\n", encoding="utf-8")
    code, out, err = why(target)
    assert (code, out) == (2, "")
    assert err.startswith(f"regbuf-lint: error: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "other"),
    [
        (["--fix"], "--fix"),
        (["--fix-only"], "--fix-only"),
        (["--diff"], "--diff"),
        (["--unsafe-fixes"], "--unsafe-fixes"),
        (["--statistics"], "--statistics"),
        (["--explain", "RBF001"], "--explain"),
        (["--list-rules"], "--list-rules"),
        (["--output-file", "x"], "--output-file"),
        (["--output-format", "json"], "--output-format"),
        (["net.py"], "paths"),
        (["-"], "paths"),
    ],
)
def test_what_it_cannot_be_combined_with(why: Why, argv: list[str], other: str) -> None:
    code, out, err = why("net.py:13", *argv)
    assert (code, out) == (2, "")
    assert err == f"regbuf-lint: error: --why cannot be combined with {other}\n"


def test_colours_are_those_of_the_terminal(why: Why) -> None:
    _, out, _ = why("net.py:13", "--color", "always")
    assert "\x1b[" in out
    _, out, _ = why("net.py:13", "--color", "never")
    assert "\x1b[" not in out


@pytest.mark.parametrize(
    ("value", "decided"),
    [
        ("torch.load(n)", "  not reported: nothing shows whether what was loaded is a tensor\n"),
        ("1.0 if n else torch.ones(3)", "  not reported: it may be no tensor\n"),
    ],
)
def test_what_may_be_no_tensor_is_not_reported(why: Why, value: str, decided: str) -> None:
    text = NET.replace("self.size = 3", f"self.size = {value}").replace("* self.w + held", ", self.size")
    Path("net.py").write_text(text, encoding="utf-8")
    _, out, _ = why("net.py::Net.size")
    assert decided in out
