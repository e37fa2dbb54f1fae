"""The README and the pages under ``docs/``, taken apart into blocks of code.

A comment on the row above a block says what it is: ``<!-- linted: RBF001 -->``. Every block is one of the kinds that
``test_page_examples.py`` knows, so that no example goes without a test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = frozenset({"runtime-truth.md", "verification_results.md"})
"""Pages of results; their blocks are the commands of scripts that made them, in hours."""
_BLOCK = re.compile(
    r"^(?P<indent>[ ]*)(?:<!-- (?P<marker>[^\n]*?) -->\n[ ]*)?"
    r"```(?P<language>\S+)[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code on a page.

    Attributes:
        language: what stands behind the backquotes.
        marker: the comment above it, empty where there is none.
        text: its text.
        row: the row of its first line.
    """

    language: str
    marker: str
    text: str
    row: int

    def is_marked(self, word: str) -> bool:
        """Whether its marker begins with a word."""
        return self.marker.partition(":")[0] == word

    @property
    def argument(self) -> str:
        """What stands behind the colon of its marker."""
        return self.marker.partition(":")[2].strip()


def pages() -> list[Path]:
    """The README and the pages that people write; those of rules are made from the rules and tested with them."""
    written = (page for page in (ROOT / "docs").glob("*.md") if page.name not in RESULTS)
    return [ROOT / "README.md", *sorted(written)]


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(one["language"], one["marker"] or "", one["text"], text.count("\n", 0, one.start("text")) + 1)
        for one in _BLOCK.finditer(text)
    ]


def fences(page: Path) -> int:
    """How many blocks a page has, whatever they are."""
    return sum(line.lstrip().startswith("```") for line in page.read_text(encoding="utf-8").splitlines()) // 2


def rows_below(page: Path, heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    section = f"\n{page.read_text(encoding='utf-8')}".split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in rows[2:]]
