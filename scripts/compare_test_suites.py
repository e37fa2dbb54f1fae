"""Run a project's own test suite before and after the fixes, and list the tests that no longer pass.

    python scripts/compare_test_suites.py --output FILE.json [OPTIONS] CHECKOUT PACKAGE -- [PYTEST ARGUMENTS]

The checkout is copied; the copy is tested, fixed with ``regbuf-lint --fix``, and tested again. What fails both times
says nothing and is only counted. A test that fails only after the fixes is run once more, so that one that fails now
and then is not taken for a victim.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

PASSED = "passed"
_OUTCOMES = {"failure": "failed", "error": "failed", "skipped": "skipped"}


def outcomes(report: Path) -> dict[str, str]:
    """Return what became of each test, by its name, as pytest's JUnit report has it."""
    found: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  pytest wrote it
        kinds = [_OUTCOMES[child.tag] for child in case if child.tag in _OUTCOMES]
        found[f"{case.get('classname')}::{case.get('name')}"] = kinds[0] if kinds else PASSED
    return found


def run_tests(checkout: Path, options: argparse.Namespace, only: list[str] | None = None) -> dict[str, str]:
    """Run pytest in a checkout.

    Args:
        checkout: where the project lies.
        options: what the command line says.
        only: words of which a test's name must hold one; every test where None.
    """
    paths = [str((checkout / path).resolve()) for path in options.python_path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.xml"
        command = [options.python, "-m", "pytest", f"--junitxml={report}", "-p", "no:cacheprovider", *options.pytest]
        command += ["-k", " or ".join(only)] if only else []
        code = subprocess.run(  # noqa: S603  the command is the user's own
            command, cwd=checkout / options.directory, env=environment, stdout=sys.stderr, check=False
        ).returncode
        if not report.exists():
            sys.exit(f"pytest ended with exit code {code} and left no report")
        return outcomes(report)


def fix(checkout: Path, options: argparse.Namespace) -> list[str]:
    """Fix the package in a checkout and return what ``--show-fixes`` prints."""
    command = [*shlex.split(options.lint), "--isolated", "--fix", "--show-fixes", "--exit-zero", options.package]
    command += ["--unsafe-fixes"] if options.unsafe_fixes else []
    result = subprocess.run(  # noqa: S603  the command is the user's own
        command, cwd=checkout, capture_output=True, text=True, check=True
    )
    return result.stderr.splitlines()


def fixed_files(checkout: Path, original: Path, package: str) -> list[str]:
    """Return the files of the package that differ from the original ones."""
    files = sorted(path.relative_to(checkout) for path in (checkout / package).rglob("*.py"))
    return [str(file) for file in files if (checkout / file).read_bytes() != (original / file).read_bytes()]


def no_longer_passing(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the tests that passed before and do not any more."""
    return sorted(test for test, outcome in before.items() if outcome == PASSED and after.get(test) != PASSED)


def function_name(test: str) -> str:
    """Return the name of a test's function, without its parameters."""
    return test.rpartition("::")[2].partition("[")[0]


def compare(options: argparse.Namespace) -> dict[str, Any]:
    """Test, fix and test again."""
    original: Path = options.checkout.resolve()
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / original.name
        shutil.copytree(original, copy, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        for other in options.beside:
            shutil.copytree(other.resolve(), Path(name) / other.resolve().name, ignore=shutil.ignore_patterns(".git"))
        before = run_tests(copy, options)
        shown = fix(copy, options)
        files = fixed_files(copy, original, options.package)
        after = run_tests(copy, options)
        lost = no_longer_passing(before, after)
        if lost:
            after |= run_tests(copy, options, sorted({function_name(test) for test in lost}))
            lost = no_longer_passing(before, after)
    return {
        "name": original.name,
        "revision": options.revision,
        "fixes": "all" if options.unsafe_fixes else "safe",
        "files": files,
        "shown": shown,
        "before": dict(Counter(before.values())),
        "after": dict(Counter(after.values())),
        "lost": {test: after.get(test, "gone") for test in lost},
    }


def main() -> int:
    """Compare and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="the project's sources")
    parser.add_argument("package", metavar="PACKAGE", help="directory of the package below it")
    parser.add_argument("pytest", nargs="*", metavar="ARGUMENT", help="arguments for pytest, after --")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="where the result is written")
    parser.add_argument("--unsafe-fixes", action="store_true", help="apply the unsafe fixes too")
    parser.add_argument("--revision", default="", help="the commit")
    parser.add_argument("--directory", default=".", help="where in the checkout pytest runs")
    parser.add_argument("--python-path", action="append", default=[], metavar="DIRECTORY", help="put on PYTHONPATH")
    parser.add_argument("--beside", type=Path, action="append", default=[], help="a checkout that lies beside it")
    parser.add_argument("--python", default=sys.executable, help="interpreter with torch and what the tests need")
    own = shutil.which("regbuf-lint", path=sysconfig.get_path("scripts"))
    parser.add_argument("--lint", default=own or "regbuf-lint", help="the linter's command")
    options = parser.parse_args()
    result = compare(options)
    options.output.write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(f"{result['name']}: {result['fixes']} fixes changed {len(result['files'])} files")
    print(f"before {result['before']}, after {result['after']}, lost {len(result['lost'])}")
    for test, outcome in result["lost"].items():
        print(f"- {test}: {outcome}")
    return 1 if result["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
