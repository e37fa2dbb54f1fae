r"""Compare the speed and memory of linters over pinned packages, and write what comes out as a page with one plot.

Every command is a whole process with nothing warm but the disk. All run in turn, round after round, and medians count.
Give each tool's command; what is not given is left out.

    python benchmarks/compare.py PACKAGES --ruff ENV/bin/ruff --torchfix ENV/bin/torchfix \
        --flake8 ENV/bin/flake8 --flake8-alone OTHER/bin/flake8 --page docs/benchmarks.md

PACKAGES is a folder for the packages of `packages.txt`; what it lacks is downloaded. `--pins` takes another list.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import sysconfig
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from growth import Growth, measured
from hard_cases import CASES
from measuring import Command, Timing, alternating, peak_memory
from packages import PINS, copy_some, fetch, python_files, size
from page import page
from plot import Series, plotted

SEED = 20


@dataclass
class Results:
    """What was measured.

    Attributes:
        files: number of files, and their megabytes, of everything and of the sample.
        timings: by the name of the comparison, then of the command.
        memory: megabytes, by the name of the command.
        growth: for each hard case.
        sizes: megabytes and seconds of processors for parts of the packages, by the name of the command.
    """

    files: dict[str, tuple[int, float]] = field(default_factory=dict)
    timings: dict[str, dict[str, Timing]] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)
    growth: list[Growth] = field(default_factory=list)
    sizes: dict[str, list[tuple[int, float, float]]] = field(default_factory=dict)


class Linters:
    """The commands of all linters, for a folder of sources.

    Args:
        options: the command line.
        scratch: where caches lie.
    """

    def __init__(self, options: argparse.Namespace, scratch: Path) -> None:
        self._options = options
        self._scratch = scratch
        self._jobs = str(options.jobs)

    def lint(self, folder: Path, *, warm: bool = False) -> Command:
        """This linter, without a cache, or with one that knows all files."""
        cache = ["--cache-dir", str(self._cache("lint", folder))] if warm else ["--no-cache"]
        words = [self._options.lint, "--isolated", "--quiet", "--output-format", "concise", "-j", self._jobs, *cache]
        return Command("regbuf-lint, warm" if warm else "regbuf-lint", [*words, "."], folder)

    def ruff(self, folder: Path, *, warm: bool = False) -> Command:
        """Ruff's Pyflakes rules, without a cache, or with one that knows all files."""
        cache = ["--cache-dir", str(self._cache("ruff", folder))] if warm else ["--no-cache"]
        words = [self._options.ruff, "check", "--isolated", "--quiet", "--select", "F", *cache, "."]
        return Command("ruff, warm" if warm else "ruff", words, folder)

    def torchfix(self, folder: Path) -> Command:
        """TorchFix with all of its rules."""
        return Command("torchfix", [self._options.torchfix, "--select", "ALL", "--jobs", self._jobs, "."], folder)

    def flake8(self, folder: Path, *, plugin: bool) -> Command:
        """Flake8 with its Pyflakes rules, with and without this linter's plugin installed."""
        program = self._options.flake8 if plugin else self._options.flake8_alone
        codes = "F,RBF" if plugin else "F"
        name = "flake8 with the plugin" if plugin else "flake8"
        return Command(name, [program, "--isolated", "--select", codes, "-j", self._jobs, "."], folder)

    def _cache(self, name: str, folder: Path) -> Path:
        return self._scratch / f"{name}-cache-{folder.name}"


class Edits:
    """Gives one file after the other, drawn at random, another text that says the same.

    Some files are read for hundreds of others and most for none, so that one file tells nothing of the next.

    Args:
        folder: where the files lie.
    """

    def __init__(self, folder: Path) -> None:
        files = python_files(folder)
        random.Random(SEED).shuffle(files)  # noqa: S311  no secret is drawn
        self._files = iter(files)

    def __call__(self) -> None:
        """Change the next one."""
        with next(self._files).open("a", encoding="utf-8") as file:
            file.write("\n# changed\n")


