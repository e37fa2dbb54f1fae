"""Run a project's own test suite before and after the fixes, and list the tests that no longer pass.

    python scripts/compare_test_suites.py --output FILE.json [OPTIONS] CHECKOUT PACKAGE -- [PYTEST ARGUMENTS]

The checkout is copied; the copy is tested, fixed with ``regbuf-lint --fix``, and tested again. What fails both times
says nothing and is only counted. A test that fails only after the fixes is run once more, so that one that fails now
and then is not taken for a victim. With ``--traced`` the tests of the fixed copy run under the tracer of
``compare_with_runtime.py``, and the plain tensors that are still stored in fixed attributes are listed.
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

from compare_with_runtime import PLUGIN, ROOT, TRACER, collect

PASSED = "passed"
_OUTCOMES = {"failure": "failed", "error": "failed", "skipped": "skipped"}


def outcomes(report: Path) -> dict[str, str]:
    """Return what became of each test, by its name, as pytest's JUnit report has it."""
    found: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  pytest wrote it
        kinds = [_OUTCOMES[child.tag] for child in case if child.tag in _OUTCOMES]
        found[f"{case.get('classname')}::{case.get('name')}"] = kinds[0] if kinds else PASSED
    return found


def run_tests(
    checkout: Path, options: argparse.Namespace, only: list[str] | None = None, traced: Path | None = None
) -> dict[str, str]:
    """Run pytest in a checkout.

    Args:
        checkout: where the project lies.
        options: what the command line says.
        only: words of which a test's name must hold one; every test where None.
        traced: where the tracer writes what the tests stored; no tracer where None.
    """
    paths = [str((checkout / path).resolve()) for path in options.python_path]
    paths = [str(TRACER), str(ROOT / "src"), *paths] if traced else paths
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.xml"
        command = [options.python, "-m", "pytest", f"--junitxml={report}", "-p", "no:cacheprovider", *options.pytest]
        command += ["-k", " or ".join(only)] if only else []
        command += (
            ["-p", PLUGIN, "--runtime-truth", str(traced), "--runtime-truth-root", str(checkout)] if traced else []
        )
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


def to_be_fixed(checkout: Path, options: argparse.Namespace) -> set[tuple[str, str, str]]:
    """Return file, class and attribute of the findings whose fixes are applied."""
    command = [*shlex.split(options.lint), "--isolated", "--output-format", "json", "--exit-zero", options.package]
    output = subprocess.run(  # noqa: S603  the command is the user's own
        command, cwd=checkout, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    applied = {"safe", "unsafe"} if options.unsafe_fixes else {"safe"}
    return {
        (finding["filename"], finding["class"], finding["attribute"])
        for finding in json.loads(output)
        if finding["fix"] and finding["fix"]["applicability"] in applied
    }


def left(seen: dict[str, Any], checkout: Path, fixed: set[tuple[str, str, str]]) -> list[str]:
    """Return the places at which plain tensors were stored in attributes that were fixed."""
    stores = [store for store in seen["stores"] if (checkout / store["file"]).is_file()]
    entries = (entry for entry in collect(stores, checkout) if entry.kind == "tensor" and not entry.moved)
    return [str(entry) for entry in entries if (entry.place.file, entry.place.owner, entry.place.attribute) in fixed]


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
        fixed = to_be_fixed(copy, options)
        shown = fix(copy, options)
        files = fixed_files(copy, original, options.package)
        traced = Path(name) / "seen.json" if options.traced else None
        after = run_tests(copy, options, traced=traced)
        stores = left(json.loads(traced.read_text(encoding="utf-8")), copy, fixed) if traced else None
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
        "fixed": len(fixed),
        "left": stores,
    }


def main() -> int:
    """Compare and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="the project's sources")
    parser.add_argument("package", metavar="PACKAGE", help="directory of the package below it")
    parser.add_argument("pytest", nargs="*", metavar="ARGUMENT", help="arguments for pytest, after --")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="where the result is written")
    parser.add_argument("--unsafe-fixes", action="store_true", help="apply the unsafe fixes too")
    parser.add_argument("--traced", action="store_true", help="see what the fixed copy's tests store")
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
    if result["left"] is not None:
        print(f"{result['fixed']} fixed attributes, plain tensors still stored in {len(result['left'])}")
        print(*(f"- {place}" for place in result["left"]), sep="\n")
    return 1 if result["lost"] or result["left"] else 0


if __name__ == "__main__":
    sys.exit(main())
