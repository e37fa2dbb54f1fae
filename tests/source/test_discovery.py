"""Which files are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from regbuf_lint.model.result import FileError
from regbuf_lint.model.settings import DEFAULT_EXCLUDES, Settings
from regbuf_lint.source.discovery import Discovery, discover


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory of its own, in no repository."""
    directory = tmp_path / "project"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


def write(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def search(
    *paths: str,
    exclude: tuple[str, ...] = DEFAULT_EXCLUDES,
    gitignore: bool = True,
    force: bool = False,
) -> Discovery:
    settings = Settings(Path.cwd(), exclude=exclude, respect_gitignore=gitignore, force_exclude=force)
    return discover([Path(path) for path in paths or (".",)], lambda *_: settings)


def found(
    *paths: str,
    exclude: tuple[str, ...] = DEFAULT_EXCLUDES,
    gitignore: bool = True,
    force: bool = False,
) -> list[str]:
    discovery = search(*paths, exclude=exclude, gitignore=gitignore, force=force)
    assert discovery.errors == ()
    return [path.as_posix() for path in discovery.files]


def test_directories_are_walked_in_order_of_their_paths(root: Path) -> None:
    write(
        "b.py",
        "a/z.py",
        "a/b/c.py",
        "a-b.py",
        "a/stub.pyi",
        "a/notes.txt",
        "a/nb.ipynb",
        "a/.ipynb_checkpoints/nb-checkpoint.ipynb",
        "A.py",
    )
    assert found() == ["A.py", "a/b/c.py", "a/nb.ipynb", "a/z.py", "a-b.py", "b.py"]
    assert found("a") == ["a/b/c.py", "a/nb.ipynb", "a/z.py"]
    assert found("./a/", "../project/b.py") == ["a/b/c.py", "a/nb.ipynb", "a/z.py", "../project/b.py"], (
        "reports say b.py"
    )
    assert found(str(root / "a")) == [str(root / name) for name in ("a/b/c.py", "a/nb.ipynb", "a/z.py")]


def test_a_file_is_taken_once(root: Path) -> None:
    write("a/x.py")
    Path("link.py").symlink_to("a/x.py")
    assert found(".", "a", "a/x.py", str(root / "a" / "x.py")) == ["a/x.py"]
    assert found("a/x.py", "link.py") == ["a/x.py"]
    assert found("link.py") == ["link.py"]


def test_named_files_are_taken_whatever_they_are_called() -> None:
    write("script", "a.pyi", "build/x.py", ".gitignore", "ignored.py")
    Path(".gitignore").write_text("ignored.py\n")
    assert found("script", "a.pyi", "build/x.py", "ignored.py") == [
        "a.pyi",
        "build/x.py",
        "ignored.py",
        "script",
    ]


def test_default_excludes() -> None:
    write(
        *(
            f"{name}/x.py"
            for name in (
                ".git",
                ".venv",
                "build",
                "a/dist",
                "node_modules/m",
                "p.egg",
                "docs/_build",
            )
        )
    )
    write("builder/x.py", "a/env.py", "environment/x.py")
    assert found() == ["a/env.py", "builder/x.py", "environment/x.py"]


def test_an_excluded_directory_is_walked_when_named() -> None:
    write("build/x.py", "build/lib/y.py", "build/venv/z.py")
    assert found("build") == ["build/lib/y.py", "build/x.py"]
    assert found("build/lib") == ["build/lib/y.py"]


def test_force_exclude_covers_named_paths() -> None:
    write("build/x.py", "build/lib/y.py", "a/gen.py", "b.py")
    exclude = (*DEFAULT_EXCLUDES, "gen.py")
    assert found(
        "build",
        "build/lib",
        "build/x.py",
        "a/gen.py",
        "b.py",
        exclude=exclude,
        force=True,
    ) == ["b.py"]


def test_force_exclude_does_not_look_above_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "build" / "env").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "build" / "env")
    write("a.py")
    assert found(".", force=True) == ["a.py"]
    assert found(str(Path.cwd()), "a.py", force=True) == [str(Path.cwd() / "a.py")]


