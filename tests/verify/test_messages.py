"""What goes wrong is said in the user's terms: what was being done, and on which line of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mutants import FIXED, PLAIN, Version, rows

from borrowed_workers import borrow_workers
from regbuf_lint.verify import cli

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.torch
FACTORY = "from model import Net\nimport torch\ndef make_net():\n    return Net(), (torch.ones(2, 3),)\n"
RAISING = {
    "constructor": ({"model.py": Version(rows(FIXED, "raise ValueError('no luck')")).text()},
                    "the constructor raises ValueError: no luck (model.py:14)"),
    "factory": ({"factories.py": FACTORY.replace("return", "raise ValueError('no data')\n    return")},
                "the factory make_net() raises ValueError: no data (factories.py:4)"),
    "absent": ({"factories.py": FACTORY.replace("make_net", "made_net")},
               "the factory make_net() raises AttributeError: module 'factories' has no attribute 'make_net'"),
    "call": ({"model.py": Version(first="raise ValueError(len(x))").text()},
             "the call raises ValueError: 2 (model.py:16)"),
    "import": ({"factories.py": "1 / 0\n" + FACTORY},
               "importing factories.py raises ZeroDivisionError: division by zero (factories.py:1)"),
    "syntax": ({"factories.py": "def (\n"}, "importing factories.py raises SyntaxError"),
    "escapes": ({"model.py": Version(rows(FIXED, r"raise ValueError('\x1b[31mred\x07')")).text()},
                r"ValueError: \x1b[31mred\x07 (model.py:14)"),
}  # fmt: skip
"""What a file holds instead, and what is said."""
OTHERS = {
    "renamed": (FIXED.replace('"scale"', '"other"') + "\n        self.scale = 1", "scale (is now other)"),
    "dtype": (FIXED.replace("ones(3)", "ones(3).double()"), "scale (dtype torch.float32 is now torch.float64)"),
    "missing": ("self.scale = 1", "scale (missing)"),
    "value": (FIXED.replace("ones", "zeros"), "scale (another value)"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("torch")
    borrow_workers(monkeypatch)
    (tmp_path / "model.py").write_text(Version().text(), encoding="utf-8")
    (tmp_path / "factories.py").write_text(FACTORY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", RAISING)
def test_what_raises_is_named_with_its_place(name: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, said = RAISING[name]
    for file, text in files.items():
        (project / file).write_text(text, encoding="utf-8")
    arguments = ["-j", "1", "model.py::Net", "--factory", "factories.py::make_net", "--device", "meta"]
    assert cli.main(arguments) == cli.FAILED
    out = capsys.readouterr().out
    assert said in out
    assert "Traceback" not in out
    assert "\x1b" not in out
    if name == "constructor":
        cli.main([*arguments, "-v"])
        out = capsys.readouterr().out
        assert 'Traceback (most recent call last):\n  File "' in out
        assert "factories.py" in out
        assert "regbuf_lint" not in out


@pytest.mark.parametrize("name", OTHERS)
def test_how_a_value_differs_is_said(name: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storing, said = OTHERS[name]
    (project / "case.py").write_text(Version(PLAIN).text(), encoding="utf-8")
    (project / "case.fixed.py").write_text(Version(storing).text(), encoding="utf-8")
    assert cli.main(["-j", "1", "case.py", "--device", "meta"]) == cli.FAILED
    out = capsys.readouterr().out
    assert f"not the same value as before: {said}" in out


def test_a_call_that_raises_no_longer_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refusing = rows("if x.dtype is torch.bfloat16: raise ValueError('too small')", "x = x.float()")
    (project / "case.py").write_text(Version(PLAIN, first=refusing).text(), encoding="utf-8")
    (project / "case.fixed.py").write_text(Version(FIXED, first="x = x.float()").text(), encoding="utf-8")
    assert cli.main(["-j", "1", "case.py", "--device", "meta"]) == cli.FAILED
    out = capsys.readouterr().out
    assert "bfloat16 gives another output than that of the original: no longer raises ValueError: too small" in out


def test_a_fix_that_cannot_be_built_says_nothing_of_the_original(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "RBF001").mkdir()
    (project / "RBF001" / "case.py").write_text(Version(PLAIN).text(), encoding="utf-8")
    (project / "RBF001" / "case.fixed.py").write_text(Version("raise ValueError").text(), encoding="utf-8")
    assert cli.main(["-j", "1", "RBF001", "--device", "meta"]) == cli.FAILED
    out = capsys.readouterr().out
    assert "RBF001/case.py:13 as fixed)" in out
    assert "the fixed version cannot be built, so nothing was compared" in out
    assert "moves and works" not in out


def test_pairs_that_cannot_be_built_are_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "case.py").write_text("x = 1\n", encoding="utf-8")
    (project / "case.fixed.py").write_text("x = 2\n", encoding="utf-8")
    (project / "alone.fixed.py").write_text("x = 2\n", encoding="utf-8")
    (project / "project_empty").mkdir()
    (project / "project_empty" / "part.py").write_text("x = 2\n", encoding="utf-8")
    (project / "project_empty" / "part.fixed.py").write_text("x = 2\n", encoding="utf-8")
    assert cli.main(["-j", "1", ".", "--device", "meta"]) == cli.FAILED
    out = capsys.readouterr().out
    assert "there is no make() in case.py" in out
    assert "there is no alone.py beside alone.fixed.py" in out
    assert "there is no make() in main.py" in out
