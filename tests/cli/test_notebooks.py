"""Notebooks on the command line: findings by cell, fixes that touch the mended cells alone."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from regbuf_lint.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

IMPORTS = "%matplotlib inline\nimport torch\nfrom torch import nn\n!pip list"
BASE = """\
class Base(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        %time
        self.scale = torch.ones(3)  # größer"""
DERIVED = """\
%%time
class Derived(Base):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.mask = torch.tril(torch.ones(n, n))
        self.two, self.name = (
            torch.ones(2),
            "two",
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale * self.mask * self.two
"""
MENDED = {
    3: BASE.replace("self.scale = torch.ones(3)", 'self.register_buffer("scale", torch.ones(3), persistent=False)'),
    5: DERIVED.replace(
        "self.mask = torch.tril(torch.ones(n, n))",
        'self.register_buffer("mask", torch.tril(torch.ones(n, n)), persistent=False)',
    ),
}


def notebook(*sources: str) -> bytes:
    """Return a notebook whose first cell is text and whose last one is a shell script."""
    output = {"output_type": "stream", "name": "stdout", "text": ["self.x = torch.ones(3)"]}
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": ["self.x = torch.ones(3)"]}]
    for source in (*sources, "%%bash\nself.x = torch.ones(3)"):
        cell: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [output]}
        cells.append({**cell, "source": source.splitlines(keepends=True)})
    whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False).encode() + b"\n"


