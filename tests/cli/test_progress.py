"""Findings are printed as soon as they are known, and a person at a terminal sees how far a run is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from regbuf_lint.cli.main import main
from regbuf_lint.engine.session import Session

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.{name} = torch.ones(3)

    def forward(self, x):
        return x * self.{name}
"""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What has been printed to standard output before each of three files is checked."""
    monkeypatch.chdir(tmp_path)
    for name in ("first", "second", "third"):
        Path(f"{name}.py").write_text(NET.format(name=name), encoding="utf-8")
    printed: list[str] = []
    check = Session.check

    def watched(self: Session, path: Path, *rest: object) -> object:
        printed.append(capsys.readouterr().out)
        return check(self, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "check", watched)
    return printed


@pytest.mark.parametrize("output_format", ["full", "concise"])
def test_findings_come_file_by_file(told: list[str], output_format: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--isolated", "--output-format", output_format]) == 1
    told.append(capsys.readouterr().out)
    streamed = told[1:]
    for name, text in zip(("first", "second", "third"), streamed, strict=True):
        assert text.startswith(f"{name}.py:8:9: RBF001 ")
        assert text.count("RBF001") == 1
    assert streamed[2].endswith("Found 3 findings (3 fixable with --fix) in 3 files with 3 nn.Module classes.\n")


def test_what_is_one_document_comes_at_once(told: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["--output-format=json"], ["--diff"], ["--statistics"], ["--output-file=report.txt"], ["--fix"]):
        told.clear()
        main(["--isolated", *options])
        assert told
        assert set(told) == {""}
        capsys.readouterr()


def test_errors_come_first(told: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--isolated", "--output-format=concise", "missing.py", "."]) == 2
    assert told[0] == "missing.py: error: no such file or directory\n"
    assert capsys.readouterr().out.count("error") == 0


def test_a_terminal_shows_how_far_the_run_is(
    told: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("regbuf_lint.cli.progress._FIRST_AFTER", 0)
    monkeypatch.setattr("regbuf_lint.cli.progress._NEXT_AFTER", 0)
    main(["--isolated"])
    assert capsys.readouterr().err == ""
    written: list[str] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "write", written.append)
    assert main(["--isolated"]) == 1
    assert "".join(written) == (
        "\r\033[K[##########--------------------] 1 of 3 files\r\033[K"
        "\r\033[K[####################----------] 2 of 3 files\r\033[K"
        "\r\033[K[##############################] 3 of 3 files\r\033[K"
    )
    written.clear()
    main(["--isolated", "--quiet"])
    assert written == []
    assert len(told) == 9
