"""What the README and the tables of the pages say is what there is."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from doc_pages import ROOT, blocks, rows_below

from regbuf_lint.model.settings import Settings
from regbuf_lint.rules import RULES

DERIVED = {
    "brackets",
    "files",
    "inherited-excludes",
    "oldest-python",
    "packages",
    "quote",
    "root",
    "sources",
    "without-nn-buffer",
    "without-persistent",
}
"""Fields of settings that are no keys: they follow from where the configuration lies and what lies beside it."""
MOST_LINES = 150
README = ROOT / "README.md"


def marked(word: str) -> str:
    """The text of the README's block with a marker."""
    (text,) = [block.text for block in blocks(README) if block.is_marked(word)]
    return text


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) < MOST_LINES


@pytest.mark.parametrize("arguments", ["examples", "--diff examples"])
def test_the_main_command_prints_what_is_shown(arguments: str) -> None:
    assert f".venv/bin/regbuf-lint --exit-zero {arguments}" in marked("main command")
    assert any(
        f" {arguments}" in block.argument for block in blocks(README) if block.is_marked("part of the output of")
    )


def test_continuous_integration_runs_the_readme_s_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    extraction = re.search(r"^test_command=\$\((.*)\)$", script, re.MULTILINE)
    assert extraction is not None
    result = subprocess.run(["bash", "-c", extraction[1]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == marked("test command")
    assert result.stdout.strip().endswith("/pytest -n auto")
    assert 'bash -euo pipefail -c "$test_command"' in script


def test_rules_are_those_that_exist() -> None:
    said = [(row[0], row[1], row[2]) for row in rows_below(ROOT / "docs" / "rules" / "README.md", "# Rules")]
    metas = [rule.meta for rule in RULES]
    links = {meta.code: f"[{meta.code}]({meta.code}.md)" for meta in metas}
    assert said == [(links[meta.code], meta.name, "on" if meta.on_by_default else "opt-in") for meta in metas]


def test_the_comparison_counts_the_rules_that_it_compares() -> None:
    text = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    said = re.search(r"the\s(\d+) defects of the rules RBF001 to RBF106,\sRBF201 and RBF204,", text)
    codes = [rule.meta.code for rule in RULES]
    compared = [code for code in codes if code <= "RBF106" or code in {"RBF201", "RBF204"}]
    assert said is not None
    assert int(said[1]) == len(compared)


def test_configuration_keys_are_those_that_exist() -> None:
    keys = {name.replace("_", "-") for name in Settings.__struct_fields__} - DERIVED
    said = {row[0] for row in rows_below(ROOT / "docs" / "configuration.md", "## Keys")}
    assert said == keys | {"extend", "extend-exclude", "extend-ignore"}


def test_the_reference_is_what_the_script_writes() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "generate_cli_reference.py"), "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
