"""A run prints what an earlier one has printed only where it would see the same, and then the very same."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_random_edits import NAMES, a_file, edit

import regbuf_lint
from regbuf_lint.cache import kept_runs
from regbuf_lint.cache.key import own_code
from regbuf_lint.cache.replay import END, ERR, OUT, RECORDS, replay
from regbuf_lint.cli.main import main
from small_files import PLAIN_TENSOR

if TYPE_CHECKING:
    from collections.abc import Callable

BASE = "from torch import nn\n\n\nclass Base(nn.Module):\n    pass\n"
MADE = """\
import torch
from pkg.base import Base


class Made(Base):
    def __init__(self, size):
        super().__init__()
        self.t = torch.ones(size)

    def forward(self, x):
        return x + self.t
"""
FULL = Path("/dev/full")
OPTIONS = ["-j1", "--output-format=concise"]
ARGUMENTS = [*OPTIONS, "pkg"]


@pytest.fixture(autouse=True)
def _is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGBUF_LINT_NO_CACHE")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one finding, two levels below a directory that tests can write to."""
    root = tmp_path / "projects/one"
    for name, text in {"__init__": "", "base": BASE, "made": MADE}.items():
        (root / f"pkg/{name}.py").parent.mkdir(parents=True, exist_ok=True)
        (root / f"pkg/{name}.py").write_text(text, encoding="utf-8")
    for name in ("callers", ".regbuf_cache_of_old"):
        (root / name).mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "one"\n', encoding="utf-8")
    (root / "pkg/dangling.py").symlink_to(tmp_path / "projects/elsewhere.py")
    monkeypatch.chdir(root)
    return root


def run(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def again(arguments: list[str]) -> tuple[int, str, str] | None:
    """What a process would print again, as ``run`` gives it."""
    found = replay(arguments)
    if found is None:
        return None
    code, printed = found
    out, err = ("".join(text for stream, text in printed if stream == one) for one in (OUT, ERR))
    return code, out, err


@pytest.mark.usefixtures("_at_rest", "project")
@pytest.mark.parametrize("more", [[], ["--statistics"], ["--output-format=json"], ["--exit-zero"], ["--select=ALL"]])
def test_the_same_is_printed_again(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*ARGUMENTS, *more]
    first = run(capsys, arguments)
    assert again(arguments) is None, "files had to be checked"
    assert run(capsys, arguments) == first
    assert again(arguments) == first
    assert "RBF001" in first[1]


def settings_above(root: Path) -> None:
    (root.parent / "regbuf-lint.toml").write_text('ignore = ["RBF001"]\n', encoding="utf-8")


def replaced(root: Path) -> None:
    """Another file of the same size takes the place of one, with the times of the old one."""
    path = root / "pkg/made.py"
    before = path.stat()
    other = root / "other"
    other.write_text(MADE.replace("ones", "rand"), encoding="utf-8")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda root: (root / "pkg/made.py").write_text(BASE, encoding="utf-8"),
    "content of what is imported": lambda root: (root / "pkg/base.py").write_text("", encoding="utf-8"),
    "replaced": replaced,
    "new file": lambda root: (root / "pkg/more.py").write_text(MADE, encoding="utf-8"),
    "new file that is not checked": lambda root: (root / "callers/more.py").write_text(BASE, encoding="utf-8"),
    "new directory": lambda root: (root / "pkg/sub").mkdir(),
    "removed": lambda root: (root / "pkg/made.py").unlink(),
    "renamed": lambda root: (root / "pkg/made.py").rename(root / "pkg/made_now.py"),
    "settings": lambda root: (root / "pyproject.toml").write_text("[tool.regbuf-lint]\n", encoding="utf-8"),
    "settings of its own": lambda root: (root / "regbuf-lint.toml").write_text("", encoding="utf-8"),
    "settings above": settings_above,
    "ignored by git": lambda root: (root / "pkg/.gitignore").write_text("*\n", encoding="utf-8"),
    "a repository above": lambda root: (root.parent / ".git").mkdir(),
    "an environment": lambda root: (root / ".venv").mkdir(),
    "what a link leads to": lambda root: (root.parent / "elsewhere.py").write_text(MADE, encoding="utf-8"),
    "a file beside the cache": lambda root: (root / ".regbuf_cache_of_old/one.py").write_text(BASE, encoding="utf-8"),
    "a package around": lambda root: (root / "__init__.py").write_text("", encoding="utf-8"),
}


