"""Baselines and comments for all findings, from the command line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from regbuf_lint.cli.main import main
from small_files import PLAIN_TENSOR

Capture = pytest.CaptureFixture[str]
MORE = PLAIN_TENSOR.replace("self.m", "self.k").replace("class M", "class K")
CONCISE = ["--output-format", "concise", "--no-cache"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PLAIN_TENSOR)


def test_a_baseline_leaves_out_what_was_there(capsys: Capture) -> None:
    assert main(["--write-baseline", "base.json", "."]) == 0
    assert capsys.readouterr() == ("", "regbuf-lint: note: wrote 1 finding to base.json\n")
    assert main([*CONCISE, "--baseline", "base.json", "."]) == 0
    assert capsys.readouterr() == ("No findings in 1 file with 1 nn.Module class.\n", "")
    Path("a.py").write_text("# moved\n" + PLAIN_TENSOR + MORE)
    assert main([*CONCISE, "--baseline", "base.json", "."]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("a.py:20:9: RBF001 [*] `K.k`")
    assert out.count("RBF001") == 1
    assert err == ""


@pytest.mark.parametrize("output_format", ["json", "sarif", "full,json:out.json"])
def test_a_baseline_counts_in_every_report(output_format: str, capsys: Capture) -> None:
    main(["--write-baseline", "base.json", "."])
    assert main(["--output-format", output_format, "--baseline", "base.json", "--no-cache", "."]) == 0
    assert "RBF001" not in capsys.readouterr().out
    assert not Path("out.json").exists() or json.loads(Path("out.json").read_text()) == []


@pytest.mark.parametrize("text", ["my notes\n", "[1, 2]", '{"version": 1}'])
def test_a_baseline_takes_the_place_of_nothing_else(text: str, capsys: Capture) -> None:
    Path("notes").write_text(text)
    assert main(["--write-baseline", "notes", "."]) == 2
    told = "--write-baseline: notes: not a baseline of version 1, so it is not overwritten"
    assert capsys.readouterr() == ("", f"regbuf-lint: error: {told}\n")
    assert Path("notes").read_text() == text


def test_a_baseline_takes_the_place_of_an_earlier_one() -> None:
    Path("base.json").touch()
    for text in (PLAIN_TENSOR, PLAIN_TENSOR + MORE):
        Path("a.py").write_text(text)
        assert main(["--write-baseline", "base.json", "."]) == 0
    assert len(json.loads(Path("base.json").read_text())["findings"]) == 2


def test_stale_entries_are_told(capsys: Capture) -> None:
    main(["--write-baseline", "base.json", "."])
    Path("a.py").write_text("x = 1\n")
    capsys.readouterr()
    assert main([*CONCISE, "--baseline", "base.json", "."]) == 0
    assert capsys.readouterr().err == (
        "regbuf-lint: note: 1 entry of base.json is found no more (a.py: RBF001 M.m);"
        " `--write-baseline base.json` lists what is found now, new findings too\n"
    )
    main([*CONCISE, "-q", "--baseline", "base.json", "."])
    assert capsys.readouterr().err == ""
    main([*CONCISE, "--select", "RBF101", "--baseline", "base.json", "."])
    assert capsys.readouterr().err == ""


def test_fixes_are_made_of_what_is_known_too(capsys: Capture) -> None:
    main(["--write-baseline", "base.json", "."])
    capsys.readouterr()
    assert main([*CONCISE, "--baseline", "base.json", "--fix", "."]) == 0
    assert "register_buffer" in Path("a.py").read_text()
    assert "1 entry of base.json is found no more" in capsys.readouterr().err


def test_a_baseline_for_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    main(["--write-baseline", "base.json", "."])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN_TENSOR.encode())))
    assert main([*CONCISE, "--baseline", "base.json", "--stdin-filename", "a.py", "-"]) == 0
    assert capsys.readouterr().out == "No findings in 1 file with 1 nn.Module class.\n"


def test_file_errors_are_told_while_a_baseline_is_written(capsys: Capture) -> None:
    assert main(["--write-baseline", "base.json", ".", "nope.py"]) == 2
    assert capsys.readouterr().err.splitlines()[0] == "nope.py: error: no such file or directory"
    assert len(json.loads(Path("base.json").read_text())["findings"]) == 1


def test_syntax_errors_are_not_in_a_baseline(capsys: Capture) -> None:
    Path("b.py").write_text("x = (\n")
    assert main(["--write-baseline", "base.json", "a.py", "b.py"]) == 0
    assert "1 syntax error left out" in capsys.readouterr().err
    assert main([*CONCISE, "--baseline", "base.json", "a.py", "b.py"]) == 1


def test_add_noqa(capsys: Capture) -> None:
    assert main(["--add-noqa", "a.py"]) == 0
    assert capsys.readouterr() == ("", "regbuf-lint: note: suppressed 1 finding in 1 file\n")
    assert Path("a.py").read_text() == PLAIN_TENSOR.replace("ones(3)", "ones(3)  # noqa: RBF001")
    assert main([*CONCISE, "a.py"]) == 0


def test_what_stands_behind_add_noqa_is_a_path_or_a_command() -> None:
    assert main(["--add-noqa", "check", "a.py"]) == 0
    assert main(["--add-noqa", "a.py"]) == 0


def test_add_noqa_with_a_reason() -> None:
    assert main(["--add-noqa=as it was", "."]) == 0
    assert "  # noqa: RBF001  # as it was\n" in Path("a.py").read_text()


def test_add_noqa_reports_what_is_left(capsys: Capture) -> None:
    Path("b.py").write_text("x = (\n")
    assert main([*CONCISE, "--add-noqa", "a.py", "b.py"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("b.py:1:5: RBF900")
    assert "RBF001" not in out
    assert err == "regbuf-lint: note: suppressed 1 finding in 1 file\n"


def test_add_noqa_leaves_what_a_baseline_lists() -> None:
    main(["--write-baseline", "base.json", "."])
    Path("a.py").write_text(PLAIN_TENSOR + MORE)
    assert main(["--add-noqa", "--baseline", "base.json", "."]) == 0
    assert Path("a.py").read_text() == PLAIN_TENSOR + MORE.replace("ones(3)", "ones(3)  # noqa: RBF001")


@pytest.mark.parametrize(("external", "code"), [("", 1), ('external = ["RBF"]', 0)])
def test_what_the_page_says_of_ruff(external: str, code: int) -> None:
    main(["--add-noqa", "a.py"])
    Path("ruff.toml").write_text(f'[lint]\nselect = ["RUF100", "RUF102"]\n{external}\n')
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "a.py"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == code


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--baseline", "none.json"], "none.json: no such file; `--write-baseline none.json` makes it"),
        (["--baseline", "a.py"], "a.py: not a baseline of version 1"),
        (["--write-baseline", "no/dir/b.json"], "--write-baseline: no/dir/b.json: no such file or directory"),
        (["--write-baseline", "a.py"], "--write-baseline: a.py holds source code, which is not overwritten"),
        (["--write-baseline", "-", "."], "--write-baseline: standard output is no file that --baseline could read"),
        (["--write-baseline", "b", "--baseline", "b"], "--write-baseline cannot be combined with --baseline"),
        (["--write-baseline", "b", "--add-noqa"], "--write-baseline cannot be combined with --add-noqa"),
        (
            ["--add-noqa", "reason", "a.py"],
            "no path is called `reason`; what --add-noqa is to write is given as `--add-noqa=reason`",
        ),
        (
            ["--add-noqa", "on purpose", "."],
            "no path is called `on purpose`; what --add-noqa is to write is given as `--add-noqa='on purpose'`",
        ),
        (["--add-noqa", "--fix"], "--add-noqa cannot be combined with --fix"),
        (["--add-noqa=two\nlines"], "--add-noqa: a reason is one line"),
        (["--add-noqa", "-"], "--add-noqa cannot be combined with standard input"),
        (["--add-noqa", "--why", "a.py:8"], "--why cannot be combined with --add-noqa"),
    ],
)
def test_mistakes(argv: list[str], message: str, capsys: Capture) -> None:
    assert main([*argv]) == 2
    assert capsys.readouterr().err == f"regbuf-lint: error: {message}\n"
    assert Path("a.py").read_text() == PLAIN_TENSOR
