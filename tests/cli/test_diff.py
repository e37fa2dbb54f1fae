"""Diffs that git takes."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.cli.diff import unified_diff
from regbuf_lint.source.text import decode_source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("name", ["a.py", "dir/with space.py", 'qu"ote\\.py', "tab\there.py", "ünï.py"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\nb", b"a\nB"),
        (b"a\nb\n", b"a\nb"),
        (b"a", b"a\n"),
        (b"a\r\nb\r\nc", b"a\r\nB\r\nc"),
        (b"a\rb\rc\r", b"a\rB\rc\r"),
        (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nB\n"),
        (b"# coding: latin-1\n\xe9\n", b"# coding: latin-1\n\xe9 = 1\n"),
        (b"a\x0c\n\xe2\x80\xa8b\nc\n", b"a\x0c\n\xe2\x80\xa8B\nc\n"),
        (b"\n" * 30 + b"x\n" + b"\n" * 30, b"y\n" + b"\n" * 30 + b"z\n" + b"\n" * 30),
    ],
)
def test_git_applies_it(tmp_path: Path, name: str, before: bytes, after: bytes) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    patch = unified_diff(decode_source(before, name), decode_source(after, name), name)
    done = subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, capture_output=True, check=False)
    assert done.stderr.decode() == "" or b"whitespace" in done.stderr
    assert done.returncode == 0
    assert path.read_bytes() == after


def test_no_change_is_no_diff() -> None:
    source = decode_source(b"a\n", "a.py")
    assert unified_diff(source, source, "a.py") == b""


def test_absolute_names_become_relative() -> None:
    patch = unified_diff(decode_source(b"a\n", "x"), decode_source(b"b\n", "x"), "/tmp/a.py")  # noqa: S108
    assert patch.startswith(b"--- a/tmp/a.py\n+++ b/tmp/a.py\n")


def test_names_with_spaces_end_in_a_tab() -> None:
    patch = unified_diff(decode_source(b"a\n", "x"), decode_source(b"b\n", "x"), "a b.py")
    assert patch.startswith(b"--- a/a b.py\t\n+++ b/a b.py\t\n"), "as git writes them; patch would cut at the space"
