"""Several reports of one run: what ``--output-format`` takes and where each report goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_engine import FakeEngine, install

from regbuf_lint.cli.main import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text("x = BAD\n")
    return install(monkeypatch)


def test_several_reports_at_once(capsys: Capture) -> None:
    assert main(["bad.py", "--output-format", "sarif:out.sarif, json:a:b.json,concise"]) == 1
    out, err = capsys.readouterr()
    assert (out.splitlines()[0], err) == ("bad.py:1:5: RBF001 [*] BAD stays behind", "")
    run = json.loads(Path("out.sarif").read_text())["runs"][0]
    assert [one["ruleId"] for one in run["results"]] == ["RBF001"]
    assert run["tool"]["driver"]["rules"][0]["help"]["text"] == "What.\n\nWhy.", "the pages of the rules are there"
    assert json.loads(Path("a:b.json").read_text())[0]["code"] == "RBF001"


def test_reports_of_several_options_add_up(capsys: Capture) -> None:
    argv = ["--output-format", "sarif:out.sarif,json", "--output-format", "junit:j.xml", "--output-format", "concise"]
    assert main(["bad.py", *argv]) == 1
    assert capsys.readouterr().out.startswith("bad.py:1:5: RBF001"), "the last one for standard output"
    assert Path("out.sarif").exists()
    assert Path("j.xml").exists()


def test_all_into_files_leaves_standard_output_empty(capsys: Capture) -> None:
    assert main(["bad.py", "--output-format", "junit:j.xml"]) == 1
    assert capsys.readouterr() == ("", "")
    assert Path("j.xml").read_text().startswith("<?xml")


def test_an_output_file_is_for_the_report_without_one() -> None:
    assert main(["bad.py", "--output-format", "sarif:out.sarif,concise", "-o", "out.txt"]) == 1
    assert Path("out.txt").read_text().startswith("bad.py:1:5: RBF001")
    assert Path("out.sarif").exists()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--output-format", "sarf"], "argument --output-format: unknown format `sarf`; did you mean `sarif`?"),
        (["--output-format", "x"], "argument --output-format: unknown format `x`; there are full, concise, grouped, "),
        (["--output-format", "sarif:"], "argument --output-format: `sarif:` names no file"),
        (["--output-format", "full,sarif"], "argument --output-format: two reports would go to standard output: "),
        (["--output-format", "json:x,sarif:x"], "argument --output-format: two reports would go to `x`: "),
        (["--output-format", "json:x", "-o", "y"], "--output-file: --output-format names a file for every report"),
    ],
)
def test_mistakes(argv: list[str], message: str, capsys: Capture) -> None:
    assert main(["bad.py", *argv]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"regbuf-lint: error: {message}")
    assert err.count("\n") == 1


def test_a_report_that_cannot_be_written_takes_no_other_with_it(capsys: Capture) -> None:
    assert main(["bad.py", "--output-format", "sarif:no/such/dir,json:good.json,concise"]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("bad.py:1:5: RBF001")
    assert json.loads(Path("good.json").read_text())[0]["code"] == "RBF001"
    assert err == "regbuf-lint: error: --output-format: no/such/dir: no such file or directory\n"


def test_an_error_names_the_option_that_names_the_file(capsys: Capture) -> None:
    assert main(["bad.py", "-o", "no/such/dir"]) == 2
    assert capsys.readouterr().err == "regbuf-lint: error: --output-file: no/such/dir: no such file or directory\n"


@pytest.mark.parametrize(
    ("argv", "option"),
    [
        (["-o", "bad.py", "."], "--output-file: bad.py"),
        (["--output-format", "json:./bad.py,concise", "."], "--output-format: ./bad.py"),
        (["--output-format", "json:empty.ipynb", "bad.py"], "--output-format: empty.ipynb"),
        (["-o", "script", "script"], "--output-file: script"),
        (["-o", "link", "script"], "--output-file: link"),
    ],
)
def test_no_report_takes_the_place_of_source_code(argv: list[str], option: str, capsys: Capture) -> None:
    Path("script").write_text("x = BAD\n")
    Path("empty.ipynb").touch()
    Path("link").symlink_to("script")
    assert main(argv) == 2
    told = f"{option} holds source code, which is not overwritten"
    assert capsys.readouterr() == ("", f"regbuf-lint: error: {told}\n")
    assert Path("bad.py").read_text() == Path("script").read_text() == "x = BAD\n"


def test_statistics_stand_in_reports_for_people(capsys: Capture) -> None:
    main(["bad.py", "--statistics", "--output-format", "json:a.json,grouped"])
    out, err = capsys.readouterr()
    assert out.startswith("1  RBF001  [*]  plain-tensor-attribute\n")
    assert err == ""
