"""What the README says is what happens."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from regbuf_lint.model.settings import Settings
from regbuf_lint.rules import RULES

ROOT = Path(__file__).resolve().parent.parent
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
}
"""Fields of settings that are no keys: they follow from where the configuration lies and what lies beside it."""
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(marker: str) -> str:
    """Return the code block that follows a comment."""
    match = re.search(rf"^<!-- {re.escape(marker)}[^\n]*-->\n```\w+\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert match is not None, f"the README has no block {marker!r}"
    return match[1]


def first_cells(heading: str) -> list[list[str]]:
    """Return the rows of the table below a heading, without its head."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in rows[2:]]


@pytest.mark.parametrize("arguments", [("examples",), ("--diff", "examples")], ids=" ".join)
def test_output_shown_is_the_real_one(arguments: tuple[str, ...]) -> None:
    command = shutil.which("regbuf-lint", path=sysconfig.get_path("scripts"))
    assert command is not None, "install the project first"
    result = subprocess.run([command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    printed = "".join(f"{line.rstrip()}\n" for line in result.stdout.splitlines())
    assert printed == block(f"output of: regbuf-lint {' '.join(arguments)}")
    assert result.returncode == 1
    assert f".venv/bin/regbuf-lint --exit-zero {' '.join(arguments)}" in block("main command")


def test_continuous_integration_runs_the_readme_s_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    extraction = re.search(r"^test_command=\$\((.*)\)$", script, re.MULTILINE)
    assert extraction is not None
    result = subprocess.run(["bash", "-c", extraction[1]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == block("test command")
    assert result.stdout.strip().endswith("/pytest -n auto")
    assert 'bash -euo pipefail -c "$test_command"' in script


def test_rules_are_those_that_exist() -> None:
    said = [(row[0], row[1], row[2]) for row in first_cells("Rules")]
    metas = [rule.meta for rule in RULES]
    links = {meta.code: f"[{meta.code}](docs/rules/{meta.code}.md)" for meta in metas}
    assert said == [(links[meta.code], meta.name, "on" if meta.on_by_default else "opt-in") for meta in metas]


def test_configuration_keys_are_those_that_exist() -> None:
    keys = {field.name.replace("_", "-") for field in dataclasses.fields(Settings)} - DERIVED
    assert {row[0] for row in first_cells("Configuration")} == keys | {"extend-exclude", "extend-ignore"}
