"""Write ``docs/rules``: a page for each rule, and a table of all of them.

The pages are what ``regbuf-lint --explain CODE`` prints, and come from the rules' own files.

    python scripts/generate_rule_pages.py            # write the pages
    python scripts/generate_rule_pages.py --check    # exit with 1 where a page differs from what would be written
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from regbuf_lint.cli.explain import rule_page
from regbuf_lint.model.rule import FixAvailability, RuleMeta
from regbuf_lint.rules.registry import RULES

PAGES = Path(__file__).resolve().parent.parent / "docs" / "rules"
INDEX = "README.md"
_FIX_WORDS = {
    FixAvailability.ALWAYS: "yes",
    FixAvailability.SOMETIMES: "where it is clear",
    FixAvailability.NEVER: "no",
}


def expected_pages() -> dict[str, str]:
    """File name to text of everything that belongs into the directory."""
    metas = sorted((rule.meta for rule in RULES), key=lambda meta: meta.code)
    pages = {f"{rule.meta.code}.md": rule_page(rule.meta, rule.docs) for rule in RULES}
    return {INDEX: _index(metas), **pages}


def _index(metas: list[RuleMeta]) -> str:
    head = "# Rules\n\n| code | name | default | fix | what it reports |\n|---|---|---|---|---|\n"
    return head + "".join(
        f"| [{meta.code}]({meta.code}.md) | {meta.name} | {'on' if meta.on_by_default else 'off'} "
        f"| {_FIX_WORDS[meta.fixable]} | {meta.summary} |\n"
        for meta in metas
    )


def differences(directory: Path) -> list[str]:
    """Names of the files that are missing, out of date, or no rule's."""
    expected = expected_pages()
    present = {path.name for path in directory.glob("*.md")}
    stale = [name for name, text in expected.items() if not _is(directory / name, text)]
    return sorted({*stale, *(present - expected.keys())})


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def write(directory: Path) -> None:
    """Write every page, and remove those of rules that are gone."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in differences(directory):
        (directory / name).unlink(missing_ok=True)
    for name, text in expected_pages().items():
        (directory / name).write_text(text, encoding="utf-8", newline="\n")


def main() -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description="Write the pages of the rules.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a page differs")
    if not parser.parse_args().check:
        write(PAGES)
        return 0
    wrong = differences(PAGES)
    for name in wrong:
        print(f"docs/rules/{name} is not what scripts/generate_rule_pages.py writes", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
