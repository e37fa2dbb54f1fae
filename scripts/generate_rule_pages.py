"""Write ``docs/rules``: a page for each rule, and a table of all of them.

The pages are what ``regbuf-lint --explain CODE`` prints. All comes from the rules' own files.

    python scripts/generate_rule_pages.py            # write them
    python scripts/generate_rule_pages.py --check    # exit with 1 where one differs from what would be written
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from regbuf_lint.model.rule import FixAvailability, RuleMeta
from regbuf_lint.report.rule_page import rule_page
from regbuf_lint.rules import RULES

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "rules"
INDEX = "README.md"
_SELECTION = """\
## Which rules run?

Those that are on, unless you say otherwise:

- `--select RBF001,RBF2` runs these alone, `--extend-select RBF901` one more, `--ignore RBF101` one less. The
  [configuration](../configuration.md) has the same keys.
- A prefix stands for all rules that begin with it, and `ALL` for all.

## When does a rule fire?

Only where every value that the attribute can have is known to be a tensor, by following imports, locals, helpers,
annotations and base classes, across the files of the project and into installed packages (as source). What is not known
stays silent. `regbuf-lint --why FILE:LINE` tells what is known.
"""
_FIX_WORDS = {
    FixAvailability.ALWAYS: "yes",
    FixAvailability.SOMETIMES: "where it is clear",
    FixAvailability.NEVER: "no",
}


def expected_pages() -> dict[str, str]:
    """File name to text of everything that belongs into the directory."""
    pages = {f"{rule.meta.code}.md": rule_page(rule.meta, rule.docs) for rule in RULES}
    return {INDEX: f"# Rules\n\n{rule_table()}\n{_SELECTION}", **pages}


def rule_table() -> str:
    """The table of all rules."""
    head = "| code | name | default | fix | what it reports |\n|---|---|---|---|---|\n"
    return head + "".join(_row(rule.meta) for rule in RULES)


def _row(meta: RuleMeta) -> str:
    default = "on" if meta.on_by_default else "opt-in"
    link = f"[{meta.code}]({meta.code}.md)"
    return f"| {link} | {meta.name} | {default} | {_FIX_WORDS[meta.fixable]} | {meta.summary} |\n"


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
    wrong = [f"docs/rules/{name}" for name in differences(PAGES)]
    for name in wrong:
        print(f"{name} is not what scripts/generate_rule_pages.py writes", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
