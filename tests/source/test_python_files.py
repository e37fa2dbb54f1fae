"""Which files a search through a project looks at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from regbuf_lint.model.settings import Settings
from regbuf_lint.source.python_files import PythonFiles


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a few files."""
    monkeypatch.chdir(tmp_path)
    for name in ("b.py", "a/z.py", "a/b/c.py", "a-b.py", "a.py", "a/stub.pyi", "nb.ipynb", "build/gen.py"):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def below(directory: str, *exclude: str, most: int | None = None) -> list[str]:
    return PythonFiles(Settings(Path.cwd(), exclude=exclude)).below(Path(directory), most)


def test_python_files_in_order_of_the_parts_of_their_paths() -> None:
    assert below(".") == ["a/b/c.py", "a/z.py", "a-b.py", "a.py", "b.py", "build/gen.py"]
    assert below("a") == ["a/b/c.py", "a/z.py"]


def test_the_paths_begin_as_the_directory_is_named(project: Path) -> None:
    assert below(str(project / "a")) == [str(project / "a/b/c.py"), str(project / "a/z.py")]
    assert below("a/../a/b") == ["a/../a/b/c.py"]


def test_what_git_ignores_counts() -> None:
    Path(".git").mkdir()
    Path(".gitignore").write_text("build\n")
    assert "build/gen.py" in below(".")


def test_excluded_files_are_left_out_unless_the_patterns_cover_the_directory_itself() -> None:
    assert below(".", "build", "a/b") == ["a/z.py", "a-b.py", "a.py", "b.py"]
    assert below("build", "build") == ["build/gen.py"]


def test_beyond_the_number_of_folders_nothing_is_given() -> None:
    assert len(below(".", most=4)) == 6
    assert below(".", most=3) == []


def test_a_file_is_given_once_and_not_by_its_links(project: Path) -> None:
    Path("0.py").symlink_to("b.py")
    Path("linked").symlink_to("a")
    Path("broken.py").symlink_to("nowhere.py")
    assert below(".") == ["a/b/c.py", "a/z.py", "a-b.py", "a.py", "b.py", "build/gen.py"]
    Path("build/z.py").symlink_to(project / "a" / "z.py")
    assert below("build") == ["build/gen.py", "build/z.py"]


def test_a_directory_is_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []
    scan = os.scandir

    def noted(path: str) -> object:
        listed.append(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", noted)
    files = PythonFiles(Settings(Path.cwd(), exclude=()))
    assert files.below(Path("a")) == files.below(Path("a"))
    assert [*files.below(Path())] == [*files.below(Path())]
    assert len(listed) == len(set(listed)) == 4
