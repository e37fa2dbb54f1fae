"""What is reported for a project is the same wherever its directory lies, and from wherever the run starts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from regbuf_lint.cli.main import main

BASE = """\
from torch import nn


class Base(nn.Module):
    pass
"""
CELL = """\
import torch
from waves.base import Base
from waves.helpers import halved


class Cell(Base):
    def __init__(self, scale, size):
        super().__init__()
        self.scale = scale
        self.steps = torch.arange(size)
        self.half = halved(scale)

    def forward(self, x):
        return x * self.scale + self.steps * self.half
"""
HELPERS = """\
def halved(scale):
    return scale / 2
"""
CALLER = """\
import torch
from waves.cell import Cell

Cell(torch.ones(3), 3)
"""
OTHER_CALLER = """\
import torch
from torch import nn
from waves.cell import Cell

Cell(nn.Parameter(torch.ones(3)), 3)
"""
OTHER_BASE = """\
class Base:
    pass
"""


def write(directory: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def project(directory: Path, marker: str) -> Path:
    package = {f"waves/{name}.py": text for name, text in (("base", BASE), ("cell", CELL), ("helpers", HELPERS))}
    write(directory, {**package, "train.py": CALLER, **({marker: ""} if marker else {})})
    return directory


def findings(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    """What is found below a directory, with the names of files from there."""
    main(["--output-format=json", "-j1", str(path)])
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    for one in found:
        one["filename"] = Path(str(one["filename"])).absolute().relative_to(path).as_posix()
        one.pop("evidence")
    return found


@pytest.mark.parametrize("marker", ["", "setup.py"])
def test_alone_and_among_a_thousand_others(
    tmp_path: Path, marker: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    alone = findings(project(tmp_path / "alone/mine", marker), capsys)
    assert [(one["attribute"], one["code"]) for one in alone] == [
        ("scale", "RBF001"),
        ("steps", "RBF001"),
        ("half", "RBF001"),
    ]
    among = tmp_path / "among"
    for number in range(1000):
        write(among / f"other_{number}", {"train.py": OTHER_CALLER, "waves/base.py": OTHER_BASE})
    write(among, {"train.py": OTHER_CALLER, "waves/base.py": OTHER_BASE, "base.py": OTHER_BASE, "torch.py": ""})
    mine = project(among / "mine", marker)
    os.mkfifo(among / "pipe.py")
    os.mkfifo(mine / "waves/pipe.txt")
    assert findings(mine, capsys) == alone


@pytest.mark.parametrize("marker", ["", "setup.py"])
def test_from_whichever_directory_the_run_starts(
    tmp_path: Path, marker: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = project(tmp_path / "here/mine", marker)
    write(tmp_path / "away", {"train.py": OTHER_CALLER, "waves/base.py": OTHER_BASE, "waves/cell.py": ""})
    seen = []
    for start in (mine, mine / "waves", tmp_path / "here", tmp_path / "away", Path("/")):
        monkeypatch.chdir(start)
        seen.append(findings(mine, capsys))
    assert seen == [seen[0]] * 5
    assert len(seen[0]) == 3


def test_a_file_that_is_named_from_the_directory_of_its_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file says that it is one; the caller beside the package tells what the argument is."""
    monkeypatch.chdir(project(tmp_path, ""))
    main(["--output-format=concise", "waves/cell.py"])
    assert "`Cell.scale`" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path / "waves")
    main(["--output-format=concise", "cell.py"])
    assert "`Cell.scale`" not in capsys.readouterr().out


def test_a_pipe_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = project(tmp_path / "mine", "setup.py")
    (mine / "waves/helpers.py").unlink()
    for name in ("waves/helpers.py", "waves/more.py", "tests.py", ".gitignore"):
        os.mkfifo(mine / name)
    assert main(["--output-format=concise", str(mine / "waves/cell.py")]) == 1
    assert "`Cell.steps`" in capsys.readouterr().out
