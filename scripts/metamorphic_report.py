"""What behaviour-preserving rewrites of the fixtures change in the linter's findings, as a table.

    python scripts/metamorphic_report.py            # the table
    python scripts/metamorphic_report.py --list     # and each difference
    python scripts/metamorphic_report.py --rewrite together     # all rewrites of a program, one after the other

The tests want none.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "metamorphic")]

from comparison import Compared, Comparison  # noqa: E402  from the checkout, installed or not
from programs import all_programs  # noqa: E402
from rewrites import REWRITES  # noqa: E402
from rewrites.together import together  # noqa: E402

EVERY = (*REWRITES, together(REWRITES))


def main(argv: list[str] | None = None) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rewrite", action="append", choices=[one.name for one in EVERY], help="these alone")
    parser.add_argument("--list", action="store_true", help="print each difference")
    options = parser.parse_args(argv)
    results = compared(options.rewrite)
    print_table(results)
    if options.list:
        print_differences(results)
    return 0


def compared(names: list[str] | None) -> dict[str, Compared]:
    """What each rewrite changes."""
    programs = all_programs()
    with tempfile.TemporaryDirectory() as directory:
        comparison = Comparison(Path(directory))
        wanted = [one for one in EVERY if names is None or one.name in names]
        return {one.name: comparison.compared(one, programs) for one in wanted}


def print_table(results: dict[str, Compared]) -> None:
    """For each rewrite the number of rewritten fixtures, and of those whose findings differ."""
    examples = {one.name: one.example for one in EVERY}
    print("| rewrite | what | fixtures rewritten | with other findings |\n|---|---|---|---|")
    for name, result in results.items():
        print(f"| {name} | {examples[name]} | {result.rewritten} | {len(result.differences)} |")
    rewritten = sum(result.rewritten for result in results.values())
    print(f"| all | | {rewritten} | {sum(len(result.differences) for result in results.values())} |")


def print_differences(results: dict[str, Compared]) -> None:
    """Each finding that came or went."""
    for name, result in results.items():
        for program, difference in result.differences.items():
            print(f"\n{name}: {program}")
            for word, found in zip(("lost", "gained"), difference, strict=True):
                for one in found:
                    print(f"  {word} {one}")


if __name__ == "__main__":
    sys.exit(main())