@pytest.mark.usefixtures("_at_rest")
@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_printed_again_after_a_change(
    change: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, ARGUMENTS)
    before = run(capsys, ARGUMENTS)
    assert again(ARGUMENTS) == before
    CHANGES[change](project)
    assert again(ARGUMENTS) is None
    now = run(capsys, ARGUMENTS)
    assert now == run(capsys, [*ARGUMENTS, "--no-cache"])
    run(capsys, ARGUMENTS)
    assert again(ARGUMENTS) == now


def committed(root: Path) -> None:
    (root / ".git/index.lock").write_text("", encoding="utf-8")
    (root / ".git/index.lock").unlink()


UNRELATED: dict[str, Callable[[Path], object]] = {
    "a project beside": lambda root: (root.parent / "two").mkdir(),
    "a text": lambda root: (root / "README.md").write_text("Read me.\n", encoding="utf-8"),
    "a commit": committed,
}


@pytest.mark.usefixtures("_at_rest")
@pytest.mark.parametrize("change", UNRELATED)
def test_what_nobody_looks_at_changes_nothing(change: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "README.md").touch()
    if change == "a commit":
        (project / ".git").mkdir()
    run(capsys, ARGUMENTS)
    before = run(capsys, ARGUMENTS)
    UNRELATED[change](project)
    assert again(ARGUMENTS) == before


