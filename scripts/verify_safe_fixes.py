"""Put the fixes of real packages to the test: is anything that worked broken by them?

For each class that a fix changes and that can be built with small arguments (``small_arguments.py``), original and
fixed version are looked at by the verifier's probes (``regbuf_lint.verify``), each in processes of their own: forward
on each device (``meta`` where none is named), moved there new and after use; a strict load of what the original saved;
what is saved after a forward, loaded into a fresh object, with equal outputs; and the same outputs on the CPU. Keys
that a fix declares may be missing. Prints Markdown tables, and each thing that the original can do and the fixed
version cannot; exits with 1 where there is one.

Run it in an environment in which the packages can be imported. Each DIRECTORY holds packages, and comes to
``sys.path``. Arguments take long to find: with ``--arguments`` they are kept, for a machine with a GPU as well.

    python scripts/verify_safe_fixes.py [--unsafe-fixes] [--device NAMES] [--arguments FILE] DIRECTORY...
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import repeat
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
from regbuf_lint.verify.runner import shared_out, started  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from regbuf_lint.model.finding import Finding
    from regbuf_lint.verify.isolation.client import Worker
    from regbuf_lint.verify.model import Facts

ON_CPU = {"checkpoint-loads": "strict load", "round-trip": "save after forward", "outputs-cpu": "same outputs"}
"""What is compared whatever the devices, by the check whose probe sees it."""


def compared_on(devices: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return what is compared, by the check whose probe sees it, and its device."""
    moved = {("outputs-device", device): f"forward on {device}" for device in devices}
    return moved | {(check, CPU): what for check, what in ON_CPU.items()}


Result = tuple[str, str, str]
"""What was tried, what came of it, and what was said."""


@dataclass
class Target:
    """A class that fixes change."""

    package: str
    place: str
    """``FILE::CLASS``, the file as it lies in the directory above the package."""
    file: str
    name: str
    findings: list[Finding] = field(default_factory=list)
    init: str = ""
    inputs: str = ""
    error: str = ""

    @property
    def adds(self) -> set[str]:
        """Keys that ``state_dict()`` of such an object gains, as the fixes of its class declare."""
        return {key for one in self.findings if one.fix is not None for key in one.fix.adds}


@dataclass
class Package:
    """What fixing a package gives: the classes, and each file beside its fixed text."""

    name: str
    targets: list[Target]
    replaced: tuple[tuple[str, str], ...]

    @property
    def adds(self) -> set[str]:
        """Keys that ``state_dict()`` gains, as the fixes declare: an object may hold parts of other classes."""
        return {key for target in self.targets for key in target.adds}


def fixed_package(directory: Path, texts: Path, mode: FixMode, jobs: int) -> Package:
    """Fix a package in memory, and write the new texts to a directory."""
    settings = Settings(root=directory)
    result = check_files(
        discover([directory], lambda *_: settings).files, FileSettings.one(settings), jobs=jobs, fix=mode
    )
    targets: dict[str, Target] = {}
    replaced: list[tuple[str, str]] = []
    for fixed in (file.fixed for file in result.files if file.fixed is not None and file.fixed.applied):
        path = Path(fixed.path).resolve()
        if path.suffix != ".py":
            continue
        copy = texts / f"{directory.name}_{len(replaced)}.py"
        copy.write_bytes(read_source(path).encode(fixed.after))
        replaced.append((str(path), str(copy)))
        for one in fixed.applied:
            name = one.class_name or ""
            place = f"{path.relative_to(directory.parent).as_posix()}::{name}"
            targets.setdefault(place, Target(directory.name, place, str(path), name)).findings.append(one)
    return Package(directory.name, list(targets.values()), tuple(replaced))


def find_arguments(targets: list[Target], paths: list[str], jobs: int, kept: Path | None) -> None:
    """Give each target the arguments with which it can be built and called: those that are kept, or new ones."""
    known: dict[str, dict[str, str]] = (
        json.loads(kept.read_text(encoding="utf-8")) if kept is not None and kept.exists() else {}
    )
    lacking = [one for one in targets if one.place not in known]
    with ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(_searched, (lacking[number::jobs] for number in range(jobs)), repeat(paths)):
            known |= found
    if kept is not None:
        kept.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    for one in targets:
        one.init, one.inputs, one.error = (known[one.place].get(key, "") for key in ("init", "inputs", "error"))


