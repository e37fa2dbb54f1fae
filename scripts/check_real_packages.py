"""Run the linter over the sources of real packages and check what must hold of every code base.

For each directory: linting reports no error and accounts for every Python file; fixing a copy of it, with safe fixes
and with all fixes, leaves files that parse, changes only files in which it makes a fix, does nothing the second time,
 and writes what the edits of the JSON output make, which is all that others know. Prints a Markdown table,
and what does not hold.

    python scripts/check_real_packages.py DIRECTORY...
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reported_edits import after_all_rounds

if TYPE_CHECKING:
    from collections.abc import Iterable

FIXES = {"safe": ("--fix",), "all": ("--fix", "--unsafe-fixes")}
APPLIED_BY = {"safe": {"safe"}, "all": {"safe", "unsafe"}}
CLEAN, FOUND = 0, 1
CHECKED = re.compile(r"checked (\d+) files? in")
APPLIED = re.compile(r"^Applied (\d+) fix(?:es)?:", re.MULTILINE)
FIXED_FILE = re.compile(r"^  (.+\.(?:py|ipynb)):.*? RBF\d+ ", re.MULTILINE)


@dataclass
class Report:
    """What was seen of one package."""

    name: str
    files: int = 0
    size: int = 0
    seconds: float = 0.0
    findings: Counter[str] = field(default_factory=Counter)
    applied: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@dataclass
class Outcome:
    """What one run said.

    Attributes:
        findings: the findings, as in the JSON output.
        checked: number of files read.
        applied: number of fixes made.
        fixed: paths of the files in which they were made.
        problems: what went wrong.
    """

    findings: list[dict[str, Any]] = field(default_factory=list)
    checked: int = 0
    applied: int = 0
    fixed: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)


class Linter:
    """The command, run with a directory as its working directory, excluding nothing."""

    def __init__(self, command: str, jobs: int | None, config: Path) -> None:
        config.write_text("exclude = []\nrespect-gitignore = false\n", encoding="utf-8")
        self._command = [command, "--config", str(config), "--output-format", "json", "--verbose", "--show-fixes"]
        self._command += ["--no-cache"] if jobs is None else ["--no-cache", "--jobs", str(jobs)]

    def run(self, directory: Path, *options: str, paths: Iterable[str] = (".",)) -> Outcome:
        """Lint everything below a directory, or some files in it."""
        result = subprocess.run(  # noqa: S603  the command is the user's own
            [*self._command, *options, *paths], cwd=directory, capture_output=True, text=True, check=False
        )
        outcome = Outcome(checked=number(CHECKED, result.stderr), applied=number(APPLIED, result.stderr))
        outcome.fixed = set(FIXED_FILE.findall(result.stderr))
        if result.returncode not in {CLEAN, FOUND} or "Traceback" in result.stderr:
            outcome.problems.append(f"exit code {result.returncode}: {result.stderr.strip()[-1000:]}")
        try:
            outcome.findings = json.loads(result.stdout)
        except ValueError:
            outcome.problems.append(f"output is no JSON: {result.stdout[:200]!r}")
        return outcome


def number(pattern: re.Pattern[str], text: str) -> int:
    """Return the number that a pattern finds in a text, 0 where it finds none."""
    match = pattern.search(text)
    return int(match[1]) if match else 0


def python_files(directory: Path) -> dict[str, bytes]:
    """Return the Python files and notebooks below a directory by their relative paths."""
    paths = sorted(path for pattern in ("*.py", "*.ipynb") for path in directory.rglob(pattern) if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


def unparsable(files: dict[str, bytes]) -> set[str]:
    """Return the paths of files that the running Python refuses, and of notebooks that are no JSON."""
    return {path for path, data in files.items() if not (is_json if path.endswith(".ipynb") else parses)(data)}


def is_json(data: bytes) -> bool:
    """Return whether a file holds JSON."""
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def parses(data: bytes) -> bool:
    """Return whether the running Python can parse a file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except (SyntaxError, ValueError):
        return False
    return True


