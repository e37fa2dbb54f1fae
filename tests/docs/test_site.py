"""The site builds without a warning, from the pages as they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from doc_pages import ROOT

from regbuf_lint.model.addresses import DOCUMENTATION
from regbuf_lint.rules import RULES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed")


def build(project: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build the site; with `--quiet`, mkdocs would not count warnings."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("site")
    done = build(ROOT, directory)
    assert done.returncode == 0, done.stdout + done.stderr
    return directory


def test_every_rule_has_its_page_in_the_menu(site: Path) -> None:
    menu = (site / "index.html").read_text(encoding="utf-8")
    for rule in RULES:
        assert (site / rule.meta.url.removeprefix(DOCUMENTATION) / "index.html").is_file()
        assert re.search(rf"{rule.meta.code} {rule.meta.name}\s*<", menu), rule.meta.code


def test_the_changelog_is_a_page_whose_links_work(site: Path) -> None:
    page = (site / "changelog" / "index.html").read_text(encoding="utf-8")
    assert 'href="../python-api/"' in page
    assert "Unreleased" in page


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|img)[^>]* src="https?://[^"]*"', text), page
        assert not re.findall(r'<link[^>]* rel="stylesheet"[^>]* href="https?://[^"]*"', text), page


@pytest.mark.parametrize("text", ["[no such page](none.md)", "[no such heading](why.md#none)"])
def test_a_link_that_leads_nowhere_fails(tmp_path: Path, text: str) -> None:
    for name in ("docs", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("mkdocs.yml", "CHANGELOG.md"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    page = tmp_path / "docs" / "why.md"
    page.write_text(f"{page.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")
    assert build(tmp_path, tmp_path / "site").returncode == 1
