"""Habits of ruff's users: commands, options, and help for what is mistyped."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from terminal import shown_on

from regbuf_lint import SCHEMA_VERSION, __version__
from regbuf_lint.cli.main import main
from small_files import PLAIN_TENSOR_AND_LOST_BUFFER

Capture = pytest.CaptureFixture[str]
CONCISE = ["--output-format", "concise", "--no-cache"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(PLAIN_TENSOR_AND_LOST_BUFFER)


def codes(capsys: Capture) -> list[str]:
    """The codes of concise output."""
    return [word for line in capsys.readouterr().out.splitlines() for word in line.split()[1:2] if word[:3] == "RBF"]


@pytest.mark.parametrize(
    "argv",
    [
        ["check", *CONCISE, "."],
        ["check", *CONCISE],
        [*CONCISE, "check", "."],
        ["-q", "--select=RBF0,RBF1", *CONCISE, "check"],
        [*CONCISE, "--", "a.py"],
    ],
)
def test_check(argv: list[str], capsys: Capture) -> None:
    assert main(argv) == 1
    assert codes(capsys) == ["RBF001", "RBF106"]


def test_a_path_called_like_a_command_is_a_path(capsys: Capture) -> None:
    Path("check").mkdir()
    assert main(["check", *CONCISE]) == 0
    assert "no Python files found under check" in capsys.readouterr().err


def test_options_may_stand_before_a_command(capsys: Capture) -> None:
    assert main(["--isolated", "rule", "RBF106"]) == 0
    assert capsys.readouterr().out.startswith("# register-buffer-result (RBF106)\n")
    assert main(["--cache-dir", "check", *CONCISE]) == 1, "the value of an option is no command"


@pytest.mark.parametrize("name", ["rbf001", "RBF001", "plain-tensor-attribute", " Plain-Tensor-Attribute "])
@pytest.mark.parametrize("option", ["rule", "--explain"])
def test_rules_are_explained_by_code_and_name(option: str, name: str, capsys: Capture) -> None:
    assert main([option, name]) == 0
    assert capsys.readouterr().out.startswith("# plain-tensor-attribute (RBF001)\n")


@pytest.mark.parametrize("argv", [["version"], ["--version"]])
def test_version(argv: list[str], capsys: Capture) -> None:
    assert main(argv) == 0
    libcst = metadata.version("libcst")
    python = ".".join(map(str, sys.version_info[:3]))
    told = f"regbuf-lint {__version__} (Python {python}, libcst {libcst}, JSON schema {SCHEMA_VERSION})\n"
    assert capsys.readouterr().out == told


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["rule"], "rule needs the code or name of a rule, as in `rule RBF001`"),
        (["rule", "RBF001", "RBF002"], "--explain takes one rule; what is `RBF002`?"),
        (["generate-shell-completion"], "generate-shell-completion needs a shell"),
    ],
)
def test_a_command_needs_what_it_is_about(argv: list[str], message: str, capsys: Capture) -> None:
    assert main(argv) == 2
    assert capsys.readouterr() == ("", f"regbuf-lint: error: {message}\n")


def test_help(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")


def test_clean(capsys: Capture) -> None:
    main(["--output-format", "concise", "--cache-dir", "kept", "."])
    assert main(["clean", "--cache-dir", "kept"]) == 0
    assert not Path("kept").exists()
    assert "removed kept" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--fxi", "."], "unrecognized arguments: --fxi; did you mean `--fix`?"),
        (["--output-fromat=json"], "unrecognized arguments: --output-fromat=json; did you mean `--output-format`?"),
        (["--zzz"], "unrecognized arguments: --zzz"),
        (["chek", "."], "neither a path nor a command: `chek`; did you mean `check`?"),
        (["rule", "RBF002x"], "--explain: unknown rule `RBF002x`; did you mean `RBF002`?"),
        (["rule", "frozen-paramter"], "--explain: unknown rule `frozen-paramter`; did you mean `frozen-parameter`?"),
        (["--select", ""], "argument --select: no code is given, so nothing would be checked"),
        (["--select", " , "], "argument --select: no code is given, so nothing would be checked"),
        (["--unfixable", "RBF77"], "--unfixable: unknown rule code `RBF77`"),
    ],
)  # fmt: skip
def test_mistyped(argv: list[str], message: str, capsys: Capture) -> None:
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"regbuf-lint: error: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["--odd.py", "-q", "check", "--"])
def test_names_behind_two_dashes_are_names(name: str, capsys: Capture) -> None:
    Path(name).write_text(PLAIN_TENSOR_AND_LOST_BUFFER)
    assert main([*CONCISE, "--", name]) == 1
    assert capsys.readouterr().out.startswith(f"{name}:8:9: RBF001")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--exclude", "a.py"], []),
        (["--exclude", "b.py"], ["RBF001", "RBF106"]),
        (["--extend-exclude", "x,a.*"], []),
        (["--extend-ignore", "RBF106"], ["RBF001"]),
        (["--ignore", "RBF001", "--extend-ignore", "RBF106"], []),
    ],
)
def test_what_is_left_out(argv: list[str], expected: list[str], capsys: Capture) -> None:
    main([*CONCISE, *argv, "."])
    assert codes(capsys) == expected


def test_exclude_takes_the_place_of_the_usual_patterns(capsys: Capture) -> None:
    Path("build").mkdir()
    Path("a.py").rename("build/a.py")
    main([*CONCISE, "--extend-exclude", "b.py", "."])
    assert codes(capsys) == []
    main([*CONCISE, "--exclude", "b.py", "."])
    assert codes(capsys) == ["RBF001", "RBF106"]


@pytest.mark.parametrize(
    "table",
    ['extend-ignore = ["RBF106"]', 'ignore = ["RBF101"]\nextend-ignore = ["RBF106"]', 'ignore = ["RBF106"]'],
)
def test_extend_ignore_in_the_table(table: str, capsys: Capture) -> None:
    Path("pyproject.toml").write_text(f"[tool.regbuf-lint]\n{table}\n")
    main([*CONCISE, "."])
    assert codes(capsys) == ["RBF001"]
    main([*CONCISE, "--select", "RBF106", "."])
    assert codes(capsys) == ["RBF106"], "what the command line selects wins over the table"


@pytest.mark.parametrize(
    ("options", "table", "fixed"),
    [
        ([], "", ["RBF001", "RBF106"]),
        (["--unfixable", "RBF001"], "", ["RBF106"]),
        (["--fixable", "RBF001"], "", ["RBF001"]),
        (["--fixable", "RBF1", "--unfixable", "RBF106"], "", []),
        (["--fixable", "RBF106", "--unfixable", "RBF1"], "", ["RBF106"]),
        ([], 'unfixable = ["RBF106"]', ["RBF001"]),
        ([], 'fixable = ["RBF106"]', ["RBF106"]),
        (["--fixable", "ALL"], 'fixable = ["RBF106"]', ["RBF001", "RBF106"]),
    ],
)
def test_fixable(options: list[str], table: str, fixed: list[str], capsys: Capture) -> None:
    Path("pyproject.toml").write_text(f"[tool.regbuf-lint]\n{table}\n")
    main([*CONCISE, "--fix", *options, "."])
    left = [code for code in ("RBF001", "RBF106") if code not in fixed]
    assert codes(capsys) == left
    text = Path("a.py").read_text()
    assert ("self.m = torch" not in text) is ("RBF001" in fixed)
    assert ("self.p = self" not in text) is ("RBF106" in fixed)


def test_what_is_not_fixable_is_shown_as_advice(capsys: Capture) -> None:
    assert main(["--no-cache", "--select", "RBF001", "--unfixable", "RBF001", "."]) == 1
    out = capsys.readouterr().out
    assert "= advice: Register `m`" in out
    assert "the fix is shown and not applied, since the settings leave those of this rule out" in out
    assert "[*]" not in out
    assert out.endswith("Found 1 finding in 1 file with 1 nn.Module class.\n")


def on_a_terminal(*argv: str, **variables: str) -> str:
    """What a command prints on a terminal."""
    import pty  # noqa: PLC0415  not everywhere

    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **variables}
    command = [sys.executable, "-m", "regbuf_lint", *argv]
    done = subprocess.Popen(command, stdout=follower, env=environment)
    os.close(follower)
    shown = shown_on(leader)
    assert done.wait() == 0
    return shown


@pytest.mark.skipif(os.name != "posix", reason="opens a terminal")
def test_a_page_is_rendered_for_a_terminal() -> None:
    page = on_a_terminal("--explain", "RBF106", NO_COLOR="")
    assert "\x1b[" in page
    assert "##" not in page
    assert "```" not in page
    plain = on_a_terminal("--explain", "RBF106", NO_COLOR="1")
    assert "\x1b[3" not in plain, "no colours"
    assert "##" not in plain


def test_bases_that_nobody_knows_are_told_where_a_class_looks_like_a_module(capsys: Capture) -> None:
    head = "import torch\nfrom nowhere import A, B, C, D, E\n\n\n"
    body = {
        "A": "def forward(self, x):\n        return x",
        "B": "def set(this):\n        this.register_buffer('x', torch.ones(3))",
        "C": "def set(self):\n        self.x = torch.ones(3)",
        "D": "def train(self):\n        self.train()",
        "E": "def step(self, net):\n        net.zero_grad()",
    }
    text = "".join(f"class Of{name}({name}):\n    {rest}\n\n\n" for name, rest in body.items())
    Path("a.py").write_text(head + text)
    Path("b.py").write_text(head + text)
    assert main([*CONCISE, "."]) == 0
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith("regbuf-lint: note: 2 base classes could not be resolved (nowhere.A, nowhere.B), ")
