"""The page that says what a comparison of linters has shown."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from compare import Results
    from measuring import Timing

_HEAD = """\
# Benchmarks

Written by `benchmarks/compare.py`; its head says how to run it. Every figure is of whole processes, with {jobs} of them
for each linter, over the packages that `benchmarks/packages.txt` pins. All commands of a table run in turn, {rounds}
rounds; the medians count. A warm run has a cache that knows all files, of which none has changed unless a title says
so; a cold one has none.

{date}, {cores} cores, {memory:.0f} GB of memory, Python {python}; {versions}.
"""


def page(results: Results, options: argparse.Namespace) -> str:
    """The page as Markdown."""
    today = dt.datetime.now(tz=dt.timezone.utc).date().isoformat()
    head = _HEAD.format(
        jobs=options.jobs,
        rounds=options.rounds,
        date=today,
        cores=os.cpu_count(),
        memory=_memory(),
        python=platform.python_version(),
        versions=", ".join(_versions(options)),
    )
    parts = [head]
    for name, timings in results.timings.items():
        files, megabytes = results.files[name.partition(",")[0]]
        parts.append(f"## {name[0].upper()}{name[1:]}\n\n{files} files, {megabytes:.1f} MB.\n\n{_table(timings)}")
    parts.append(f"## Memory\n\nThe most that all processes hold at once.\n\n{_memory_table(results.memory)}")
    parts.append(f"## Growth\n\n![seconds by megabytes]({_plot_name(options)})\n\n{_size_table(results)}")
    if results.growth:
        parts.append(f"## Hard cases\n\n{_HARD}\n\n{_growth_table(results)}")
    return "\n".join(parts)


_HARD = """\
Processor time for half of each case and for the whole (`benchmarks/hard_cases.py`), what any run takes left aside: 2
times is linear."""


def _table(timings: Mapping[str, Timing]) -> str:
    lines = ["| command | seconds | processor seconds | times the first |", "|---|---|---|---|"]
    first = next(iter(timings.values())).median
    for name, one in timings.items():
        lines.append(f"| {name} | {one.median:.2f} | {one.work:.2f} | {one.median / first:.2f} |")
    return "\n".join([*lines, ""])


def _memory_table(memory: Mapping[str, float]) -> str:
    lines = ["| command | MB |", "|---|---|", *(f"| {name} | {megabytes:.0f} |" for name, megabytes in memory.items())]
    return "\n".join([*lines, ""])


def _size_table(results: Results) -> str:
    lines = ["| command | files | MB | processor seconds | for each MB |", "|---|---|---|---|---|"]
    for name, points in results.sizes.items():
        for files, megabytes, seconds in points:
            lines.append(f"| {name} | {files} | {megabytes:.1f} | {seconds:.2f} | {seconds / megabytes:.2f} |")
    return "\n".join([*lines, ""])


def _growth_table(results: Results) -> str:
    lines = ["| case | size | half, s | whole, s | times |", "|---|---|---|---|---|"]
    for one in results.growth:
        first, second = one.seconds
        lines.append(f"| {one.name} | {one.size} | {first:.2f} | {second:.2f} | {one.ratio:.2f} |")
    return "\n".join([*lines, ""])


def _plot_name(options: argparse.Namespace) -> str:
    return "benchmarks.svg" if options.page is None else options.page.with_suffix(".svg").name


def _memory() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def _versions(options: argparse.Namespace) -> Iterator[str]:
    """What each tool calls its version."""
    for name in ("lint", "ruff", "torchfix", "flake8"):
        program = getattr(options, name)
        if program:
            done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)  # noqa: S603  chosen
            said = done.stdout.split()
            label = {"lint": "regbuf-lint"}.get(name, name)
            yield f"{label} {next((word for word in said if word[:1].isdigit()), '')}".strip()
