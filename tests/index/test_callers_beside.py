"""Files of a project that call a class, outside the package that the class belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.index.project import Project
from regbuf_lint.model.settings import DEFAULT_EXCLUDES, Settings

if TYPE_CHECKING:
    from pathlib import Path

CALL = "from waves.cell import Cell\nCell(1)\n"


def beside(
    root: Path,
    *files: str,
    near: str = "waves/cell.py",
    roots: tuple[str, ...] = (),
    packages: tuple[Path, ...] = (),
) -> list[str]:
    """The files, among some that call ``Cell``, that are found for the one that defines it."""
    for name in (*files, "waves/__init__.py", near):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CALL if name.endswith(".py") else "", encoding="utf-8")
    project = Project([root / one for one in roots], Settings(root=root, exclude=DEFAULT_EXCLUDES, packages=packages))
    home = project.file("cell", (root / near).parent)
    assert home is not None
    found = (file.path.relative_to(root).as_posix() for file in project.files_beside_calling(home, "Cell"))
    return sorted(found)


def test_scripts_and_tests_beside_a_package(tmp_path: Path) -> None:
    assert beside(tmp_path, "pyproject.toml", "train.py", "tests/test_cell.py", "waves/model.py") == [
        "tests/test_cell.py",
        "train.py",
    ]


def test_a_source_folder_lies_in_the_project(tmp_path: Path) -> None:
    found = beside(tmp_path, "setup.py", "src/waves/__init__.py", "train.py", near="src/waves/cell.py")
    assert "train.py" in found
    assert not any(name.startswith("src/waves/") for name in found)


def test_a_huge_directory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = ("pyproject.toml", "train.py", "more/eval.py")
    monkeypatch.setattr("regbuf_lint.index.project.MOST_FOLDERS", 3)
    assert beside(tmp_path, *files) == ["more/eval.py", "train.py"]
    monkeypatch.setattr("regbuf_lint.index.project.MOST_FOLDERS", 2)
    assert beside(tmp_path, *files) == []


def test_a_file_without_package(tmp_path: Path) -> None:
    assert beside(tmp_path, "requirements.txt", "models/train.py", near="models/cell.py") == [
        "models/train.py",
        "waves/__init__.py",
    ]


def test_what_a_package_is_imported_from_is_its_project(tmp_path: Path) -> None:
    assert beside(tmp_path, "train.py") == ["train.py"]


def test_a_root_is_a_project_without_saying_so(tmp_path: Path) -> None:
    loose = ("models/train.py",)
    assert beside(tmp_path, *loose, near="models/cell.py") == []
    assert beside(tmp_path, *loose, near="models/cell.py", roots=("models",)) == ["models/train.py"]


def test_the_closest_root_counts(tmp_path: Path) -> None:
    files = ("train.py", "sea/train.py", "sea/waves/__init__.py")
    assert beside(tmp_path, *files, near="sea/waves/cell.py", roots=(".",)) == ["sea/train.py"]


def test_what_is_installed_beside_a_package_has_nothing_to_do_with_it(tmp_path: Path) -> None:
    assert beside(tmp_path, "other/train.py", packages=(tmp_path,)) == []
    assert beside(tmp_path, "other/train.py", packages=(tmp_path,), roots=(".",)) == ["other/train.py"]


@pytest.mark.parametrize("is_installed", [False, True])
def test_who_sets_a_flag_of_a_file_without_package(tmp_path: Path, *, is_installed: bool) -> None:
    (tmp_path / "flags.py").write_text("FAST = False\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("import flags\nflags.FAST = True\n", encoding="utf-8")
    project = Project([], Settings(root=tmp_path, packages=(tmp_path,) if is_installed else ()))
    flags = project.file("flags", tmp_path)
    assert flags is not None
    assert project.has_behind_dot(flags, "FAST") is not is_installed


@pytest.mark.parametrize(
    "files",
    [
        ("pyproject.toml", ".venv/train.py", "site-packages/train.py", "build/lib/train.py"),
        ("pyproject.toml", *(f"script_{number}.py" for number in range(25))),  # a name that many classes have
    ],
)
def test_nothing_beside(tmp_path: Path, files: tuple[str, ...]) -> None:
    assert beside(tmp_path, *files) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from torch.nn import DataParallel\nDataParallel(model)\n", True),
        ("import torch\ntorch.nn.DataParallel(model)\n", True),
        ("# one process each, and no DataParallel(model)\n", False),
        ("class Runner:\n    '''Instead of DataParallel(model).'''\n", False),
    ],
)
def test_only_code_calls(tmp_path: Path, text: str, expected: bool) -> None:  # noqa: FBT001
    for name, content in (("pyproject.toml", ""), ("cell.py", ""), ("train.py", text)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    project = Project([tmp_path], Settings(root=tmp_path))
    cell = project.file("cell", tmp_path)
    assert cell is not None
    found = [one.path.name for one in project.files_calling_anywhere(cell, "DataParallel")]
    assert found == (["train.py"] if expected else [])
