"""Addresses come from one setting, and lead to what the documentation has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint import __version__
from regbuf_lint.model import addresses
from regbuf_lint.rules import RULES

if TYPE_CHECKING:
    from regbuf_lint.rules import Rule

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = "scripts/write_addresses.py"
FILES = (
    "pyproject.toml",
    "README.md",
    "src/regbuf_lint/__init__.py",
    "src/regbuf_lint/model/addresses.py",
    "docs/findings.schema.json",
    "docs/regbuf-lint.schema.json",
)


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_files_have_the_addresses_that_are_set() -> None:
    done = run(ROOT, "--check")
    assert (done.returncode, done.stdout) == (0, ""), f"run {SCRIPT}"


def test_the_setting_alone_has_to_be_changed(tmp_path: Path) -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")]
    for name in (*FILES, SCRIPT, *pages):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    table = tmp_path / "pyproject.toml"
    urls = {"Repository": "https://example.org/repo", "Documentation": "https://example.org/docs/"}
    text = table.read_text(encoding="utf-8")
    for key, url in urls.items():
        text = re.sub(rf'^{key} = ".*"$', f'{key} = "{url}"', text, flags=re.MULTILINE)
    table.write_text(text, encoding="utf-8")
    version = tmp_path / "src/regbuf_lint/__init__.py"
    version.write_text(version.read_text(encoding="utf-8").replace(__version__, "7.8.9"), encoding="utf-8")
    assert run(tmp_path, "--check").returncode == 1
    assert run(tmp_path).returncode == 0
    assert run(tmp_path, "--check").returncode == 0
    for name in FILES[3:]:
        assert "https://example.org/" in (tmp_path / name).read_text(encoding="utf-8"), name
        assert addresses.DOCUMENTATION not in (tmp_path / name).read_text(encoding="utf-8"), name
    assert "](https://example.org/repo/blob/main/\\1)" in table.read_text(encoding="utf-8")
    said = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.md"))
    assert "- repo: https://example.org/repo\n    rev: v7.8.9\n" in said
    assert "uses: repo@v7.8.9\n" in said
    assert f"v{__version__}" not in said
    assert f"- repo: {addresses.REPOSITORY}\n" not in said


def test_no_other_file_of_the_package_has_an_address_of_the_project() -> None:
    hosts = [addresses.REPOSITORY, addresses.DOCUMENTATION.rstrip("/")]
    having = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "src").rglob("*.py"))
        if any(host in path.read_text(encoding="utf-8") for host in hosts)
    ]
    assert having == ["src/regbuf_lint/model/addresses.py"]


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.meta.code) for rule in RULES])
def test_a_rule_s_address_is_that_of_its_page(rule: Rule) -> None:
    page = rule.meta.url.removeprefix(addresses.DOCUMENTATION)
    assert (ROOT / "docs" / page.rstrip("/")).with_suffix(".md").is_file()


def test_the_schema_s_address_is_that_of_the_file() -> None:
    assert (ROOT / "docs" / addresses.SETTINGS_SCHEMA.removeprefix(addresses.DOCUMENTATION)).is_file()
