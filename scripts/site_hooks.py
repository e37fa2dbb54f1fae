"""What mkdocs does beside rendering ``docs/``: rules in the menu, the changelog as a page, links to other files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
_RULES = "rules/"
_TO_DOCS = re.compile(r"\]\(docs/")
_TO_PROJECT = re.compile(r"\]\(\.\./([\w./-]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of rules into the menu, by code and name."""
    for section in config.nav or ():
        if isinstance(section, dict) and section.get("Rules") == _RULES:
            section["Rules"] = [{"All rules": f"{_RULES}README.md"}, *({_title(page): page} for page in _rule_pages())]
    return config


def _rule_pages() -> list[str]:
    return sorted(f"{_RULES}{path.name}" for path in (ROOT / "docs" / _RULES).glob("RBF*.md"))


def _title(page: str) -> str:
    """``RBF001 plain-tensor-attribute``, from the page's heading."""
    heading = (ROOT / "docs" / page).read_text(encoding="utf-8").partition("\n")[0]
    name, _, code = heading.removeprefix("# ").rpartition(" ")
    return f"{code.strip('()')} {name}"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Make a page of the changelog, which lies beside ``docs/``."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=_TO_DOCS.sub("](", text)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001  mkdocs' names
    """On pages at the top of ``docs/``, let links to ``../FILE`` lead to the file in the repository."""
    if "/" in page.file.src_uri:
        return markdown
    return _TO_PROJECT.sub(rf"]({config.repo_url}/blob/main/\1)", markdown)
