"""How the linter's processor time grows from half of a hard case to the whole of it.

    python benchmarks/growth.py [--case NAME]... [--scale 0.1] [--fix]

What any run takes, be it of one line, is taken off before times are compared: 2 is linear, 4 is quadratic.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hard_cases import CASES, Case
from measuring import Command, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LEAST = 0.05
"""Seconds that half a case counts for at least, since less cannot be told from what any run takes."""


@dataclass(frozen=True)
class Growth:
    """One hard case.

    Attributes:
        name: its name.
        size: its whole size.
        seconds: processor seconds for half of it and for the whole, what any run takes left aside.
    """

    name: str
    size: int
    seconds: tuple[float, float]

    @property
    def ratio(self) -> float:
        """How many times as long the whole takes."""
        return self.seconds[1] / max(self.seconds[0], _LEAST)


def measured(words: Sequence[str], cases: Sequence[Case], scale: float, limit: float | None = None) -> Iterator[Growth]:
    """Measure cases one after the other.

    Args:
        words: the linter's command, to which a folder is added.
        cases: which.
        scale: by what their sizes are multiplied.
        limit: seconds after which a run is ended, and its case left out.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "line").mkdir()
        (folder / "line" / "model.py").write_text("import torch\n", encoding="utf-8")
        least = min(run(Command("one line", [*words, "."], folder / "line"))[1] for _ in range(3))
        for case in cases:
            size = max(2, int(case.size * scale))
            try:
                first, second = (_seconds(words, case, one, folder, limit) - least for one in (size // 2, size))
            except TimeoutError:
                print(f"{case.name}: more than {limit} s at size {size}", file=sys.stderr)
                continue
            yield Growth(case.name, size, (max(first, 0.0), max(second, 0.0)))


def _seconds(words: Sequence[str], case: Case, size: int, folder: Path, limit: float | None) -> float:
    place = folder / f"{case.name}-{size}"
    case.write(size, place)
    try:
        return run(Command(f"{case.name} {size}", [*words, "."], place, limit=limit))[1]
    finally:
        shutil.rmtree(place)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    own = shutil.which("regbuf-lint", path=sysconfig.get_path("scripts"))
    parser.add_argument("--lint", default=own or "regbuf-lint", help="the linter's command")
    parser.add_argument("--case", action="append", choices=list(CASES), help="these alone")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--limit", type=float, help="seconds after which a run is ended")
    parser.add_argument("--fix", action="store_true", help="compute all fixes, too")
    options = parser.parse_args()
    how = ["--diff", "--unsafe-fixes"] if options.fix else ["--output-format", "json"]
    words = [options.lint, "--isolated", "--quiet", "--no-cache", "-j", "1", *how]
    cases = [CASES[name] for name in options.case or CASES]
    for one in measured(words, cases, options.scale, options.limit):
        first, second = one.seconds
        print(
            f"{one.name:22} {one.size // 2:7} {first:8.2f} s {one.size:7} {second:8.2f} s  times {one.ratio:.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