def test_exclude_patterns_are_relative_to_the_root() -> None:
    write("gen/x.py", "a/gen/x.py", "a/b/y.py", "a/keep.py")
    assert found(exclude=("/gen",)) == ["a/b/y.py", "a/gen/x.py", "a/keep.py"]
    assert found("a", exclude=("a/gen/",)) == ["a/b/y.py", "a/keep.py"]
    assert found(exclude=("./gen",)) == ["a/b/y.py", "a/gen/x.py", "a/keep.py"]
    assert found(exclude=("*.py", "!./a/keep.py")) == ["a/keep.py"]
    assert found(exclude=("gen", "a/*.py", "!keep.py")) == ["a/b/y.py", "a/keep.py"]


def test_excludes_hold_outside_of_the_root(root: Path) -> None:
    write("../other/x.py", "../other/venv/y.py", "../venv/z.py")
    assert found("../other") == ["../other/x.py"]
    assert found("../venv") == ["../venv/z.py"]
    assert root.name == "project"


def test_gitignore_files_nest_and_the_nearest_decides() -> None:
    write("a/x.py", "a/y.py", "a/b/x.py", "out/k.py", "gen_1.py", "a/local.py", "local.py")
    Path(".git").mkdir()
    Path(".gitignore").write_text("# comment\nx.py\n/out/\ngen_*.py\n")
    Path("a/.gitignore").write_text("!x.py\n/local.py\n")
    Path("a/b/.gitignore").write_text("x.py\r\n")
    assert found() == ["a/x.py", "a/y.py", "local.py"]
    assert found("a") == ["a/x.py", "a/y.py"]
    assert found("a/b") == []
    assert len(found(gitignore=False)) == 7


def test_children_of_an_ignored_directory_cannot_come_back() -> None:
    write("out/keep.py")
    Path(".gitignore").write_text("out/\n!out/keep.py\n")
    assert found() == []


def test_an_ignored_directory_is_walked_when_named() -> None:
    write("out/x.py", "out/sub/y.py", "out/tmp/z.py")
    Path(".gitignore").write_text("out/\n")
    Path("out/.gitignore").write_text("tmp/\n")
    assert found("out") == ["out/sub/y.py", "out/x.py"]
    assert found("out/sub") == ["out/sub/y.py"]


def test_gitignore_stops_at_the_repository() -> None:
    Path("../.gitignore").write_text("*.py\n")
    write("x.py", "sub/y.py", ".git/info/exclude")
    Path(".git/info/exclude").write_text("private.py\n")
    write("private.py")
    assert found() == ["sub/y.py", "x.py"]
    assert found("sub") == ["sub/y.py"]


def test_a_repository_inside_has_its_own_rules() -> None:
    write("x.py", "vendored/x.py", "vendored/.git/HEAD")
    Path(".gitignore").write_text("x.py\n")
    assert found() == ["vendored/x.py"]


def test_odd_ignore_files_do_no_harm() -> None:
    write("x.py", "y.py")
    Path(".gitignore").write_bytes(b"\xff\xfe\n!\n/\n\\\n[\n[z-a].py\n**a**b\ny.py\n")
    assert "x.py" in found()
    assert "y.py" not in found()
    Path("sub/.gitignore").mkdir(parents=True)
    assert "x.py" in found()


def test_directory_links_are_not_followed_and_broken_ones_are_passed_over() -> None:
    write("a/x.py")
    Path("a/loop").symlink_to("..", target_is_directory=True)
    Path("gone.py").symlink_to("nowhere")
    Path("self.py").symlink_to("self.py")
    Path("d.py").mkdir()
    assert found() == ["a/x.py"]
    assert found("a/loop") == ["a/loop/a/x.py"]


def test_missing_paths_are_errors_and_the_rest_is_found() -> None:
    write("a.py")
    Path("gone.py").symlink_to("nowhere")
    Path("loop.py").symlink_to("loop.py")
    discovery = search("nope", "a.py", "gone.py", "a.py/b", "loop.py")
    assert discovery.files == (Path("a.py"),)
    assert discovery.errors == (
        FileError("nope", "no such file or directory"),
        FileError("gone.py", "broken symbolic link"),
        FileError("a.py/b", "no such file or directory"),
        FileError("loop.py", "too many levels of symbolic links"),
    )


def test_a_directory_that_cannot_be_listed_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("a/x.py", "b/y.py")
    listed = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("a"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    discovery = search()
    assert discovery.files == (Path("b/y.py"),)
    assert discovery.errors == (FileError("a", "permission denied"),)


def test_empty_directories_are_told() -> None:
    Path("empty").mkdir()
    write("full/a.py", "texts/a.txt")
    assert search("empty", "full", "full", "texts").empty == (
        Path("empty"),
        Path("texts"),
    )
