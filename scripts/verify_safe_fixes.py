"""Put the fixes of real packages to the test: is anything that worked broken by them?

For each class that a fix changes and that can be built with small arguments (``small_arguments.py``), original and
fixed version are looked at by the verifier's probes (``regbuf_lint.verify``), each in processes of their own: forward
on ``meta`` after ``.to("meta")``, moved new and after use; a strict load of what the original saved; what is saved
after a forward, loaded into a fresh object, with equal outputs; and the same outputs on the CPU. Keys that a fix
declares may be missing. Prints Markdown tables, and each thing that the original can do and the fixed version cannot;
exits with 1 where there is one.

Run it in an environment in which the packages can be imported. Each DIRECTORY holds packages, and comes to
``sys.path``.

    python scripts/verify_safe_fixes.py [--unsafe-fixes] [--path DIRECTORY]... DIRECTORY...
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from regbuf_lint.engine.fixing import FixMode  # noqa: E402  from the checkout, installed or not
from regbuf_lint.engine.many_files import check_files  # noqa: E402
from regbuf_lint.model.file_settings import FileSettings  # noqa: E402
from regbuf_lint.model.settings import Settings  # noqa: E402
from regbuf_lint.source.discovery import discover  # noqa: E402
from regbuf_lint.source.text import read_source  # noqa: E402
from regbuf_lint.verify.isolation.supervision import Limits  # noqa: E402
from regbuf_lint.verify.model import CPU, FIXED, ORIGINAL, Build  # noqa: E402
from regbuf_lint.verify.observing import Observation, observe  # noqa: E402
from regbuf_lint.verify.runner import started  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.verify.isolation.client import Worker
    from regbuf_lint.verify.model import Facts

META = "meta"
WHAT = {
    ("outputs-device", META): "forward on meta",
    ("checkpoint-loads", CPU): "strict load",
    ("round-trip", CPU): "save after forward",
    ("outputs-cpu", CPU): "same outputs",
}
"""What is compared, by the check whose probe sees it, and its device."""


@dataclass
class Target:
    """A class that fixes change."""

    package: str
    file: str
    name: str
    findings: list[Finding] = field(default_factory=list)
    init: str = ""
    inputs: str = ""
    error: str = ""

    @property
    def adds(self) -> set[str]:
        """Keys that ``state_dict()`` gains, as the fixes declare."""
        return {key for one in self.findings if one.fix is not None for key in one.fix.adds}


@dataclass
class Package:
    """What fixing a package gives: the classes, and each file beside its fixed text."""

    name: str
    targets: list[Target]
    replaced: tuple[tuple[str, str], ...]


def fixed_package(directory: Path, place: Path, mode: FixMode, jobs: int) -> Package:
    """Fix a package in memory and write the new texts to ``place``."""
    settings = Settings(root=directory)
    result = check_files(
        discover([directory], lambda *_: settings).files, FileSettings.one(settings), jobs=jobs, fix=mode
    )
    targets: dict[tuple[str, str], Target] = {}
    replaced: list[tuple[str, str]] = []
    for fixed in (file.fixed for file in result.files if file.fixed is not None and file.fixed.applied):
        path = Path(fixed.path).resolve()
        if path.suffix != ".py":
            continue
        copy = place / f"{directory.name}_{len(replaced)}.py"
        copy.write_bytes(read_source(path).encode(fixed.after))
        replaced.append((str(path), str(copy)))
        for one in fixed.applied:
            key = str(path), one.class_name or ""
            targets.setdefault(key, Target(directory.name, *key)).findings.append(one)
    return Package(directory.name, list(targets.values()), tuple(replaced))


def find_arguments(targets: list[Target], paths: list[str], place: Path) -> None:
    """Give each target the arguments with which it can be built and called."""
    requests, answers = place / "requests.json", place / "answers.jsonl"
    requests.write_text(
        json.dumps([{"file": one.file, "class": one.name, "paths": paths} for one in targets]), encoding="utf-8"
    )
    script = str(Path(__file__).with_name("small_arguments.py"))
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": ""}
    subprocess.run([sys.executable, script, str(requests), str(answers)], check=True, env=environment)  # noqa: S603
    lines = answers.read_text(encoding="utf-8").splitlines() if answers.exists() else []
    found: dict[tuple[str, str], dict[str, Any]] = {(one["file"], one["class"]): one for one in map(json.loads, lines)}
    for one in targets:
        answer = found.get((one.file, one.name), {"error": "it takes too long"})
        one.init, one.inputs, one.error = (answer.get(key, "") for key in ("init", "inputs", "error"))


def outcomes(seen: Observation, adds: set[str]) -> dict[tuple[str, str], str]:
    """Say for each thing that was tried what went wrong; empty where it went well, absent where it was not tried."""
    found: dict[tuple[str, str], str] = {}
    for key in WHAT:
        facts = seen.facts.get(key)
        if facts is None or "no_inputs" in facts or "not_run" in facts:
            continue
        found[key] = _said(facts, adds)
    return found


def _said(facts: dict[str, Any], adds: set[str]) -> str:
    if "error" in facts:
        return f"{facts['error']['type']}: {facts['error']['message']}"[:160]
    if "missing" in facts:
        undeclared = [
            key for key in facts["missing"] if key.rpartition(".")[2] not in {one.rpartition(".")[2] for one in adds}
        ]
        wrong = [*(f"missing {key}" for key in undeclared), *(f"unexpected {key}" for key in facts["unexpected"])]
        return ", ".join(wrong)
    if "same" in facts:
        return "" if facts["same"] else f"other outputs; differing: {', '.join(facts['differing'])}"
    if "new" in facts:
        return "; ".join(_moved(what, facts[what]) for what in ("new", "used") if _moved(what, facts[what]))
    return ""


def _moved(what: str, facts: dict[str, Any]) -> str:
    said = f"{facts['error']['type']}: {facts['error']['message']}"[:160] if "error" in facts else facts["differs"]
    return f"moved when {what}: {said}" if said else ""


def compared(target: Target, package: Package, paths: list[str], worker: Worker) -> Iterator[tuple[str, str, str]]:
    """Yield what was tried, whether it is ``kept``, ``cured``, ``broken`` or ``broken before``, and what was said."""
    build = Build(target.file, init=target.init, inputs=target.inputs, paths=tuple(paths))
    checks = sorted({check for check, _ in WHAT})
    with tempfile.TemporaryDirectory() as exchange:
        place = Path(exchange)
        before = observe(worker, build, ORIGINAL, checks=checks, devices=[META], exchange=place)
        after = observe(
            worker, replace(build, replaced=package.replaced), FIXED, checks=checks, devices=[META], exchange=place,
            routes=before.plain,
        )  # fmt: skip
    if before.inventory is None:
        yield "build", "broken before", before.problem or str(before.error)
        return
    if after.inventory is None:
        yield "build", "broken", after.problem or str(after.error)
        return
    first, second = outcomes(before, set()), outcomes(after, target.adds)
    for key, what in WHAT.items():
        if key not in first or key not in second:
            continue
        said = second[key]
        if key[0] == "outputs-cpu" and not said and not first[key]:
            said = (
                ""
                if values(before.facts[key]) == values(after.facts[key])
                else "other outputs than those of the original"
            )
        word = ("broken before" if first[key] else "broken") if said else ("cured" if first[key] else "kept")
        yield what, word, said


def values(facts: Facts) -> list[object]:
    """Return what each call gave and did to its inputs, however that lies in memory."""
    calls = facts["outputs"].values()
    return [one if isinstance(one, str) else (one["result"], one["inputs"]) for one in calls]


def main(argv: list[str] | None = None) -> int:
    """Fix, build, compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIRECTORY")
    parser.add_argument("--unsafe-fixes", action="store_true", help="put unsafe fixes to the test, too")
    parser.add_argument("--path", action="append", default=[], type=Path, help="what else comes to sys.path")
    parser.add_argument("--jobs", type=int, default=1, help="processes that lint")
    options = parser.parse_args(argv)
    mode = FixMode.UNSAFE if options.unsafe_fixes else FixMode.SAFE
    directories = [one.resolve() for one in options.directories]
    paths = [str(one.resolve()) for one in (*directories, *options.path)]
    with tempfile.TemporaryDirectory() as place:
        packages = [fixed_package(one, Path(place), mode, options.jobs) for one in directories]
        find_arguments([one for package in packages for one in package.targets], paths, Path(place))
        with started([META], Limits(), 1) as (_, workers):
            report = Report()
            for package in packages:
                for target in package.targets:
                    results = list(compared(target, package, paths, workers[0])) if target.init else []
                    report.take(target, results)
    return report.printed()