def main() -> int:
    """Measure, and write the page or print it."""
    options = _options()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        results = _measured(options, scratch)
    text, plot = page(results, options), _plot(results)
    if options.page is None:
        print(text)
    else:
        options.page.write_text(text, encoding="utf-8")
        options.page.with_suffix(".svg").write_text(plot, encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path, metavar="PACKAGES")
    own = shutil.which("regbuf-lint", path=sysconfig.get_path("scripts"))
    parser.add_argument("--lint", type=_program, default=own or "regbuf-lint", help="this linter's command")
    parser.add_argument("--pins", type=Path, default=PINS, help="the list of packages")
    parser.add_argument("--ruff", type=_program)
    parser.add_argument("--torchfix", type=_program)
    parser.add_argument("--flake8", type=_program, help="flake8 where the linter is installed too")
    parser.add_argument("--flake8-alone", type=_program, help="flake8 where it is not")
    parser.add_argument("--jobs", type=int, default=2, help="processes of each linter")
    parser.add_argument("--rounds", type=int, default=5)
    help_text = "files for TorchFix, which takes hours for all, and for flake8; the linter gets the same ones then"
    parser.add_argument("--sample", type=int, default=150, help=help_text)
    parser.add_argument("--scale", type=float, default=1.0, help="size of the hard cases; 0 leaves them out")
    parser.add_argument("--page", type=Path, help="the page to write; the plot lies beside it")
    return parser.parse_args()


def _program(name: str) -> str:
    """A program's absolute path: it runs in the folder of the sources."""
    found = shutil.which(name)
    if found is None:
        msg = f"`{name}` is no program"
        raise argparse.ArgumentTypeError(msg)
    return str(Path(found).absolute())


def _measured(options: argparse.Namespace, scratch: Path) -> Results:
    results, linters = Results(), Linters(options, scratch)
    everything, sample = scratch / "packages", scratch / "sample"
    for folder in fetch(options.packages, options.pins):
        shutil.copytree(folder, everything / folder.name)
    copy_some(everything, sample, options.sample, SEED)
    results.files = {"everything": size(everything), "sample": size(sample)}
    for name, commands in _comparisons(options, linters, everything, sample).items():
        print(f"{name}: {', '.join(one.name for one in commands)}", file=sys.stderr)
        results.timings[name] = alternating(commands, options.rounds)
    results.memory = {one.name: peak_memory(one) for one in _whole(options, linters, everything)}
    if options.scale:
        words = [*linters.lint(sample).words[:-1], "-j", "1"]
        results.growth = list(measured(words, list(CASES.values()), options.scale))
    for number in _parts(results.files["everything"][0]):
        folder = scratch / f"part-{number}"
        copy_some(everything, folder, number, SEED)
        files, megabytes = size(folder)
        for one in _whole(options, linters, folder):
            work = alternating([one], max(1, options.rounds // 2))[one.name].work
            results.sizes.setdefault(one.name, []).append((files, megabytes, work))
    return results


def _comparisons(
    options: argparse.Namespace, linters: Linters, everything: Path, sample: Path
) -> dict[str, list[Command]]:
    """The commands that run in turn, by the name of what is compared."""
    found = {"everything, cold": _whole(options, linters, everything)}
    warm = [linters.lint(everything, warm=True)]
    if options.ruff:
        warm.append(linters.ruff(everything, warm=True))
    found["everything, warm"] = warm
    # The edit before the first of them serves all: with edits of their own, each would find those of the others, too.
    found["everything, one file changed"] = [replace(warm[0], prepare=Edits(everything)), *warm[1:]]
    cold = linters.lint(sample)
    if options.torchfix:
        found["sample, TorchFix"] = [cold, linters.torchfix(sample)]
    if options.flake8 and options.flake8_alone:
        found["sample, flake8"] = [linters.flake8(sample, plugin=one) for one in (False, True)]
    return found


def _whole(options: argparse.Namespace, linters: Linters, folder: Path) -> list[Command]:
    """The linters that are fast enough for everything."""
    return [linters.lint(folder), *([linters.ruff(folder)] if options.ruff else [])]


def _parts(files: int) -> list[int]:
    """Numbers of files, each four times the one before, up to all of them."""
    found = [100]
    while found[-1] * 4 < files:
        found.append(found[-1] * 4)
    return [*found, files]


def _plot(results: Results) -> str:
    series = [
        Series(name, [(megabytes, seconds) for _, megabytes, seconds in points])
        for name, points in results.sizes.items()
    ]
    return plotted("Processor time by size", "megabytes of Python", "seconds", series)


if __name__ == "__main__":
    sys.exit(main())
