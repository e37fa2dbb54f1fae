"""One run is enough: files are fixed until a look at all of them leaves nothing to fix."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from fixture_cases import FIXED, FIXTURES
from regbuf_lint.cli.main import main
from regbuf_lint.engine import workers
from regbuf_lint.engine.fixing import MOST_ROUNDS
from regbuf_lint.engine.project_rounds import until_stable
from regbuf_lint.model.result import FileError, FileResult, FixedFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from regbuf_lint.source.overlay import Overlay

BASE = """\
import torch
from torch import nn


class Scheduler(nn.Module):
    def __init__(self, steps: int, schedule) -> None:
        super().__init__()
        made = schedule(steps)
        if isinstance(made, tuple):
            self.alphas = made[1]
        else:
            self.alphas = torch.cumprod(1 - made, dim=0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.alphas
"""
"""What ``alphas`` holds is not known of subclasses before it is registered."""
SUBCLASS = """\
import torch

from pkg.{base} import {above}


class {name}({above}):
    def __init__(self, steps: int, schedule, to_one: bool) -> None:
        super().__init__(steps, schedule{more})
        self.{attribute} = torch.tensor(1.0) if to_one else self.{source}[0]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * self.{attribute}
"""
REGISTERED = 'self.register_buffer( "last", torch.tensor(1.0) if to_one else self.alphas[0], persistent=False )'


def subclass(name: str, base: str, above: str, attribute: str, source: str, more: str = "") -> str:
    return SUBCLASS.format(name=name, base=base, above=above, attribute=attribute, source=source, more=more)


FIRST = subclass("Ddim", "base", "Scheduler", "last", "alphas")
SECOND = subclass("Adapted", "ddim", "Ddim", "first", "last", ", to_one").replace(
    "self.last[0]", "self.last.view(1)[0]"
)
FILES = {
    "pkg/__init__.py": "",
    "pkg/adapted.py": SECOND,
    "pkg/base.py": BASE,
    "pkg/ddim.py": FIRST,
}
"""Each class gets its fix only when the one above it, in a file behind its own, has got one."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        write(tmp_path / name, text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def in_one_row(text: str) -> str:
    return " ".join(text.split())


def contents(directory: Path) -> dict[str, bytes]:
    paths = (path for path in directory.rglob("*") if path.suffix in {".py", ".ipynb"})
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(params=[1, 2], ids=["one process", "two processes"])
def jobs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of processes; with two, each file is a chunk of its own."""
    monkeypatch.setattr(workers, "LEAST_BYTES_FOR_WORKERS", 0)
    monkeypatch.setattr(workers, "CHUNKS_PER_WORKER", 1000)
    number = request.param
    assert isinstance(number, int)
    return number


def test_a_base_in_a_file_behind_it(jobs: int, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--isolated", "--fix", "--unsafe-fixes", f"-j{jobs}", "--show-fixes", "."]) == 0
    printed = capsys.readouterr()
    fixed = contents(project)
    assert REGISTERED in in_one_row(fixed["pkg/ddim.py"].decode())
    assert 'self.register_buffer( "first", ' in in_one_row(fixed["pkg/adapted.py"].decode())
    assert printed.out == "Found 3 findings (3 fixed, 0 remaining) in 4 files with 3 nn.Module classes.\n"
    assert "pkg/ddim.py:9:9: RBF001 Register `last` as a non-persistent buffer\n" in printed.err
    assert "rounds" not in printed.err
    assert main(["--isolated", "--fix", "--unsafe-fixes", f"-j{jobs}", "."]) == 0
    assert contents(project) == fixed
    assert capsys.readouterr().out == "No findings in 4 files with 3 nn.Module classes.\n"


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
def test_the_diff_says_all_that_fixing_writes(
    jobs: int, project: Path, capfdbinary: pytest.CaptureFixture[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    before = contents(project)
    assert main(["--isolated", "--diff", "--unsafe-fixes", f"-j{jobs}", "."]) == 1
    diff, err = capfdbinary.readouterr()
    assert err == b"Would fix 3 findings in 3 files.\n"
    assert contents(project) == before
    patched = tmp_path_factory.mktemp("patched")
    shutil.copytree(project, patched, dirs_exist_ok=True)
    done = subprocess.run(["patch", "-p1"], cwd=patched, input=diff, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    main(["--isolated", "--fix", "--unsafe-fixes", f"-j{jobs}", "."])
    assert contents(patched) == contents(project) != before


def test_what_is_left_is_what_a_second_look_finds(jobs: int, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the fix of a subclass, its finding is one all the same, once its base is fixed."""
    command = ["--isolated", f"-j{jobs}", "--output-format", "concise", "."]
    write(project / "pkg/base.py", BASE.replace("self.alphas = made[1]", "self.alphas = torch.ones(steps)"))
    assert main(["--fix", *command]) == 1
    left = capsys.readouterr().out.splitlines()
    assert main(command) == 1
    again = capsys.readouterr().out.splitlines()
    assert left[:-1] == again[:-1]
    assert left[:-1]


def notebook(*cells: str) -> str:
    sources = [{"cell_type": "code", "metadata": {}, "source": text.splitlines(keepends=True)} for text in cells]
    return json.dumps({"cells": sources, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def test_a_notebook_beside_files(jobs: int, project: Path) -> None:
    """It is fixed in two rounds: its own class at once, the subclass after its base."""
    own = "%matplotlib inline\n" + BASE.replace("made = schedule(steps)\n", "made = torch.ones(3)\n")
    write(project / "a.ipynb", notebook(own.replace("Scheduler", "Own"), FIRST))
    options = ["--isolated", "--fix", "--unsafe-fixes", f"-j{jobs}", "."]
    assert main(options) == 0
    fixed = contents(project)
    first, second = ("".join(cell["source"]) for cell in json.loads(fixed["a.ipynb"])["cells"])
    assert first.startswith("%matplotlib inline\nimport torch\n")
    assert 'self.register_buffer("alphas", ' in first
    assert REGISTERED in in_one_row(second)
    assert main(options) == 0
    assert contents(project) == fixed


PROJECTS = sorted(path for path in FIXTURES.rglob("project_*") if path.is_dir())


@pytest.mark.parametrize("mode", [(), ("--unsafe-fixes",)], ids=["safe", "unsafe"])
@pytest.mark.parametrize("name", [path.relative_to(FIXTURES).as_posix() for path in PROJECTS])
def test_a_second_run_changes_nothing(
    name: str, mode: Sequence[str], jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "project"
    shutil.copytree(FIXTURES / name, directory, ignore=shutil.ignore_patterns(f"*{FIXED}"))
    monkeypatch.chdir(directory)
    main(["--fix", *mode, f"-j{jobs}", "--quiet", "."])
    fixed = contents(directory)
    main(["--fix", *mode, f"-j{jobs}", "--quiet", "."])
    assert contents(directory) == fixed


# Rounds, with checks that are made up


def result(path: Path, before: str, after: str, **more: object) -> FileResult:
    return FileResult(path.name, fixed=FixedFile(str(path), before, after, (), **more))  # type: ignore[arg-type]


def test_a_round_sees_what_the_one_before_has_made(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    write(path, "x = 1\n")
    seen: list[str] = []

    def check(overlay: Overlay) -> list[FileResult]:
        seen.append(overlay.read_source(path).text)
        return [result(path, seen[-1], seen[-1].replace("1", "2"))]

    (made,) = until_stable(check)
    assert seen == ["x = 1\n", "x = 2\n"]
    assert made.fixed == FixedFile(str(path), "x = 1\n", "x = 2\n", ())
    assert path.read_text(encoding="utf-8") == "x = 1\n"


def test_fixes_that_never_end_are_noted(tmp_path: Path) -> None:
    path, calm = tmp_path / "a.py", tmp_path / "b.py"
    write(path, "x = 1\n")

    def check(overlay: Overlay) -> list[FileResult]:
        text = overlay.read_source(path).text
        return [result(path, text, f"{text}x = 1\n"), FileResult(calm.name)]

    restless, quiet = until_stable(check)
    assert restless.fixed is not None
    assert restless.fixed.rounds == MOST_ROUNDS
    assert restless.fixed.after == "x = 1\n" * (MOST_ROUNDS + 2)
    assert quiet.fixed is None


def test_a_file_that_cannot_be_checked_any_more_keeps_its_fixes(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    write(path, "x = 1\n")
    error = FileError("a.py", "internal error")

    def check(overlay: Overlay) -> list[FileResult]:
        first = result(path, "x = 1\n", "x = 2\n")
        return [FileResult("a.py", errors=(error,)) if overlay.contents else first]

    (made,) = until_stable(check)
    assert made.errors == (error,)
    assert made.fixed == FixedFile(str(path), "x = 1\n", "x = 2\n", ())
