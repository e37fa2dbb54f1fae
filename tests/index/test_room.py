"""Tests for what a project keeps of its files when their trees fill the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.index.project import Project
from regbuf_lint.model.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

PLENTY = 1000


def test_files_that_are_needed_again_are_kept(tmp_path: Path) -> None:
    for name in ("shared", "first", "second"):
        (tmp_path / f"{name}.py").write_text("x = 1\n", encoding="utf-8")
    project = Project([tmp_path], Settings(root=tmp_path))
    assert project.file("shared", None)
    assert project.file("first", None)
    project.make_room(PLENTY)
    assert project.characters == 0

    shared = project.file("shared", None)
    assert project.file("second", None)
    project.make_room(PLENTY)
    assert project.characters == len("x = 1\n")
    assert project.file("shared", None) is shared

    project.forget(tmp_path / "shared.py")
    assert project.file("shared", None)
    project.make_room(PLENTY)
    assert project.characters == len("x = 1\n"), "what was forgotten takes no room"

    shared = project.file("shared", None)
    project.make_room(0)
    assert project.characters == 0
    assert project.file("shared", None) is not shared
