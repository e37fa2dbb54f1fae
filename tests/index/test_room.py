"""Tests for what a project keeps of its files, and of what was found in them, when their trees fill the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.index.project import Project
from regbuf_lint.index.reads import Memo
from regbuf_lint.model.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.index.files import FileFacts

TEXT = "x = 1\n"
NAMES = ("shared", "first", "second")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(TEXT, encoding="utf-8")
    return Project([tmp_path], Settings(root=tmp_path))


def read(project: Project, name: str) -> FileFacts:
    file = project.file(name, None)
    assert file is not None
    return file


def check(project: Project, *names: str) -> None:
    """What the check of a file does to a project that rests on some files."""
    with project.reads.collecting() as rests_on:
        for name in names:
            read(project, name)
    project.needed.count(rests_on.numbers)


def kept(project: Project, most: int) -> set[str]:
    """Names of the files that are kept."""
    before = {name: read(project, name) for name in NAMES}
    project.make_room(most)
    return {name for name in NAMES if read(project, name) is before[name]}


def test_files_are_kept_on_which_most_checks_rest(project: Project) -> None:
    check(project, "first", "shared")
    check(project, "shared", "second")
    assert kept(project, len(TEXT)) == {"shared"}


def test_of_others_those_are_kept_that_were_read_last(project: Project) -> None:
    assert kept(project, 2 * len(TEXT)) == {"first", "second"}


def test_what_was_needed_long_ago_gives_way(project: Project) -> None:
    for _ in range(4):
        check(project, "first")
    assert kept(project, len(TEXT)) == {"first"}
    for _ in range(3):
        check(project, "second")
    assert kept(project, len(TEXT)) == {"second"}


def test_what_is_kept_takes_no_more_room(project: Project) -> None:
    check(project, *NAMES)
    project.make_room(2 * len(TEXT))
    assert project.characters == 2 * len(TEXT)
    project.forget(read(project, "shared").path)
    check(project, *NAMES)
    project.make_room(len(TEXT) - 1)
    assert project.characters == 0


def test_answers_go_with_the_files_on_which_they_rest(project: Project) -> None:
    memo: Memo[str, int] = Memo(project.reads)
    asked: list[str] = []

    def find(name: str) -> int:
        asked.append(name)
        return len(read(project, name).scope.bindings.names)

    for _ in range(2):
        check(project, "shared")
        assert [memo.found(name, find) for name in ("shared", "first")] == [1, 1]
    assert asked == ["shared", "first"]
    project.make_room(len(TEXT))
    assert [memo.found(name, find) for name in ("shared", "first")] == [1, 1]
    assert asked == ["shared", "first", "first"]


def test_answers_go_that_nobody_asks_for_any_more(project: Project) -> None:
    memo: Memo[str, int] = Memo(project.reads)
    for name in ("asked", "forgotten"):
        memo.found(name, len)
    project.make_room(0)
    assert memo.get("asked") == len("asked")
    project.make_room(0)
    assert memo.get("asked") == len("asked")
    assert memo.get("forgotten") is None


def test_what_is_parsed_later_is_counted_then(tmp_path: Path) -> None:
    text = "def f():\n    return 1\n" * 20
    (tmp_path / "shared.py").write_text(text, encoding="utf-8")
    project = Project([tmp_path], Settings(root=tmp_path))
    file = read(project, "shared")
    assert project.characters < len(text) / 10
    assert "f" in file.scope.bindings
    assert project.characters == len(text)
    project.make_room(0)
    assert project.characters == 0
