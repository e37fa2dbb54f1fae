"""Compare the linter's findings with what a project's test suite really stores on its nn.Module objects.

    python scripts/compare_with_runtime.py trace --output FILE.json CHECKOUT PACKAGE -- [PYTEST ARGUMENTS]
    python scripts/compare_with_runtime.py report --checkouts DIRECTORY FILE.json... > docs/runtime-truth.md

``trace`` runs the tests under the tracer in ``tests/runtime_truth`` and writes what they stored, line by line.
``report`` lints the same packages and prints a Markdown table with every line in which the two differ; several traces
of one project count as one.

- A *store* is a line of the package that put a plain tensor into an attribute while the object was built, where the
  attribute still was a plain tensor, neither Parameter nor buffer, when the outermost object was complete.
- It is *found* if there is a finding for that attribute on that line or elsewhere in the class that the line stands in.
- It is *moved* if the class overrides ``_apply`` or ``to`` so that the tensor follows the module: quiet by design, not
  counted.
- A finding is *executed* if its line ran, and *open* if all that the line then stored was None.
- A *false* line has a finding and was executed, but never held what the finding says.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TRACER = ROOT / "tests" / "runtime_truth"
PLUGIN = "runtime_truth_plugin"
EXPECTED = {
    "RBF001": {"tensor"},
    "RBF002": {"container"},
    "RBF003": {"distribution"},
    "RBF005": {"tensor"},
    "RBF105": {"tensor", "container"},
}
"""The kinds of value of which a rule's finding tells."""
KINDS = ("tensor", "container", "distribution")
HARMLESS = {"none"}
ONLY_NONE = "stored none"


@dataclass(frozen=True, order=True)
class Place:
    """A line and the attribute that it stores; the attribute is empty where its name is computed."""

    file: str
    line: int
    owner: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.owner}.{self.attribute or '(computed)'}"


@dataclass
class Seen:
    """What the tests stored at a place.

    Attributes:
        place: where.
        building: how often which kind was stored during construction.
        later: the same on finished objects.
        final: what became of the attribute.
        moved: whether the class's own ``_apply`` reaches the value.
        kind: what the attribute holds in the end; empty where it holds no tensors.
        found: the codes of the findings for it.
    """

    place: Place
    building: Counter[str] = field(default_factory=Counter)
    later: Counter[str] = field(default_factory=Counter)
    final: Counter[str] = field(default_factory=Counter)
    moved: bool = False
    kind: str = ""
    found: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        others = {kind: count for kind, count in self.building.items() if kind not in {self.kind, *HARMLESS}}
        mixed = ", ".join(f"{kind} {count} times" for kind, count in sorted(others.items()))
        return f"{self.place}" + (f" (also stored: {mixed})" if mixed else "")


@dataclass
class Result:
    """The comparison for one project.

    Attributes:
        trace: what ``trace`` wrote.
        stores: places of which the attribute ends as something that holds tensors.
        findings: number of findings of the rules in ``EXPECTED``.
        executed: number of those whose line ran.
        open: findings on lines that ran and stored nothing but None.
        false: findings on lines that ran and never held what the finding says, with what was seen.
    """

    trace: dict[str, Any]
    stores: list[Seen]
    findings: int
    executed: int
    open: list[str]
    false: list[str]


# ---- running ---------------------------------------------------------------------------------------------------------