DATA = notebook(IMPORTS, BASE, "", DERIVED)


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nb.ipynb").write_bytes(DATA)


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Return a function that runs the command and returns exit code, standard output and standard error."""

    def call(*argv: str) -> tuple[int, str, str]:
        code = main(["--isolated", *argv])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def sources(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]


def test_findings_are_told_by_cell_and_row(run: Run) -> None:
    code, out, err = run("--output-format", "concise", "-q", ".")
    assert (code, err) == (1, "")
    places = [line.partition(" RBF001 ")[0] for line in out.splitlines()]
    assert places == ["nb.ipynb:cell 3:5:9:", "nb.ipynb:cell 5:5:9:", "nb.ipynb:cell 5:6:9:"]


def test_the_frame_shows_the_row_of_the_cell(run: Run) -> None:
    _, out, _ = run("nb.ipynb")
    assert "\n5 |         self.scale = torch.ones(3)  # größer\n  |         ^^^^^^^^^^\n" in out


def test_json_places_have_a_cell(run: Run) -> None:
    _, out, _ = run("--output-format", "json", "nb.ipynb")
    record = json.loads(out)[1]
    assert (record["location"], record["end_location"]) == (
        {"row": 5, "column": 9, "cell": 5},
        {"row": 5, "column": 18, "cell": 5},
    )
    assert list(record["location"]) == ["row", "column", "cell"]
    assert record["noqa_row"] == 5
    (edit,) = record["fix"]["edits"]
    assert edit["location"] == {"row": 5, "column": 9, "cell": 5}
    rows = sources(DATA)[4].splitlines()
    start, end = edit["location"]["column"] - 1, edit["end_location"]["column"] - 1
    rows[4] = rows[4][:start] + edit["content"] + rows[4][end:]
    assert "\n".join(rows) + "\n" == MENDED[5]


def test_fixes_change_the_sources_of_mended_cells_alone(run: Run) -> None:
    code, out, err = run("--fix", "--show-fixes", "-q", "--output-format", "concise", "nb.ipynb")
    assert code == 1
    assert out.startswith("nb.ipynb:cell 5:6:9: RBF001 ")
    assert err.splitlines()[1:] == [
        "  nb.ipynb:cell 3:5:9: RBF001 Register `scale` as a non-persistent buffer",
        "  nb.ipynb:cell 5:5:9: RBF001 Register `mask` as a non-persistent buffer",
    ]
    assert Path("nb.ipynb").read_bytes() == notebook(IMPORTS, MENDED[3], "", MENDED[5])
    assert run("--fix", "-q", "nb.ipynb")[1] != ""
    assert Path("nb.ipynb").read_bytes() == notebook(IMPORTS, MENDED[3], "", MENDED[5])


def test_a_diff_shows_cells(run: Run) -> None:
    code, out, _ = run("--diff", "nb.ipynb")
    assert code == 1
    assert Path("nb.ipynb").read_bytes() == DATA
    assert out.startswith(
        "--- nb.ipynb:cell 3\n"
        "+++ nb.ipynb:cell 3\n"
        "@@ -2,4 +2,4 @@\n"
        "     def __init__(self) -> None:\n"
        "         super().__init__()\n"
        "         %time\n"
        "-        self.scale = torch.ones(3)  # größer\n"
        '+        self.register_buffer("scale", torch.ones(3), persistent=False)  # größer\n'
        "--- nb.ipynb:cell 5\n"
    )
    assert "No newline" not in out


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    give(DATA)
    _, out, err = run("--fix", "-q", "--output-format", "concise", "--stdin-filename", "x.ipynb", "-")
    assert out.encode() == notebook(IMPORTS, MENDED[3], "", MENDED[5])
    assert err.startswith("x.ipynb:cell 5:6:9: RBF001 ")
    give(DATA)
    code, out, _ = run("--diff", "--stdin-filename", "x.ipynb", "-")
    assert (code, out.count("\n+++ x.ipynb:cell ")) == (1, 2)
    give(b"{")
    code, out, err = run("--fix", "--stdin-filename", "x.ipynb", "-")
    assert (code, out) == (2, "{")
    assert err.startswith("x.ipynb: error: not a notebook: no valid JSON in row 1, column 2: ")


def test_comments_suppress_by_row_or_in_all_cells(run: Run) -> None:
    quiet = BASE.replace("# größer", "# noqa: RBF001")
    Path("nb.ipynb").write_bytes(notebook(IMPORTS, quiet, DERIVED.replace('"two",', '"two",  # noqa')))
    _, out, _ = run("--output-format", "concise", "-q", ".")
    assert [line.partition(" RBF001 ")[0] for line in out.splitlines()] == ["nb.ipynb:cell 4:5:9:"]
    Path("nb.ipynb").write_bytes(notebook(IMPORTS, BASE, DERIVED, "# regbuf-lint: noqa: RBF001", "f("))
    code, out, _ = run("--output-format", "concise", "-q", ".")
    assert (code, out) == (1, "nb.ipynb:cell 6:1:2: RBF900 the file does not parse: '(' was never closed\n")


def test_a_comment_for_all_cells_with_a_slip_is_told(run: Run) -> None:
    Path("nb.ipynb").write_bytes(notebook(IMPORTS, BASE, DERIVED, "x = 1\n# regbuf-lint: noqa RBF001"))
    for options in (["."], ["--fix", "."]):
        _, out, err = run("--output-format", "concise", *options)
        assert "3 f" in out
        assert err.startswith("regbuf-lint: note: nb.ipynb:cell 5:2:1: this comment hides nothing; ")
        assert err.count("hides nothing") == 1


def test_an_unused_comment_is_taken_away(run: Run) -> None:
    Path("nb.ipynb").write_bytes(notebook("!ls", "# noqa: RBF001", "x = 1  # noqa: RBF002\n# noqa: RBF001"))
    assert run("--select", "RBF0,RBF901", "--fix", "nb.ipynb")[0] == 0
    assert sources(Path("nb.ipynb").read_bytes())[1:4] == ["!ls", "", "x = 1"]


@pytest.mark.parametrize("broken", ["class A:\n", "x = (", "'''", "@property", "def f(:", "    return\n  x"])
def test_a_cell_that_does_not_parse_leaves_the_others_alone(run: Run, broken: str) -> None:
    Path("nb.ipynb").write_bytes(notebook(IMPORTS, BASE, broken, DERIVED))
    code, out, _ = run("--output-format", "concise", "-q", "nb.ipynb")
    assert code == 1
    codes = [line.split()[2] for line in out.splitlines()]
    assert codes == ["RBF001", "RBF900", "RBF001", "RBF001"]
    assert out.splitlines()[1].startswith("nb.ipynb:cell 4:")
    _, shown, _ = run("--diff", "nb.ipynb")
    assert shown.count("\n+++ ") == 2
    run("--fix", "nb.ipynb")
    assert Path("nb.ipynb").read_bytes() == notebook(IMPORTS, MENDED[3], broken, MENDED[5])
    assert run("--ignore", "RBF", "nb.ipynb")[0] == 0


def test_rows_in_messages_of_the_parser_are_those_of_the_cell(run: Run) -> None:
    Path("nb.ipynb").write_bytes(notebook(IMPORTS, "x = 1\nif x:\ny = 1", "def f(x):\n"))
    _, out, _ = run("--output-format", "concise", "-q", "nb.ipynb")
    first, second = out.splitlines()
    assert first.startswith("nb.ipynb:cell 3:3:1: ")
    assert first.endswith("after 'if' statement on line 2")
    assert second.startswith("nb.ipynb:cell 4:")
    assert second.endswith("after function definition on line 1")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no JSON", "not a notebook: no valid JSON in row 1, column 1: expecting value"),
        (b"{}", "not a notebook: it has no list of `cells`"),
        (b'{"nbformat": 3, "cells": []}', "notebook format 3 is not supported; convert the notebook to format 4"),
    ],
)
def test_what_is_no_notebook_does_not_stop_the_run(run: Run, data: bytes, message: str) -> None:
    Path("a.ipynb").write_bytes(data)
    code, out, _ = run("--output-format", "concise", "--fix", "-q", ".")
    assert code == 2
    assert out.splitlines()[0] == f"a.ipynb: error: {message}"
    assert out.splitlines()[1].startswith("nb.ipynb:cell 5:6:9: RBF001 ")
    assert Path("a.ipynb").read_bytes() == data


def test_nothing_found_is_nothing_written(run: Run) -> None:
    data = notebook("x = 1", "%time", "pip install torch").replace(b"\n", b"\r\n")
    Path("nb.ipynb").write_bytes(data)
    Path("empty.ipynb").write_bytes(b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    assert run("--fix", ".") == (0, "No findings in 2 files with 0 nn.Module classes.\n", "")
    assert Path("nb.ipynb").read_bytes() == data
