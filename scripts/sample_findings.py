"""Draw a seeded random sample of findings from JSON reports, as a Markdown list.

The same reports, seed and size give the same list on every machine: findings are sorted before the draw, and the list
is sorted after it.

    regbuf-lint --isolated --output-format json timm > timm.json
    python scripts/sample_findings.py --seed 1 --size 80 timm.json ...
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """What the list says of one finding, in the order of sorting."""

    path: str
    row: int
    code: str
    attribute: str

    def __str__(self) -> str:
        """The line of the list, without its bullet."""
        return f"{self.path}:{self.row} {self.code} {self.attribute}".rstrip()


def entry(finding: dict[str, Any], strip: int) -> Entry:
    """The entry of one finding, without the first ``strip`` parts of its path."""
    path = PurePosixPath(*PurePosixPath(finding["filename"]).parts[strip:])
    name = ".".join(part for part in (finding["class"], finding["attribute"]) if part)
    return Entry(str(path), finding["location"]["row"], finding["code"], name)


def draw(entries: set[Entry], size: int, seed: int) -> list[Entry]:
    """At most ``size`` of the entries, drawn at random with the seed and sorted."""
    ordered = sorted(entries)
    return sorted(random.Random(seed).sample(ordered, min(size, len(ordered))))  # noqa: S311


def main(argv: list[str] | None = None) -> int:
    """Print the sample."""
    parser = argparse.ArgumentParser(description="Draw a seeded random sample of findings from JSON reports.")
    parser.add_argument("reports", metavar="REPORT", nargs="+", type=Path, help="output of --output-format json")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=60, help="how many findings to draw")
    parser.add_argument("--codes", default="", help="codes or prefixes to draw from, separated by commas")
    parser.add_argument("--strip", type=int, default=0, metavar="N", help="leave out the first N parts of each path")
    options = parser.parse_args(argv)
    prefixes = tuple(code.strip() for code in options.codes.split(",") if code.strip()) or ("",)
    entries = {
        entry(finding, options.strip)
        for report in options.reports
        for finding in json.loads(report.read_text(encoding="utf-8"))
        if finding["code"] is not None and finding["code"].startswith(prefixes)
    }
    for drawn in draw(entries, options.size, options.seed):
        print(f"- {drawn}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
