"""Shells complete the command line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> str:
    pytest.importorskip("shtab")
    monkeypatch.chdir(tmp_path)
    assert main(["generate-shell-completion", "bash"]) == 0
    text = capsys.readouterr().out
    Path("script").write_text(text, encoding="utf-8")
    return text


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash")
def test_bash_completes_options_values_and_files(script: str) -> None:
    assert script
    Path("model.py").touch()
    assert {"--fix", "--fix-only", "--fixable"} <= completed("--fi")
    assert {"RBF001", "RBF002"} <= completed("--select", "RBF0")
    assert completed("--output-format", "js") == {"json", "json-lines"}
    assert completed("--persistent", "al") == {"always"}
    assert "model.py" in completed("--config", "mod")
    assert "model.py" in completed("mod")


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_each_shell_has_a_script_with_all_options(shell: str, script: str, capsys: Capture) -> None:
    assert script
    assert main(["--generate-shell-completion", shell]) == 0
    text = capsys.readouterr().out
    assert all(option in text for option in ("write-baseline", "show-settings", "RBF106", "junit"))


def test_without_shtab_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["generate-shell-completion", "zsh"]) == 2
    told = "regbuf-lint: error: --generate-shell-completion needs shtab: pip install 'regbuf-lint[completion]'\n"
    assert capsys.readouterr() == ("", told)


def test_an_unknown_shell_is_refused(capsys: Capture) -> None:
    assert main(["generate-shell-completion", "fish"]) == 2
    assert "invalid choice: 'fish'" in capsys.readouterr().err