def check_fixing(report: Report, linter: Linter, original: dict[str, bytes]) -> None:
    """Fix copies of a package, once with safe fixes and once with all, and check the outcome."""
    broken_before = unparsable(original)
    for kind, options in FIXES.items():
        with tempfile.TemporaryDirectory() as name:
            copy = Path(name) / report.name
            for path, data in original.items():
                (copy / path).parent.mkdir(parents=True, exist_ok=True)
                (copy / path).write_bytes(data)
            first = linter.run(copy, *options)
            once = python_files(copy)
            second = linter.run(copy, *options)
            twice = python_files(copy)
            changed = {path for path, data in once.items() if data != original.get(path)}
            by_hand = edited_by_hand(copy, linter, original, changed, APPLIED_BY[kind])
        expectations = {
            "no longer parses": unparsable(once) - broken_before,
            "changed though no fix was made there": changed - first.fixed,
            "changed again by a second run": {path for path, data in twice.items() if data != once.get(path)},
            "came or went": set(once) ^ set(original),
            "is not what the reported edits make": {path for path, data in by_hand.items() if data != once[path]},
        }
        problems = first.problems + second.problems
        problems += [f"{path}: {what}" for what, paths in expectations.items() for path in sorted(paths)]
        if second.applied or second.findings != first.findings:
            problems.append(f"a second run applies {second.applied} fixes or reports other findings")
        report.applied[kind], report.changed[kind] = first.applied, len(changed)
        report.problems += [f"{kind} fixes: {problem}" for problem in problems]


def edited_by_hand(
    copy: Path, linter: Linter, original: dict[str, bytes], changed: set[str], applicabilities: set[str]
) -> dict[str, bytes]:
    """Return what the edits in the JSON output make of files; notebooks, whose text they do not speak of, left out."""

    def check(files: dict[str, bytes]) -> list[dict[str, Any]]:
        for path, data in files.items():
            (copy / path).write_bytes(data)
        return linter.run(copy, paths=sorted(files)).findings if files else []

    for path, data in original.items():
        (copy / path).write_bytes(data)
    return after_all_rounds(
        {path: original[path] for path in changed if path in original and path.endswith(".py")}, check, applicabilities
    )


def check(directory: Path, linter: Linter) -> Report:
    """Check one package."""
    report = Report(directory.name)
    files = python_files(directory)
    report.files, report.size = len(files), sum(map(len, files.values()))
    start = time.perf_counter()
    outcome = linter.run(directory)
    report.seconds = time.perf_counter() - start
    report.problems += outcome.problems
    if outcome.checked != report.files:
        report.problems.append(f"{outcome.checked} files checked of {report.files}")
    report.findings.update(one["code"] for one in outcome.findings if one["code"] is not None)
    check_fixing(report, linter, files)
    return report


def table(reports: list[Report]) -> str:
    """Return the Markdown table of all reports."""
    codes = sorted({code for report in reports for code in report.findings})
    header = ["package", "files", "MB", "seconds", *codes, "safe fixes (files)", "all fixes (files)", "problems"]
    rows = [header, ["---", *["---:"] * (len(header) - 1)]]
    rows += [
        [
            report.name,
            str(report.files),
            f"{report.size / 1e6:.1f}",
            f"{report.seconds:.2f}",
            *[str(report.findings[code]) for code in codes],
            *[f"{report.applied[kind]} ({report.changed[kind]})" for kind in FIXES],
            str(len(report.problems)),
        ]
        for report in reports
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Check every directory, print the table, and return 1 where something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIRECTORY", help="sources of one package")
    own = shutil.which("regbuf-lint", path=sysconfig.get_path("scripts"))
    parser.add_argument("--lint", default=own or "regbuf-lint", help="the command to run")
    parser.add_argument("-j", "--jobs", type=int, help="number of its workers")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        linter = Linter(arguments.lint, arguments.jobs, Path(name) / "everything.toml")
        reports = [check(directory.resolve(), linter) for directory in arguments.directories]
    print(table(reports))
    for report in reports:
        for problem in report.problems:
            print(f"{report.name}: {problem}")
    return 1 if any(report.problems for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