def lint(command: str, checkout: Path, package: str) -> list[dict[str, Any]]:
    """Return the findings in a package, as in the JSON output, of the rules that tell of stores."""
    options = ["--isolated", "--no-cache", "--output-format", "json", "--exit-zero", package]
    output = subprocess.run(  # noqa: S603  the command is the user's own
        [*shlex.split(command), *options], cwd=checkout, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return [record for record in json.loads(output) if record["code"] in EXPECTED]


def trace(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run the tests under the tracer and return what it saw."""
    checkout: Path = arguments.checkout.resolve()
    paths = [str(TRACER), str(ROOT / "src"), *(str((checkout / path).resolve()) for path in arguments.python_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
    with tempfile.TemporaryDirectory() as name:
        output, wanted = Path(name) / "seen.json", Path(name) / "lines.json"
        wanted.write_text(json.dumps(storing_lines(checkout, arguments.package)), encoding="utf-8")
        command = [arguments.python, "-m", "pytest", "-p", PLUGIN, "--runtime-truth", str(output)]
        command += ["--runtime-truth-root", str(checkout), "--runtime-truth-lines", str(wanted), *arguments.pytest]
        code = subprocess.run(  # noqa: S603  the command is the user's own
            command, cwd=checkout / arguments.directory, env=environment, stdout=sys.stderr, check=False
        ).returncode
        if not output.exists():
            sys.exit(f"pytest ended with exit code {code} before it wrote what it had seen")
        seen: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    package = f"{arguments.package}/"
    return {
        "name": arguments.name or checkout.name,
        "revision": arguments.revision or revision(checkout),
        "package": arguments.package,
        "commands": [shown_command(arguments)],
        "tests": seen["tests"],
        "stores": [store for store in seen["stores"] if store["file"].startswith(package)],
        "executed": seen["executed"],
    }


def storing_lines(checkout: Path, package: str) -> dict[str, list[int]]:
    """Return the lines of a package on which attributes are stored, by file."""
    files = sorted((checkout / package).rglob("*.py"))
    lines = {file.relative_to(checkout).as_posix(): sorted(Source(file).attributes) for file in files}
    return {file: found for file, found in lines.items() if found}


# ---- comparing -------------------------------------------------------------------------------------------------------


class Source:
    """What the text of a file says about its lines.

    Attributes:
        attributes: names of the attributes stored on a line, by line; none where the name is computed.
    """

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_bytes())
        self._classes: list[tuple[int, int, str]] = []
        self.attributes: dict[int, set[str]] = {}
        self._visit(tree, "")

    def _visit(self, node: ast.AST, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = owner
            if isinstance(child, ast.ClassDef):
                inner = f"{owner}.{child.name}" if owner else child.name
                self._classes.append((child.lineno, child.end_lineno or child.lineno, inner))
            elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    self.attributes.setdefault(line, set()).add(child.attr)
            elif isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "setattr":
                self.attributes.setdefault(child.lineno, set())
            self._visit(child, inner)

    def owner(self, line: int) -> str:
        """Return the dotted name of the innermost class around a line."""
        around = [(first, name) for first, last, name in self._classes if first <= line <= last]
        return max(around)[1] if around else ""

    def attribute(self, line: int, name: str) -> str:
        """Return the attribute's name as the line spells it out, empty where the name is computed."""
        private = self.owner(line).rpartition(".")[2].lstrip("_")
        spelled = name.removeprefix(f"_{private}") if name.startswith(f"_{private}__") else name
        return spelled if spelled in self.attributes.get(line, ()) else ""


def merge(traces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one trace for each project."""
    projects: dict[str, dict[str, Any]] = {}
    for seen in traces:
        project = projects.setdefault(seen["name"], seen | {"commands": [], "tests": {}, "stores": [], "executed": {}})
        project["commands"] += seen["commands"]
        project["tests"] = dict(Counter(project["tests"]) + Counter(seen["tests"]))
        project["stores"] += seen["stores"]
        for file, lines in seen["executed"].items():
            project["executed"][file] = sorted({*project["executed"].get(file, ()), *lines})
    return list(projects.values())


def collect(stores: list[dict[str, Any]], checkout: Path) -> list[Seen]:
    """Return what was stored at each place of the package."""
    sources: dict[str, Source] = {}
    places: dict[Place, Seen] = {}
    for store in stores:
        file, line, name = store["file"], store["line"], store["attribute"]
        if file not in sources:
            sources[file] = Source(checkout / file)
        place = Place(file, line, sources[file].owner(line), sources[file].attribute(line, name))
        entry = places.setdefault(place, Seen(place))
        entry.building.update(store["building"])
        entry.later.update(store["later"])
        entry.final.update(store["final"])
        entry.moved |= bool(store["moved"])
    for entry in places.values():
        entry.kind = next((kind for kind in KINDS if entry.final[kind] and entry.building[kind]), "")
    return sorted(places.values(), key=lambda entry: entry.place)


def match(entries: list[Seen], findings: list[dict[str, Any]]) -> None:
    """Give each place the codes of the findings for it."""
    for entry in entries:
        place = entry.place
        for finding in findings:
            if finding["filename"] != place.file:
                continue
            there = finding["location"]["row"] == place.line
            same_class = finding["class"] == place.owner or f"{finding['class']}".endswith(f".{place.owner}")
            same_name = (finding["attribute"] or "") == place.attribute
            if (there and (same_name or not place.attribute)) or (same_class and same_name and place.attribute):
                entry.found.append(finding["code"])


def judge(finding: dict[str, Any], entries: list[Seen], executed: dict[str, list[int]]) -> str | None:
    """Return what is wrong with a finding, empty where it holds, None where its line never ran."""
    file, line, name = finding["filename"], finding["location"]["row"], finding["attribute"] or ""
    mine = [entry for entry in entries if entry.place.file == file and entry.place.line == line]
    mine = [entry for entry in mine if not name or not entry.place.attribute or entry.place.attribute == name]
    if not mine:
        return "no store on an nn.Module" if line in executed.get(file, ()) else None
    kinds = EXPECTED[finding["code"]]
    if not any(entry.building[kind] for entry in mine for kind in kinds):
        if any(entry.later[kind] for entry in mine for kind in kinds):
            return ""  # construction may reach the line, though the tests never made it do so with a tensor
        stored = Counter[str]()
        for entry in mine:
            stored.update(entry.building + entry.later)
        return f"stored {', '.join(sorted(stored))}"
    final = Counter[str]()
    for entry in mine:
        final.update(entry.final)
    if set(final) == {"failed"}:
        return None
    if not any(final[kind] for kind in kinds):
        return f"ends as {', '.join(sorted(final))}"
    return "moved by the class itself" if all(entry.moved for entry in mine) else ""


def compare(seen: dict[str, Any], checkout: Path, command: str) -> Result:
    """Lint one project and compare."""
    findings = lint(command, checkout, seen["package"])
    entries = collect(seen["stores"], checkout)
    match(entries, findings)
    verdicts = [(shown(finding), judge(finding, entries, seen["executed"])) for finding in findings]
    executed = [(place, verdict) for place, verdict in verdicts if verdict is not None]
    given_none = [place for place, verdict in executed if verdict == ONLY_NONE]
    false = [f"{place}: {verdict}" for place, verdict in executed if verdict not in {"", ONLY_NONE}]
    stores = [entry for entry in entries if entry.kind]
    return Result(seen, stores, len(findings), len(executed), given_none, false)


def shown(finding: dict[str, Any]) -> str:
    """Return the place and code of a finding."""
    place = Place(finding["filename"], finding["location"]["row"], finding["class"], finding["attribute"] or "")
    return f"{place} {finding['code']}"


def revision(checkout: Path) -> str:
    """Return the commit that is checked out, empty where there is none."""
    result = subprocess.run(  # noqa: S603
        ["git", "-C", str(checkout), "rev-parse", "HEAD"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout.strip() if (checkout / ".git").exists() else ""


def shown_command(arguments: argparse.Namespace) -> str:
    """Return the command that repeats the run, without what depends on the machine."""
    name = arguments.name or arguments.checkout.resolve().name
    options = [f"--directory {arguments.directory}"] if arguments.directory != "." else []
    options += [f"--python-path {path}" for path in arguments.python_path]
    words = ["python scripts/compare_with_runtime.py trace", f"--output {name}.json", *options, name, arguments.package]
    return f"{' '.join(words)} -- {shlex.join(arguments.pytest)}"


# ---- reporting -------------------------------------------------------------------------------------------------------


def share(stores: list[Seen]) -> str:
    """Return how many stores are found, and which share that is."""
    found = sum(bool(store.found) for store in stores)
    return f"{found} of {len(stores)} ({found / len(stores):.2f})" if stores else "0 of 0"


def row(name: str, revision: str, tests: Counter[str], results: list[Result]) -> list[str]:
    """Return one row of the table."""
    stores = [store for result in results for store in result.stores]
    tensors = [store for store in stores if store.kind == "tensor" and not store.moved]
    return [
        name,
        revision,
        ", ".join(f"{count} {outcome}" for outcome, count in sorted(tests.items(), reverse=True)),
        share(tensors),
        share([store for store in tensors if set(store.building) <= {"tensor", *HARMLESS}]),
        share([store for store in stores if store.kind == "container" and not store.moved]),
        str(sum(store.moved for store in stores)),
        f"{sum(result.executed for result in results)} of {sum(result.findings for result in results)}",
        str(sum(len(result.open) for result in results)),
        str(sum(len(result.false) for result in results)),
    ]


def table(results: list[Result]) -> str:
    """Return the Markdown table of all results."""
    header = ["project", "revision", "tests", "plain tensors found", "of lines that stored nothing else"]
    header += ["containers found", "moved", "findings executed", "open", "false"]
    rows = [header, ["---", "---", *["---:"] * (len(header) - 2)]]
    together = Counter[str]()
    for result in results:
        tests = Counter[str](result.trace["tests"])
        together.update(tests)
        rows.append(row(result.trace["name"], f"`{result.trace['revision'][:9]}`", tests, [result]))
    rows.append(row("together", "", together, results))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def items(title: str, lines: list[str]) -> list[str]:
    """Return a titled Markdown list."""
    return [f"{title}:", "", *(f"- {line}" for line in lines), ""] if lines else [f"{title}: none.", ""]


def page(results: list[Result]) -> str:
    """Return the page with the table and the lines in which linter and tests differ."""
    text = ["# The truth at run time", "", (__doc__ or "").strip().rpartition("\n\n")[2].replace("``", "`"), ""]
    text += [table(results), ""]
    for result in results:
        text += [f"## {result.trace['name']}", "", "```sh", *result.trace["commands"], "```", ""]
        for kind, title in (("tensor", "Missed tensors"), ("container", "Missed containers")):
            missed = [store for store in result.stores if store.kind == kind and not store.moved and not store.found]
            text += items(title, [str(store) for store in missed])
        text += items("Open lines", result.open)
        text += items("False lines", result.false)
    return "\n".join(text).rstrip() + "\n"


def main() -> int:
    """Run the tests of one project or print the page of several."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("trace", help="run the tests of one project; options go first")
    run.add_argument("checkout", type=Path, metavar="CHECKOUT", help="the project's sources")
    run.add_argument("package", metavar="PACKAGE", help="directory of the package below it")
    run.add_argument("pytest", nargs="*", metavar="ARGUMENT", help="arguments for pytest, after --")
    run.add_argument("--output", type=Path, required=True, metavar="FILE", help="where the stores are written")
    run.add_argument("--name", help="the project's name, if not the checkout's")
    run.add_argument("--revision", help="the commit, where the checkout is no git work tree")
    run.add_argument("--directory", default=".", help="where in the checkout pytest runs")
    run.add_argument("--python-path", action="append", default=[], metavar="DIRECTORY", help="put on PYTHONPATH")
    run.add_argument("--python", default=sys.executable, help="interpreter with torch and what the tests need")
    report = commands.add_parser("report", help="lint the packages and print the page")
    report.add_argument("traces", nargs="+", type=Path, metavar="FILE", help="what trace has written")
    report.add_argument("--checkouts", type=Path, default=Path(), metavar="DIRECTORY", help="where the checkouts lie")
    own = shutil.which("regbuf-lint", path=sysconfig.get_path("scripts"))
    report.add_argument("--lint", default=own or "regbuf-lint", help="the linter's command")
    arguments = parser.parse_args()

    if arguments.command == "trace":
        arguments.output.write_text(json.dumps(trace(arguments), indent=1), encoding="utf-8")
        return 0
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.traces]
    results = [compare(seen, arguments.checkouts / seen["name"], arguments.lint) for seen in merge(traces)]
    print(page(results), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
