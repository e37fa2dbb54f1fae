"""Comments and docstrings that another version of a file no longer has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.verify.code_changes import code_changes

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = '''"""Tables."""

# They are small.
class Net:
    """Scales."""

    @property
    def size(self):
        """Rows."""
        return 3  # of all

    @size.setter
    def size(self, rows):
        # ignored
        self.rows = rows
'''


def lost_text(directory: Path, before: str, after: str) -> list[str]:
    files = [directory / "before.py", directory / "after.py"]
    for file, text in zip(files, (before, after), strict=True):
        file.write_text(text, encoding="utf-8")
    changes = code_changes([(str(files[0]), str(files[1]))])
    return [one.rpartition("::")[2] for one in changes.lost]


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        (("# They are small.\n", ""), ["the comment in line 3"]),
        (("  # of all", ""), ["the comment in line 10"]),
        (("        return 3  # of all\n", "        return 4\n"), []),
        (("        # ignored\n        self.rows = rows\n", "        pass\n"), []),
        (("        # ignored\n", ""), ["the comment in line 14"]),
        (('"""Tables."""\n', ""), ["the docstring of the file"]),
        (('        """Rows."""\n', ""), ["the docstring of Net.size"]),
        (('"""Rows."""', '"""Columns."""'), []),
        (("return 3  # of all", "return 3  # of all\n        # and more"), []),
    ],
)
def test_what_is_lost(tmp_path: Path, change: tuple[str, str], lost: list[str]) -> None:
    after = BEFORE.replace(*change)
    assert after != BEFORE
    assert lost_text(tmp_path, BEFORE, after) == lost


def test_comments_that_suppress_may_go(tmp_path: Path) -> None:
    assert lost_text(tmp_path, "x = 1  # noqa: RBF001\n", "x = 1\n") == []
