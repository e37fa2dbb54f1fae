"""Run a project's tests with and without ``pytest --regbuf-audit``, and compare results, time and lines.

    python scripts/measure_audit.py [OPTIONS] CHECKOUT PACKAGE -- [PYTEST ARGUMENTS]

The runs alternate, after one of each that does not count. Printed are the tests that end otherwise, the ratio of the
medians of wall and of processor time, and the attributes that only the audit or only the linter reports (by RBF001 to
RBF006 and RBF105).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from compare_test_suites import outcomes

SELECTED = "RBF001,RBF002,RBF003,RBF004,RBF005,RBF006,RBF105"
WITHOUT, WITH = ("-p", "no:regbuf-audit"), ("--regbuf-audit",)
Place = tuple[str, str]
"""A file and an attribute."""


def timed(options: argparse.Namespace, own: tuple[str, ...], directory: Path) -> tuple[dict[str, str], float, float]:
    """Run the tests and return what became of them, and the seconds of the clock and of the processors."""
    report = directory / "report.xml"
    command = [options.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *own]
    before, start = used(), time.perf_counter()
    subprocess.run(  # noqa: S603  the command is the user's own
        [*command, *options.pytest], cwd=options.checkout, stdout=subprocess.DEVNULL, check=False
    )
    return outcomes(report), time.perf_counter() - start, used() - before


def used() -> float:
    """Return the seconds of processor time of all processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def audited(file: Path) -> dict[Place, dict[str, Any]]:
    """Return what the audit has written, by file and attribute; where several lines store one, a defect if there is."""
    lines = json.loads(file.read_text(encoding="utf-8"))["lines"]
    return {(one["file"], one["attribute"]): one for one in sorted(lines, key=lambda one: bool(one["defect"]))}


def found(options: argparse.Namespace) -> dict[Place, str]:
    """Return what the linter reports, by file and attribute."""
    command = [*shlex.split(options.lint), "--isolated", "--no-cache", "--exit-zero", "--select", SELECTED]
    done = subprocess.run(  # noqa: S603  the command is the user's own
        [*command, "--output-format", "json", options.package],
        cwd=options.checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    return {(one["filename"], one["attribute"]): one["code"] for one in json.loads(done.stdout)}


def compare_lines(lines: dict[Place, dict[str, Any]], findings: dict[Place, str]) -> None:
    """Print what both report, and each of what only one does."""
    defects = {place for place, one in lines.items() if one["defect"]}
    print(f"audit: {len(defects)} attributes; linter: {len(findings)}; both: {len(defects & findings.keys())}")
    for place in sorted(defects - findings.keys()):
        print(f"only the audit: {place[0]}:{lines[place]['line']} {place[1]} ({lines[place]['kind']})")
    for place in sorted(findings.keys() - defects):
        said = "stored later, or moved by its class" if place in lines else "not stored by a test"
        print(f"only the linter: {place[0]} {place[1]} {findings[place]}: {said}")


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("package", help="what the linter reads, relative to the checkout")
    parser.add_argument("pytest", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--lint", default=f"{sys.executable} -m regbuf_lint")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    seconds: dict[tuple[str, ...], list[tuple[float, float]]] = {WITHOUT: [], WITH: []}
    with tempfile.TemporaryDirectory() as name:
        lines = Path(name) / "lines.json"
        for number in range(options.runs + 1):
            results = {}
            for own in (WITHOUT, WITH):
                more = (*own, f"--regbuf-audit-json={lines}") if own is WITH else own
                results[own], *spent = timed(options, more, Path(name))
                if number:
                    seconds[own].append((spent[0], spent[1]))
            other = [test for test in results[WITHOUT] if results[WITH].get(test) != results[WITHOUT][test]]
            print(f"run {number}: {len(results[WITHOUT])} tests, {len(other)} end otherwise: {other[:5]}", flush=True)
        for which, what in enumerate(("wall", "processor")):
            plain, audit = (statistics.median(one[which] for one in seconds[own]) for own in (WITHOUT, WITH))
            print(f"{what}: {plain:.2f} s without, {audit:.2f} s with, ratio of the medians {audit / plain:.3f}")
        compare_lines(audited(lines), found(options))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
