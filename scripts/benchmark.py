"""Compare the speed of the linter with that of TorchFix on the same sources and the same cores.

Both commands get the same number of workers. The linter checks everything, without a cache, and its wall-clock time
counts. TorchFix, with all of its rules, checks a seeded random sample of the files that it does not skip, which are
those that hold the word "torch"; it handles each of them on its own, in a pool of processes, so its work grows with
their bytes. Everything that had to be assumed is assumed in its favour:

- its processor time is divided by the number of workers, as if the pool never waited for a last large file;
- its fixed cost is measured apart, on one tiny file, and only the rest is scaled up:
  whole = fixed + (processor time of the sample - fixed) / workers * bytes of all such files / bytes of the sample;
- what it needs to look through the files that it skips is left out.

On a machine that is busy with something else the ratio of processor times says more.

    python scripts/benchmark.py --torchfix ENVIRONMENT/bin/torchfix DIRECTORY...
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

MARKER = b"torch"
MEGABYTE = 1e6


@dataclass(frozen=True)
class Timing:
    """Wall-clock and processor seconds of several runs of one command; the best run is the least disturbed one."""

    wall: tuple[float, ...]
    processor: tuple[float, ...]

    def __str__(self) -> str:
        median = statistics.median(self.wall)
        return f"{min(self.wall):.2f} s (best of {len(self.wall)}, median {median:.2f} s; processor {self.work:.2f} s)"

    @property
    def work(self) -> float:
        """Processor seconds of the best run, those of all its processes together."""
        return min(self.processor)


def measure(command: list[str], runs: int) -> Timing:
    """Run a command several times; exit codes 0 and 1 are those of a linter that did its work."""
    wall, processor = [], []
    for _ in range(runs):
        start, work = time.perf_counter(), processor_time()
        result = subprocess.run(command, capture_output=True, check=False)  # noqa: S603  the user's own commands
        wall.append(time.perf_counter() - start)
        processor.append(processor_time() - work)
        if result.returncode not in {0, 1} or b"Traceback" in result.stderr:
            sys.exit(f"{command[0]} failed: {result.stderr.decode(errors='replace')[-2000:]}")
    return Timing(tuple(wall), tuple(processor))


def processor_time() -> float:
    """Return the processor seconds of all child processes so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def draw(files: list[Path], size: float, seed: int) -> list[Path]:
    """Return a random sample of files that together have about ``size`` bytes."""
    shuffled = sorted(files)
    random.Random(seed).shuffle(shuffled)  # noqa: S311  a sample, no secret
    sample: list[Path] = []
    total = 0
    for path in shuffled:
        if total >= size:
            break
        sample.append(path)
        total += path.stat().st_size
    return sample


def bytes_of(files: list[Path]) -> int:
    """Return the size of files together."""
    return sum(path.stat().st_size for path in files)


def main() -> int:
    """Measure both commands and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIRECTORY")
    own = shutil.which("regbuf-lint", path=sysconfig.get_path("scripts"))
    parser.add_argument("--lint", default=own or "regbuf-lint", help="the linter's command")
    parser.add_argument("--torchfix", default="torchfix", help="TorchFix's command")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="workers of either")
    parser.add_argument("--sample", type=float, default=3.0, help="megabytes that TorchFix checks")
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--runs", type=int, default=3, help="how often each is run")
    arguments = parser.parse_args()

    files = sorted(path for directory in arguments.directories for path in directory.rglob("*.py") if path.is_file())
    marked = [path for path in files if MARKER in path.read_bytes()]  # also warms the disk cache for both
    sample = draw(marked, arguments.sample * MEGABYTE, arguments.seed)
    jobs = ["--jobs", str(arguments.jobs)]

    lint = [arguments.lint, "--isolated", "--no-cache", "--output-format", "concise", *jobs]
    ours = measure([*lint, *map(str, arguments.directories)], arguments.runs)

    torchfix = [arguments.torchfix, "--select", "ALL", *jobs]
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        tiny = directory / "tiny.py"
        tiny.write_text("import torch\n", encoding="utf-8")
        fixed = measure([*torchfix, str(tiny)], arguments.runs)
        sampled = directory / "sample"
        sampled.mkdir()
        for number, path in enumerate(sample):
            shutil.copyfile(path, sampled / f"{number:05}_{path.name}")
        partial = measure([*torchfix, str(sampled)], arguments.runs)

    scale = bytes_of(marked) / bytes_of(sample)
    whole = min(fixed.wall) + (partial.work - fixed.work) / arguments.jobs * scale
    print(f"sources: {len(files)} files, {bytes_of(files) / MEGABYTE:.1f} MB; workers: {arguments.jobs}")
    print(f'with "torch" in them: {len(marked)} files, {bytes_of(marked) / MEGABYTE:.1f} MB')
    print(f"regbuf-lint, everything: {ours}")
    print(f"torchfix, one line: {fixed}")
    sampled_size = f"{len(sample)} files, {bytes_of(sample) / MEGABYTE:.1f} MB, seed {arguments.seed}"
    print(f"torchfix, sample of {sampled_size}: {partial}")
    print(f"torchfix, scaled by {scale:.1f}: {whole:.1f} s at least")
    print(f"ratio: {whole / min(ours.wall):.1f} at least")
    print(f"ratio of processor time: {(fixed.work + (partial.work - fixed.work) * scale) / ours.work:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
