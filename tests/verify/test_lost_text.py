"""Comments and docstrings that another version of a text no longer has."""

from __future__ import annotations

import pytest

from regbuf_lint.verify.lost_text import lost_text

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
def test_what_is_lost(change: tuple[str, str], lost: list[str]) -> None:
    after = BEFORE.replace(*change)
    assert after != BEFORE
    assert list(lost_text(BEFORE, after)) == lost


def test_comments_that_suppress_may_go() -> None:
    assert list(lost_text("x = 1  # noqa: RBF001\n", "x = 1\n")) == []