@dataclass
class Report:
    """What came of it."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[str] = field(default_factory=list)
    not_built: Counter[str] = field(default_factory=Counter)

    def take(self, target: Target, results: list[tuple[str, str, str]]) -> None:
        """Count what was seen of a class."""
        counts = self.counts[target.package]
        counts["classes"] += 1
        counts["fixes"] += len(target.findings)
        counts["built"] += bool(target.init)
        counts["fixes built"] += len(target.findings) if target.init else 0
        counts["called"] += bool(target.inputs)
        if not target.init:
            lacking = target.error.startswith("ModuleNotFoundError")
            self.not_built[target.error if lacking else target.error.partition(":")[0]] += 1
        for what, word, said in results:
            counts[f"{what}: {word}"] += 1
            if word == "broken":
                attributes = ", ".join(str(one.attribute) for one in target.findings)
                self.wrong.append(f"{target.file}::{target.init} ({attributes}): {what}: {said}")

    def printed(self) -> int:
        """Print the tables; return 1 where something is broken."""
        total: Counter[str] = Counter()
        heads = ["classes", "fixes", "built", "fixes built", "called"]
        print(f"| package | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
        for name, counts in self.counts.items():
            total += counts
            print(f"| {name} | {' | '.join(str(counts[head]) for head in heads)} |")
        print(f"| all | {' | '.join(str(total[head]) for head in heads)} |\n")
        words = ["kept", "cured", "broken before", "broken"]
        print(f"| what | {' | '.join(words)} |\n|{'---|' * (len(words) + 1)}")
        for what in ("build", *WHAT.values()):
            print(f"| {what} | {' | '.join(str(total[f'{what}: {word}']) for word in words)} |")
        print("\nnot built:", ", ".join(f"{error} {number}" for error, number in self.not_built.most_common()))
        for row in self.wrong:
            print(f"- {row}")
        return 1 if self.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
