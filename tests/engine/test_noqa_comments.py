"""Writing ``# noqa`` comments: where they land, and that they take effect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.noqa_comments import add_noqa
from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from pathlib import Path

    from regbuf_lint.model.result import FileResult

HEAD = (
    "import torch\nfrom torch import nn\n\n\nclass M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
)
TAIL = "\n    def forward(self, x):\n        return x + self.m\n"


def checked(path: Path) -> FileResult:
    return check_source(read_source(path), path, Settings(path.parent), fix=FixMode.NONE)


def commented(tmp_path: Path, statement: str, reason: str = "") -> tuple[str, FileResult]:
    """What becomes of a statement in a constructor, and the result of adding comments."""
    path = tmp_path / "a.py"
    path.write_bytes(f"{HEAD}        {statement}\n{TAIL}".encode())
    result = checked(path)
    assert result.findings
    done = add_noqa(result, reason)
    text = path.read_bytes().decode()
    assert text.startswith(HEAD)
    assert text.endswith(TAIL)
    return text.removeprefix(HEAD).removesuffix(f"\n{TAIL}").removeprefix("        "), done


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("self.m = torch.ones(3)", "self.m = torch.ones(3)  # noqa: RBF001"),
        ("self.m = torch.ones(3)  ", "self.m = torch.ones(3)  # noqa: RBF001"),
        ("self.m = torch.ones(3)  # why", "self.m = torch.ones(3)  # why  # noqa: RBF001"),
        ("self.m = torch.ones(3)  # noqa: E501", "self.m = torch.ones(3)  # noqa: E501, RBF001"),
        ("self.m = torch.ones(3)  # noqa: E501 so", "self.m = torch.ones(3)  # noqa: E501, RBF001 so"),
        ("self.m = torch.ones(\n  3,\n)", "self.m = torch.ones(\n  3,\n)  # noqa: RBF001"),
        ('self.m = torch.ones(len("""\n"""))', 'self.m = torch.ones(len("""\n"""))  # noqa: RBF001'),
    ],
)
def test_where_comments_land(tmp_path: Path, statement: str, expected: str) -> None:
    text, done = commented(tmp_path, statement)
    assert text == expected
    assert (done.findings, done.errors) == ((), ())
    assert checked(tmp_path / "a.py").findings == ()


def test_a_reason_is_a_comment_of_its_own(tmp_path: Path) -> None:
    text, _ = commented(tmp_path, "self.m = torch.ones(3)", "RBF101 is for later")
    assert text == "self.m = torch.ones(3)  # noqa: RBF001  # RBF101 is for later"
    assert checked(tmp_path / "a.py").findings == ()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("self.m = torch.ones(3)  # noqa: E501", "self.m = torch.ones(3)  # noqa: E501, RBF001  # a table"),
        ("self.m = torch.ones(3)  # noqa: E501 long ", "self.m = torch.ones(3)  # noqa: E501, RBF001 long  # a table"),
        ("self.m = torch.ones(3)  # noqa: E501 # a table", "self.m = torch.ones(3)  # noqa: E501, RBF001 # a table"),
    ],
)
def test_a_reason_stands_behind_what_is_there(tmp_path: Path, statement: str, expected: str) -> None:
    text, _ = commented(tmp_path, statement, "a table")
    assert text == expected
    assert checked(tmp_path / "a.py").findings == ()


def test_line_ends_and_encoding_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = f"# coding: latin-1\n{HEAD}        self.m = torch.ones(3)  # é\n{TAIL}".replace("\n", "\r\n")
    path.write_bytes(text.encode("latin-1"))
    assert add_noqa(checked(path), "").findings == ()
    assert path.read_bytes() == text.replace("# é", "# é  # noqa: RBF001").encode("latin-1")


def test_what_no_comment_can_suppress_stays_as_it_is(tmp_path: Path) -> None:
    statement = 'self.m = torch.ones(3); text = """\n"""'
    text, done = commented(tmp_path, statement)
    assert text == statement
    assert [one.code for one in done.findings] == ["RBF001"]


def test_files_that_do_not_parse_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = (\n")
    assert [one.code for one in add_noqa(checked(path), "").findings] == ["RBF900"]
    assert path.read_text() == "x = (\n"


def test_a_file_that_cannot_be_written_keeps_its_findings(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"{HEAD}        self.m = torch.ones(3)\n{TAIL}")
    result = checked(path)
    path.unlink()
    done = add_noqa(result, "")
    assert done.findings == result.findings
    assert [error.message for error in done.errors] == ["no such file or directory"]


def test_notebooks(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    cells = ["%matplotlib inline\n", f"{HEAD}        self.m = torch.ones(3)\n{TAIL}"]
    about: dict[str, object] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    listed = [{**about, "source": text.splitlines(keepends=True)} for text in cells]
    document = {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(document))
    assert add_noqa(checked(path), "").findings == ()
    source = json.loads(path.read_text())["cells"][1]["source"]
    assert "        self.m = torch.ones(3)  # noqa: RBF001\n" in source
    assert checked(path).findings == ()


def test_one_that_cannot_be_suppressed_leaves_the_others(tmp_path: Path) -> None:
    statements = 'self.m = torch.ones(3); text = """\n"""\n        self.k = torch.ones(4)'
    path = tmp_path / "a.py"
    path.write_text(f"{HEAD}        {statements}\n{TAIL.replace('self.m', 'self.m + self.k')}")
    done = add_noqa(checked(path), "")
    assert [one.attribute for one in done.findings] == ["m"]
    assert [one.attribute for one in checked(path).findings] == ["m"]
