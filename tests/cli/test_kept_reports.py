"""Reports that go into files beside a diff, or beside fixes alone."""

from __future__ import annotations

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from regbuf_lint.cli.main import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


FIXABLE = (
    "import torch\nfrom torch import nn\n\n\nclass N(nn.Module):\n    def __init__(self, scale: torch.Tensor):\n"
    "        super().__init__()\n        self.m = torch.ones(3)\n        self.scale = scale\n\n"
    "    def forward(self, x):\n        return (x + self.m) * self.scale\n"
)


def attributes(path: str) -> list[tuple[str, int]]:
    """What a report in a file says: attributes, and the rows where they stand."""
    return [(one["attribute"] or one["name"], one["location"]["row"]) for one in json.loads(Path(path).read_text())]


def test_a_file_beside_a_diff_holds_what_is_there(capsys: Capture) -> None:
    Path("a.py").write_text(FIXABLE)
    main(["--diff", "a.py"])
    diff = capsys.readouterr()
    assert main(["--diff", "--output-format", "json:report,full:text,full", "a.py"]) == 1
    assert capsys.readouterr() == diff, "and standard output has the diff alone"
    assert attributes("report") == [("m", 8), ("scale", 9)]
    counts = "Found 2 findings (1 fixable with --fix, 1 more with --unsafe-fixes) in 1 file with 1 nn.Module class.\n"
    assert Path("text").read_text().endswith(counts)
    assert Path("a.py").read_text() == FIXABLE
    assert main(["--diff", "-o", "report", "--output-format", "json", "a.py", "gone.py"]) == 2
    assert [one["name"] for one in json.loads(Path("report").read_text())] == ["plain-tensor-attribute"] * 2 + [
        "file-error"
    ]


def test_a_file_beside_fixes_alone_holds_what_is_left(capsys: Capture) -> None:
    Path("a.py").write_text(FIXABLE)
    assert main(["--fix-only", "--output-format", "json:report,concise:text,full", "a.py"]) == 0
    assert capsys.readouterr() == ("", "Fixed 1 finding in 1 file (1 more with --unsafe-fixes).\n")
    assert attributes("report") == [("scale", 9)]
    counts = "\nFound 2 findings (1 fixed, 1 remaining) in 1 file with 1 nn.Module class.\n"
    assert Path("text").read_text().endswith(counts)


def test_the_baseline_is_left_out_of_a_file_beside_a_diff(capsys: Capture) -> None:
    Path("a.py").write_text(FIXABLE)
    main(["--write-baseline", "base.json", "--select", "RBF001", "a.py"])
    Path("a.py").write_text(FIXABLE.replace("self.scale = scale", "self.scale = scale\n        self.k = torch.ones(3)"))
    main(["--diff", "--baseline", "base.json", "--output-format", "json:report", "a.py"])
    capsys.readouterr()
    assert "scale" not in Path("report").read_text()


@pytest.mark.parametrize(("option", "expected"), [("--diff", ["m", "scale"]), ("--fix-only", ["scale"])])
def test_a_file_beside_what_standard_input_becomes(
    option: str, expected: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(FIXABLE.encode())))
    main([option, "--output-format", "json:report,full", "-"])
    out = capsys.readouterr().out
    assert out.count("register_buffer") == 1
    assert "RBF001" not in out
    assert [name for name, _ in attributes("report")] == expected