@pytest.mark.usefixtures("_at_rest")
def test_files_that_declare_versions_are_looked_for_above(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").unlink()
    for _ in range(2):
        before = run(capsys, ARGUMENTS)
    (project.parent / "requirements.md").touch()
    assert again(ARGUMENTS) == before
    (project.parent / "requirements-dev.txt").touch()
    assert again(ARGUMENTS) is None
    for _ in range(2):
        run(capsys, ARGUMENTS)
    assert again(ARGUMENTS) == before
    (project.parent / "requirements-dev.txt").rename(project.parent / "dev.txt")
    assert again(ARGUMENTS) is None


@pytest.mark.usefixtures("_at_rest", "project")
def test_what_python_leaves_beside_the_linter_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        own_code.cache_clear()
        run(capsys, ARGUMENTS)
    (record,) = Path(".regbuf_cache").glob(RECORDS)
    looked_at = record.read_text(encoding="utf-8").split(END)
    linter = Path(regbuf_lint.__file__)
    assert str(linter) in looked_at
    assert str(linter.parent) not in looked_at


@pytest.mark.usefixtures("_at_rest")
def test_a_run_is_another_one_elsewhere_or_otherwise(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        run(capsys, ARGUMENTS)
    assert again(ARGUMENTS) is not None
    assert again([*ARGUMENTS, "--quiet"]) is None
    monkeypatch.chdir(project / "pkg")
    assert again(ARGUMENTS) is None
    monkeypatch.chdir(project)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert again(ARGUMENTS) is None


@pytest.mark.usefixtures("_at_rest")
@pytest.mark.parametrize("kind", ["own_files", "writer_file"])
def test_another_linter_is_another_run(
    kind: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = project.parent / "linter.py"
    own.touch()
    monkeypatch.setattr(kept_runs, kind, lambda: str(own) if kind == "writer_file" else [str(own)])
    for _ in range(2):
        run(capsys, ARGUMENTS)
    assert again(ARGUMENTS) is not None
    own.write_text("changed = True\n", encoding="utf-8")
    assert again(ARGUMENTS) is None


@pytest.mark.usefixtures("_at_rest", "project")
@pytest.mark.parametrize(
    "more",
    [
        ["--no-cache"],
        ["--verbose"],
        ["--fix"],
        ["--diff"],
        ["--output-file=report.txt"],
        ["--baseline=known.json"],
        ["missing.py"],
    ],
)
def test_other_runs_are_not_kept(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, [*OPTIONS, "--write-baseline=known.json", "pkg"])
    arguments = [*ARGUMENTS, *more]
    for _ in range(3):
        run(capsys, arguments)
    assert list(Path(".regbuf_cache").glob(RECORDS)) == []


@pytest.mark.usefixtures("_at_rest", "project")
def test_the_environment_wants_no_cache(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, ARGUMENTS)
    monkeypatch.setenv("REGBUF_LINT_NO_CACHE", "1")
    for _ in range(2):
        run(capsys, ARGUMENTS)
    assert again(ARGUMENTS) is None


def test_what_was_written_just_now_is_not_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as at_rest:
        at_rest.setattr("regbuf_lint.cache.states._TICK", -(10**15))
        for _ in range(2):
            run(capsys, ARGUMENTS)
    assert again(ARGUMENTS) is not None
    os.utime(project / "pkg/made.py")  # its content, and so what is known of it, is the same
    run(capsys, ARGUMENTS)
    assert again(ARGUMENTS) is None


@pytest.mark.usefixtures("_at_rest", "project")
def test_a_broken_record_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        run(capsys, ARGUMENTS)
    (record,) = Path(".regbuf_cache").glob(RECORDS)
    fields = record.read_text(encoding="utf-8").split(END)
    assert again(ARGUMENTS) is not None
    for end in range(len(fields)):
        record.write_text(END.join(fields[:end]), encoding="utf-8")
        assert again(ARGUMENTS) is None
    record.write_bytes(b"\xff\x00\xfe")
    assert again(ARGUMENTS) is None


@pytest.mark.usefixtures("_at_rest", "project")
def test_nothing_of_the_environment_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOKEN", "a secret")
    for _ in range(2):
        run(capsys, ARGUMENTS)
    (record,) = Path(".regbuf_cache").glob(RECORDS)
    assert "a secret" not in record.read_text(encoding="utf-8")


@pytest.mark.usefixtures("_at_rest", "project")
def test_few_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, ARGUMENTS)
    for number in range(20):
        run(capsys, [*ARGUMENTS, f"--exclude=none{number}"])
        run(capsys, [*ARGUMENTS, f"--exclude=none{number}"])
    assert len(list(Path(".regbuf_cache").glob(RECORDS))) == 16
    assert again([*ARGUMENTS, "--exclude=none19"]) is not None
    assert main(["--clean-cache"]) == 0
    assert not Path(".regbuf_cache").exists()


@pytest.mark.usefixtures("_at_rest", "project")
def test_another_place_for_the_cache(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for named in ([f"--cache-dir={tmp_path / 'one'}"], ["--cache-dir", str(tmp_path / "two")]):
        for _ in range(2):
            run(capsys, [*ARGUMENTS, *named])
        assert again([*ARGUMENTS, *named]) is not None
    assert not Path(".regbuf_cache").exists()


@pytest.mark.usefixtures("_at_rest")
@pytest.mark.parametrize("seed", range(4))
def test_after_random_edits(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = random.Random(seed)  # noqa: S311  no secret is drawn
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg").mkdir()
    for place, name in enumerate(NAMES):
        (tmp_path / f"pkg/{name}.py").write_text(a_file(draw, place), encoding="utf-8")
    kept = 0
    for _ in range(8):
        edit(tmp_path, draw)
        expected = run(capsys, [*ARGUMENTS, "--no-cache"])
        assert again(ARGUMENTS) in {None, expected}
        for _ in range(2):
            assert run(capsys, ARGUMENTS) == expected
        assert again(ARGUMENTS) in {None, expected}
        kept += again(ARGUMENTS) is not None
    assert kept, "nothing was ever kept, so nothing was tested"


def test_the_process_prints_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen by another text in the record, which nothing but the record can have said."""
    (tmp_path / "plain.py").write_text(PLAIN_TENSOR, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "regbuf_lint", *OPTIONS, "."]
    for _ in range(20):  # until nothing was written just now
        first = subprocess.run(command, capture_output=True, text=True, check=False)
        if list(tmp_path.glob(f".regbuf_cache/{RECORDS}")):
            break
    assert first.returncode == 1
    assert "plain.py:" in first.stdout
    (record,) = tmp_path.glob(f".regbuf_cache/{RECORDS}")
    record.write_text(record.read_text(encoding="utf-8").replace("plain.py:", "kept.py:"), encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == first.stdout.replace("plain.py:", "kept.py:")
    assert (done.returncode, done.stderr) == (first.returncode, first.stderr)
    if FULL.exists():
        with FULL.open("w") as full:
            failed = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert failed.returncode == 2
        assert failed.stderr == "regbuf-lint: error: standard output: no space left on device\n"