def _searched(targets: list[Target], paths: list[str]) -> dict[str, dict[str, str]]:
    """Let a process find arguments; of its answers about a class the last counts."""
    with tempfile.TemporaryDirectory() as directory:
        requests, answers = Path(directory, "requests.json"), Path(directory, "answers.jsonl")
        asked = [{"file": one.file, "class": one.name, "paths": paths} for one in targets]
        requests.write_text(json.dumps(asked), encoding="utf-8")
        script = str(Path(__file__).with_name("small_arguments.py"))
        environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": ""}
        subprocess.run([sys.executable, script, str(requests), str(answers)], check=True, env=environment)  # noqa: S603
        rows = answers.read_text(encoding="utf-8").splitlines() if answers.exists() else []
    found: dict[tuple[str, str], dict[str, str]] = {
        (one.pop("file"), one.pop("class")): one for one in map(json.loads, rows)
    }
    return {one.place: found.get((one.file, one.name), {"error": "it takes too long"}) for one in targets}


def outcomes(seen: Observation, adds: set[str], tried: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Say for each thing that was tried what went wrong; empty where it went well, absent where it was not tried."""
    found: dict[tuple[str, str], str] = {}
    for key in tried:
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


def compared(
    target: Target, package: Package, paths: list[str], devices: Sequence[str], worker: Worker
) -> Iterator[Result]:
    """Yield what was tried, whether it is ``kept``, ``cured``, ``broken`` or ``broken before``, and what was said."""
    build = Build(target.file, init=target.init, inputs=target.inputs, paths=tuple(paths))
    what = compared_on(devices)
    checks = sorted({check for check, _ in what})
    with tempfile.TemporaryDirectory() as exchange:
        place = Path(exchange)
        before = observe(worker, build, ORIGINAL, checks=checks, devices=devices, exchange=place)
        after = observe(
            worker, replace(build, replaced=package.replaced), FIXED, checks=checks, devices=devices, exchange=place,
            routes=before.plain,
        )  # fmt: skip
    if before.inventory is None:
        yield "build", "broken before", before.problem or str(before.error)
        return
    if after.inventory is None:
        yield "build", "broken", after.problem or str(after.error)
        return
    first, second = outcomes(before, set(), what), outcomes(after, package.adds, what)
    for key, name in what.items():
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
        yield name, word, said


def values(facts: Facts) -> list[object]:
    """Return what each call gave and did to its inputs, however that lies in memory."""
    calls = facts["outputs"].values()
    return [one if isinstance(one, str) else (one["result"], one["inputs"]) for one in calls]


def main(argv: list[str] | None = None) -> int:
    """Fix, build, compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIRECTORY")
    parser.add_argument("--unsafe-fixes", action="store_true", help="put unsafe fixes to the test, too")
    parser.add_argument("--device", default="meta", metavar="NAMES", help="where to, separated by commas")
    parser.add_argument("--arguments", type=Path, metavar="FILE", help="where arguments are kept (JSON)")
    parser.add_argument("--path", action="append", default=[], type=Path, help="what else comes to sys.path")
    parser.add_argument("--jobs", type=int, default=1, help="processes that run at a time")
    options = parser.parse_args(argv)
    mode = FixMode.UNSAFE if options.unsafe_fixes else FixMode.SAFE
    directories = [one.resolve() for one in options.directories]
    paths = [str(one.resolve()) for one in (*directories, *options.path)]
    with tempfile.TemporaryDirectory() as texts:
        packages = [fixed_package(one, Path(texts), mode, options.jobs) for one in directories]
        find_arguments([one for of in packages for one in of.targets], paths, options.jobs, options.arguments)
        with started(options.device.split(","), Limits(), options.jobs) as (seen, workers):
            if seen.absent:
                parser.error("; ".join(f"{name}: {said}" for name, said in seen.absent.items()))
            devices = list(seen.devices)

            def one(pair: tuple[Package, Target], worker: Worker) -> list[Result]:
                package, target = pair
                return list(compared(target, package, paths, devices, worker)) if target.init else []

            pairs = [(package, target) for package in packages for target in package.targets]
            report = Report(["build", *compared_on(devices).values()])
            for (_, target), results in zip(pairs, shared_out(pairs, workers, one), strict=True):
                report.take(target, results)
    return report.printed()


@dataclass
class Report:
    """What came of it.

    Attributes:
        tried: names of what is compared.
        counts: numbers of each package.
        wrong: what is broken.
        not_built: why classes are not built, and how many.
    """

    tried: list[str]
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[str] = field(default_factory=list)
    not_built: Counter[str] = field(default_factory=Counter)

    def take(self, target: Target, results: list[Result]) -> None:
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
        for what in self.tried:
            print(f"| {what} | {' | '.join(str(total[f'{what}: {word}']) for word in words)} |")
        print("\nnot built:", ", ".join(f"{error} {number}" for error, number in self.not_built.most_common()))
        for row in self.wrong:
            print(f"- {row}")
        return 1 if self.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
