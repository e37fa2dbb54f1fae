"""Writing in one step."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.source.atomic_write import write_atomically
from regbuf_lint.source.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path


def test_content_is_replaced_and_mode_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old\r\n")
    path.chmod(0o751)
    write_atomically(path, b"new\r\n", b"old\r\n")
    assert path.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert list(tmp_path.iterdir()) == [path]


def test_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "real" / "a.py"
    target.parent.mkdir()
    target.write_bytes(b"old")
    link = tmp_path / "b.py"
    link.symlink_to(target)
    write_atomically(link, b"new", b"old")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_file_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"theirs")
    with pytest.raises(SourceError, match="changed on disk since it was read; not overwritten"):
        write_atomically(path, b"ours", b"old")
    assert path.read_bytes() == b"theirs"


def test_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(SourceError, match="cannot be written: no space left on device"):
        write_atomically(path, b"new", b"old")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_read_only_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    with pytest.raises(SourceError, match="permission denied"):
        write_atomically(path, b"new", b"old")
    assert path.read_bytes() == b"old"


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written: no such file or directory"):
        write_atomically(tmp_path / "a.py", b"new", b"old")
    assert not list(tmp_path.iterdir())
