"""Shells complete the command line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from regbuf_lint.cli.completion import SHELLS
from regbuf_lint.cli.main import main

Capture = pytest.CaptureFixture[str]
ASK = """\
source ./script
COMP_WORDS=(regbuf-lint {words})
COMP_CWORD={number}
_shtab_regbuf_lint
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(*words: str) -> set[str]:
    """What bash offers for the last of some words."""
    number = len(words)
    command = ASK.format(words=" ".join(f"'{word}'" for word in words), number=number)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


ZSH = """\
zmodload zsh/zpty
zpty session zsh -f -i
zpty -w session 'PS1= RPS1=; autoload -U compinit; compinit -u -D; eval "$(<script)"; print REA''DY'
zpty -r session shown '*READY*'
zpty -w -n session "$1"$'\\t'
zpty -r session shown "*$1*$2*"
"""
"""Types a line and the key, and waits until the terminal shows it with what is to follow."""
FISH = """\
source script
complete -C $argv[1]
"""


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> str:
    """The script for a shell, that of bash where none is named."""
    pytest.importorskip("shtab")
    monkeypatch.chdir(tmp_path)
    assert main(["generate-shell-completion", getattr(request, "param", "bash")]) == 0
    text = capsys.readouterr().out
    Path("script").write_text(text, encoding="utf-8")
    for name in ("model.py", "other.py"):
        Path(name).touch()
    return text


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash")
def test_bash_completes_options_values_and_files(script: str) -> None:
    assert script
    assert {"--fix", "--fix-only", "--fixable"} <= completed("--fi")
    assert {"RBF001", "RBF002"} <= completed("--select", "RBF0")
    assert completed("--output-format", "js") == {"json", "json-lines"}
    assert completed("--persistent", "al") == {"always"}
    assert completed("--config", "mod") == {"model.py"}
    assert completed("mod") == {"model.py"}
    assert completed("model.py", "oth") == {"other.py"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash")
def test_bash_completes_commands_and_what_they_take(script: str) -> None:
    assert script
    assert {"check", "rule", "model.py"} <= completed("")
    assert completed("ch") == {"check"}
    assert completed("rule", "RBF10") == {f"RBF10{number}" for number in range(1, 7)}
    assert completed("rule", "plain") == {"plain-tensor-attribute"}
    assert completed("generate-shell-completion", "") == set(SHELLS)
    assert completed("check", "m") == {"model.py"}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("zsh") is None, reason="asks zsh")
@pytest.mark.parametrize("script", ["zsh"], indirect=True)
@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("gen", "erate-shell-completion"),
        ("rule plain", "-tensor-attribute"),
        ("check oth", "er.py"),
        ("model.py oth", "er.py"),
        ("model.py --output-format sar", "if"),
        ("--exit-n", "on-zero-on-fix"),
    ],
)
def test_zsh_completes(script: str, line: str, rest: str) -> None:
    assert script
    subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", f"regbuf-lint {line}", rest], check=True, timeout=30)


@pytest.mark.skipif(shutil.which("fish") is None, reason="asks fish")
@pytest.mark.parametrize("script", ["fish"], indirect=True)
def test_fish_completes(script: str) -> None:
    assert script

    def offered(line: str) -> set[str]:
        done = subprocess.run(["fish", "-c", FISH, f"regbuf-lint {line}"], capture_output=True, text=True, check=True)
        return {row.partition("\t")[0] for row in done.stdout.splitlines()}

    assert {"check", "rule", "model.py"} <= offered("")
    assert offered("rule plain") == {"plain-tensor-attribute"}
    assert offered("generate-shell-completion ") == set(SHELLS)
    assert offered("check mod") == {"model.py"}
    assert offered("model.py oth") == {"other.py"}
    assert offered("--fi") == {"--fix", "--fix-only", "--fixable"}
    assert offered("--select RBF00") == {f"RBF00{number}" for number in range(1, 7)}
    assert offered("--output-format js") == {"json", "json-lines"}


@pytest.mark.parametrize("script", SHELLS, indirect=True)
def test_each_shell_has_a_script_with_all_options(script: str) -> None:
    assert all(option in script for option in ("write-baseline", "show-settings", "RBF106", "junit"))


def test_without_shtab_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["generate-shell-completion", "zsh"]) == 2
    told = "regbuf-lint: error: --generate-shell-completion needs shtab: pip install 'regbuf-lint[completion]'\n"
    assert capsys.readouterr() == ("", told)


def test_an_unknown_shell_is_refused(capsys: Capture) -> None:
    assert main(["generate-shell-completion", "csh"]) == 2
    assert "invalid choice: 'csh'" in capsys.readouterr().err
