"""The command line against a stand-in engine: options, output, exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fake_engine import FakeEngine, FixMode, install

from regbuf_lint import __version__
from regbuf_lint.cli.main import main
from regbuf_lint.model.settings import BufferStyle, PerFileIgnore, Persistence

if TYPE_CHECKING:
    from regbuf_lint.model.result import FileResult
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.source.text import SourceText

Capture = pytest.CaptureFixture[str]
BINARY = "BAD = '\xe9'\r\nx\r\n".encode("latin-1")


@pytest.fixture(autouse=True)
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    Path("good.py").write_text("x = 1\n")
    Path("bad.py").write_text("x = BAD\n")
    Path("risky.py").write_text("x = RISKY\n")
    return install(monkeypatch)


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["good.py"], 0),
        (["bad.py"], 1),
        ([], 1),
        (["bad.py", "--exit-zero"], 0),
        (["bad.py", "--fix"], 0),
        (["bad.py", "risky.py", "--fix"], 1),
        (["bad.py", "--fix", "risky.py"], 1),
        (["bad.py", "risky.py", "--fix", "--unsafe-fixes"], 0),
        (["bad.py", "risky.py", "--fix-only"], 0),
        (["bad.py", "--fix", "--exit-non-zero-on-fix"], 1),
        (["bad.py", "--fix-only", "--exit-non-zero-on-fix"], 1),
        (["good.py", "--fix", "--exit-non-zero-on-fix"], 0),
        (["bad.py", "--fix", "--exit-non-zero-on-fix", "--exit-zero"], 0),
        (["bad.py", "--diff"], 1),
        (["risky.py", "--diff"], 0),
        (["risky.py", "--diff", "--unsafe-fixes"], 1),
        (["good.py", "nope.py"], 2),
        (["bad.py", "nope.py", "--exit-zero"], 2),
        (["bad.py", "nope.py", "--diff"], 2),
        (["bad.py", "nope.py", "--fix-only"], 2),
    ],
)
def test_exit_codes(argv: list[str], code: int) -> None:
    assert main(argv) == code


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--nope"], "unrecognized arguments: --nope"),
        (["--sel", "RBF001"], "unrecognized arguments: --sel"),
        (["--output-format", "xml"], "argument --output-format: unknown format `xml`"),
        (["-j", "x"], "argument -j/--jobs: `x` is neither a positive number nor `auto`"),
        (["-j", "0"], "argument -j/--jobs: `0` is neither"),
        (["--quiet", "--verbose"], "argument -v/--verbose: not allowed with argument -q/--quiet"),
        (["-", "bad.py"], "`-` (standard input) cannot be combined with other paths"),
        ([""], "a path is empty"),
        (["--stdin-filename", "x.py"], "--stdin-filename needs `-` as the only path"),
        (["--isolated", "--config", "x.toml"], "--isolated and --config exclude each other"),
        (["--config", "x.toml"], "x.toml: no such file"),
        (["--select", "RBF777"], "--select: unknown rule code `RBF777`"),
        (["--ignore", "rfb001"], "--ignore: unknown rule code `RFB001`; did you mean `RBF001`?"),
        (["--per-file-ignores", "RBF001"], "argument --per-file-ignores: expected PATTERN:CODE, not `RBF001`"),
        (
            ["--per-file-ignores", "*.py:RBF001:RBF2"],
            "argument --per-file-ignores: expected PATTERN:CODE, not `*.py:RBF001:RBF2`",
        ),
        (["--per-file-ignores", ":RBF001"], "argument --per-file-ignores: expected PATTERN:CODE, not `:RBF001`"),
        (["--per-file-ignores", "x.py:"], "argument --per-file-ignores: expected PATTERN:CODE, not `x.py:`"),
        (["--persistent", "allways"], "--persistent must be one of `auto`, `always`, `never`, not `allways`; did you"),
        (["--explain", "RBF002"], "--explain: unknown rule `RBF002`; did you mean `RBF001`?"),
        (["--output-file", "no/such/dir/file"], "--output-file: no/such/dir/file: no such file or directory"),
    ],
)
def test_mistakes_are_one_line_and_exit_with_2(argv: list[str], message: str, capsys: Capture) -> None:
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"regbuf-lint: error: {message}")
    assert err.count("\n") == 1


def test_a_configuration_mistake_names_the_file(capsys: Capture) -> None:
    Path("pyproject.toml").write_text("[tool.regbuf-lint]\nselct = []\n")
    assert main(["good.py"]) == 2
    assert capsys.readouterr().err == (
        "regbuf-lint: error: pyproject.toml: unknown key `selct` in [tool.regbuf-lint]; did you mean `select`?\n"
    )
    assert main(["good.py", "--isolated"]) == 0


def test_configuration_is_looked_for_above_each_file(engine: FakeEngine) -> None:
    project = Path("other/pkg")
    project.mkdir(parents=True)
    (project / "a.py").touch()
    Path("other/pyproject.toml").write_text('[tool.regbuf-lint]\npersistent = "never"\n')
    assert main(["other/pkg/a.py"]) == 0
    assert main(["other/pkg/a.py", "good.py"]) == 0
    seen = [call["settings"].of(Path("other/pkg/a.py")).persistent for call in engine.calls]
    assert seen == [Persistence.NEVER, Persistence.NEVER]
    assert engine.calls[-1]["settings"].of(Path("good.py")).persistent is Persistence.AUTO


def test_options_reach_settings_and_engine(engine: FakeEngine) -> None:
    argv = "--select RBF0,RBF1 --select=RBF001 --extend-select RBF101 --ignore RBF1 --persistent always -j 3 "
    argv += "--buffer-style nn-buffer --annotate --force-exclude "
    argv += "--per-file-ignores tests/*:RBF001,RBF101,x.py:RBF1 --no-cache ."
    main(argv.split())
    call = engine.calls[-1]
    (settings,) = call["settings"].every
    assert settings.select == ("RBF0", "RBF1", "RBF001")
    assert (settings.extend_select, settings.ignore) == (("RBF101",), ("RBF1",))
    assert (settings.persistent, settings.buffer_style) == (Persistence.ALWAYS, BufferStyle.NN_BUFFER)
    assert settings.force_exclude
    assert settings.annotate
    assert settings.per_file_ignores == (
        PerFileIgnore("tests/*", ("RBF001", "RBF101")),
        PerFileIgnore("x.py", ("RBF1",)),
    )
    assert (call["jobs"], call["fix"], call["write"]) == (3, FixMode.NONE, False)
    assert call["files"] == (Path("bad.py"), Path("good.py"), Path("risky.py"))


@pytest.mark.parametrize(
    ("options", "mode", "write"),
    [
        (["--fix"], FixMode.SAFE, True),
        (["--fix-only", "--unsafe-fixes"], FixMode.UNSAFE, True),
        (["--unsafe-fixes"], FixMode.NONE, False),
        (["--diff", "--fix"], FixMode.SAFE, False),
    ],
)
def test_fix_modes(options: list[str], mode: FixMode, write: object, engine: FakeEngine) -> None:
    main(["bad.py", *options])
    assert (engine.calls[-1]["fix"], engine.calls[-1]["write"]) == (mode, write)
    assert engine.calls[-1]["jobs"] >= 1


def test_concise_output_and_summary(capsys: Capture) -> None:
    main(["--output-format", "concise", "bad.py", "risky.py", "nope.py"])
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "nope.py: error: no such file or directory\n"
        "bad.py:1:5: RBF001 [*] BAD stays behind\n"
        "risky.py:1:5: RBF001 RISKY stays behind\n"
        "Found 2 findings (1 fixable with --fix, 1 more with --unsafe-fixes) in 2 files with 0 nn.Module classes.\n"
    )


def test_json_is_nothing_but_json(capsys: Capture) -> None:
    main(["--output-format", "json", "bad.py", "nope.py", "--verbose"])
    records = json.loads(capsys.readouterr().out)
    assert [(record["code"], record["filename"]) for record in records] == [("RBF001", "bad.py"), (None, "nope.py")]


def test_quiet_leaves_findings_only(engine: FakeEngine, capsys: Capture) -> None:
    Path("empty").mkdir()
    engine.unresolved = ("x.Y",)
    main(["-q", "bad.py", "empty", "--output-format", "concise"])
    assert capsys.readouterr() == ("bad.py:1:5: RBF001 [*] BAD stays behind\n", "")


def test_hints_go_to_standard_error(engine: FakeEngine, capsys: Capture) -> None:
    engine.unresolved = ("x.Y",)
    main(["bad.py", "--output-format", "json"])
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == 1
    assert err.startswith("regbuf-lint: note: 1 base class could not be resolved (x.Y)")


def test_empty_directory_is_a_warning(engine: FakeEngine, capsys: Capture) -> None:
    Path("empty").mkdir()
    assert main(["empty"]) == 0
    assert capsys.readouterr() == ("No findings.\n", "regbuf-lint: warning: no Python files found under empty\n")
    assert engine.calls == []


def test_output_file(capsys: Capture) -> None:
    assert main(["bad.py", "--output-format", "json", "-o", "report.json"]) == 1
    assert json.loads(Path("report.json").read_text())[0]["code"] == "RBF001"
    assert capsys.readouterr().out == ""


def test_statistics(capsys: Capture) -> None:
    assert main(["--statistics", ".", "nope.py"]) == 2
    assert capsys.readouterr().out == (
        "nope.py: error: no such file or directory\n"
        "2  RBF001  [*]  plain-tensor-attribute\n"
        "Found 2 findings (1 fixable with --fix, 1 more with --unsafe-fixes) in 3 files with 0 nn.Module classes.\n"
    )
    main(["--statistics", "--output-format", "json", "bad.py"])
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == 1
    assert err == "1  RBF001  [*]  plain-tensor-attribute\n"


def test_fix_says_what_it_did(capsys: Capture) -> None:
    main(["bad.py", "risky.py", "--fix", "--show-fixes", "--output-format", "concise"])
    out, err = capsys.readouterr()
    counts = "Found 2 findings (1 fixed, 1 remaining) in 2 files with 0 nn.Module classes.\n"
    assert out == f"risky.py:1:5: RBF001 RISKY stays behind\n{counts}"
    assert err == (
        "Applied 1 fix:\n  bad.py:1:5: RBF001 Mend it\n"
        "state_dict() gains keys that older checkpoints lack:\n  bad.py: M: key\n"
    )
    assert Path("bad.py").read_text() == "x = good\n"


def test_fix_only_reports_nothing_but_errors(capsys: Capture) -> None:
    main(["bad.py", "risky.py", "nope.py", "--fix-only"])
    out, err = capsys.readouterr()
    assert out == "nope.py: error: no such file or directory\n"
    assert err.startswith("Fixed 1 finding in 1 file (1 more with --unsafe-fixes).\n")


@pytest.mark.parametrize("option", ["--diff", "--fix-only"])
def test_fixes_that_are_not_asked_for_are_told(option: str, capsys: Capture) -> None:
    assert main(["risky.py", "good.py", option]) == 0
    assert capsys.readouterr() == ("", "No fixes to apply (1 available with --unsafe-fixes).\n")
    assert main(["good.py", option]) == 0
    assert capsys.readouterr() == ("", "No fixes to apply.\n")
    main(["risky.py", option, "--unsafe-fixes"])
    assert "--unsafe-fixes" not in capsys.readouterr().err


def test_a_diff_lists_what_it_would_apply(capsys: Capture) -> None:
    main(["bad.py", "--diff", "--show-fixes"])
    assert capsys.readouterr().err.startswith("Would apply 1 fix:\n  bad.py:1:5: RBF001 Mend it\nWould fix")
    assert Path("bad.py").read_text() != "x = good\n"


def test_diff_writes_nothing(capsys: Capture) -> None:
    main(["bad.py", "good.py", "risky.py", "nope.py", "--diff"])
    out, err = capsys.readouterr()
    assert out == "--- a/bad.py\n+++ b/bad.py\n@@ -1 +1 @@\n-x = BAD\n+x = good\n"
    assert err.startswith("nope.py: error: no such file or directory\nWould fix 1 finding in 1 file (1 more")
    assert Path("bad.py").read_text() == "x = BAD\n"


def test_diff_of_a_file_that_changed_meanwhile(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    check = engine.check_source

    def check_then_change(source: SourceText, path: Path, settings: Settings | None, *, fix: FixMode) -> FileResult:
        result = check(source, path, settings, fix=fix)
        path.write_text("other\n")
        return result

    monkeypatch.setattr(engine, "check_source", check_then_change)
    assert main(["bad.py", "--diff", "-q"]) == 2
    assert capsys.readouterr() == ("", "bad.py: error: changed on disk since it was read; no diff is shown\n")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, engine: FakeEngine, capsys: Capture) -> None:
    give(monkeypatch, b"x = BAD\n")
    assert main(["-", "--stdin-filename", "pkg/m.py", "--output-format", "concise", "-q"]) == 1
    assert capsys.readouterr() == ("pkg/m.py:1:5: RBF001 [*] BAD stays behind\n", "")
    assert engine.calls[-1]["path"] == Path("pkg/m.py")
    give(monkeypatch, b"")
    assert main(["-"]) == 0


def test_standard_input_that_cannot_be_decoded(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    give(monkeypatch, BINARY)
    assert main(["-", "--fix", "--output-format", "concise", "-q"]) == 2
    out, err = capsysbinary.readouterr()
    assert out == BINARY, "an editor gets back what it gave"
    assert (
        err == b"<stdin>: error: not valid UTF-8 (byte 0xe9 at offset 7); declare the encoding in the first two lines\n"
    )


def test_standard_input_is_fixed_byte_for_byte(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = b"# coding: latin-1\r\n" + BINARY + b"RISKY"
    give(monkeypatch, data)
    assert main(["-", "--fix", "--output-format", "concise", "-q"]) == 1
    out, err = capsysbinary.readouterr()
    assert out == data.replace(b"BAD", b"good")
    assert err == b"<stdin>:4:1: RBF001 RISKY stays behind\n"
    give(monkeypatch, b"fine\r\n")
    assert main(["-", "--fix", "-q"]) == 0
    assert capsysbinary.readouterr() == (b"fine\r\n", b"")


def test_standard_input_as_diff(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    give(monkeypatch, b"x = BAD")
    assert main(["-", "--diff", "--stdin-filename", "m.py", "-q"]) == 1
    no_newline = "\\ No newline at end of file\n"
    assert capsys.readouterr() == (
        f"--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-x = BAD\n{no_newline}+x = good\n{no_newline}",
        "",
    )


def test_excluded_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    give(monkeypatch, b"x = BAD\n")
    assert main(["-", "--stdin-filename", "build/m.py", "--force-exclude", "--fix", "-q"]) == 0
    assert capsys.readouterr() == ("x = BAD\n", "")


def test_interrupt(engine: FakeEngine, capsys: Capture) -> None:
    engine.raises = KeyboardInterrupt()
    assert main(["bad.py"]) == 130
    assert capsys.readouterr().err == "regbuf-lint: error: interrupted\n"


def test_list_rules(capsys: Capture) -> None:
    assert main(["--list-rules"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "RBF001  plain-tensor-attribute  on   fix   summary of plain-tensor-attribute",
        "RBF101  buffer-requires-grad    off  -     summary of buffer-requires-grad",
    ]


def test_explain(capsys: Capture) -> None:
    assert main(["--explain", "rbf001"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# plain-tensor-attribute (RBF001)\n\nSummary of plain-tensor-attribute.\n\nOn by default.")
    for part in ("What.", "Why.", "```python\nbad()\n```", "```python\ngood()\n```", "Where it is new.", "Adds keys."):
        assert part in page
    assert page.endswith("- https://example.org\n")


def test_version(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"regbuf-lint {__version__} (Python ")


@pytest.mark.parametrize(
    ("choice", "variables", "colored"),
    [
        ("auto", {}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours(
    choice: str, variables: dict[str, str], *, colored: bool, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    main(["bad.py", "--color", choice])
    assert ("\x1b[" in capsys.readouterr().out) is colored
    main(["bad.py", "--color", choice, "--output-format", "json"])
    assert "\x1b[" not in capsys.readouterr().out


def test_characters_that_the_terminal_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    Path("bad.py").write_text("é = BAD\n", encoding="utf-8")
    assert main(["bad.py"]) == 1
    stream.seek(0)
    assert "\\xe9 = BAD" in stream.read()


def test_a_reader_that_has_gone_is_no_trouble() -> None:
    code = "from regbuf_lint.cli.console import Console; c = Console(); c.out('x' * 9); c.out('y'); c.err('left')"
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([sys.executable, "-c", code], stdout=write_end, stderr=subprocess.PIPE, check=False)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"left")


def test_start_up_imports_nothing_heavy() -> None:
    code = (
        "import sys; from regbuf_lint.cli.main import main; sys.argv = ['x']\n"
        "print([m for m in ('libcst', 'torch', 'rich', 'pathspec', 'json', 'difflib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
