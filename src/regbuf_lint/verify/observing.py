"""Having one version of a module looked at, in a process of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import error_text
from regbuf_lint.verify.model import CPU, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from regbuf_lint.verify.isolation.client import Work, Worker
    from regbuf_lint.verify.model import Build, Facts

INVENTORY = "inventory"
CALLED = "outputs-cpu"
"""The check whose probe calls the module on the CPU."""

_NO_BUFFER_CLASS = re.compile(
    r"module 'torch\.nn[\w.]*' has no attribute 'Buffer'|cannot import name 'Buffer' from 'torch\.nn"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LONGEST = 160
_EFFECTS = "effects"
_OUTSIDE = ("standard output", "standard error", _EFFECTS)


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of one version.

    Attributes:
        inventory: what it holds; None where it could not be built.
        facts: what the probes saw, by check and device.
        error: what building or calling it raised; empty where it did not.
        problem: what the process did wrong: a crash, a hang, too much memory, output; empty where nothing.
        stdout: what it wrote to standard output, shortened.
        outside: what each step wrote and did beyond its process, by check (see ``worker.outside``).
        memory: the most MiB that it held; 0 where that is not known.
    """

    inventory: Facts | None
    facts: dict[tuple[str, str], Facts] = field(default_factory=dict)
    error: Facts = field(default_factory=dict)
    problem: str = ""
    stdout: str = ""
    outside: dict[str, Facts] = field(default_factory=dict)
    memory: int = 0

    @property
    def plain(self) -> dict[str, str]:
        """The ways to the tensors that no ``nn.Module`` knows, each with the way to its attribute."""
        found = self.inventory["stragglers"] if self.inventory else {}
        return {path: found[path]["place"] for path in sorted(found)}

    def lacks(self, torch: str, own: Iterable[str]) -> Verdict | None:
        """Return a verdict where the version needs something that is not installed.

        Args:
            torch: the release of torch.
            own: names of modules that belong to the code under verification.
        """
        if not self.error or self.problem:
            return None
        if _NO_BUFFER_CLASS.search(self.error["error"]["message"]):
            return not_run(f"needs nn.Buffer, which came with torch 2.5, and this is {torch}", blocks=True)
        module = self.error["error"]["module"].partition(".")[0]
        is_missing = self.error["error"]["type"] == "ModuleNotFoundError"
        if is_missing and module and module not in own:
            return not_run(f"{module} is not installed", blocks=True)
        return None

    def does_more(self, original: Observation) -> str:
        """Return what it writes or does that the original does not, whatever the numbers in it; empty where nothing."""
        kinds = _OUTSIDE if not original.error and original.inventory else _OUTSIDE[:1]
        for kind in kinds:
            known = {row for step in original.outside.values() for row in step.get(kind, {})}
            for step in (INVENTORY, CALLED):
                theirs = original.outside.get(step, {}).get(kind, {})
                for row, (times, said) in self.outside.get(step, {}).get(kind, {}).items():
                    if row not in known:
                        return _does(kind, said)
                    if row in theirs and times > theirs[row][0]:
                        return f"{_does(kind, said)} so often"
        known = {_without_numbers(row) for row in original.stdout.splitlines()}
        more = next((row for row in self.stdout.splitlines() if _without_numbers(row) not in known), "")
        if more:
            return _does(_OUTSIDE[0], more)
        return "random numbers are drawn otherwise while it is imported and built" if self._draws(original) else ""

    def _draws(self, original: Observation) -> bool:
        """Whether it leaves the generators of random numbers in another state."""
        if self.inventory is None or original.inventory is None or original.error:
            return False
        return bool(self.inventory["random"] != original.inventory["random"])

    def verdict(self) -> Verdict | None:
        """Return what speaks against the version as a whole, None where it was built and called."""
        if self.problem:
            return failed(self.problem)
        return failed(error_text(self.error)) if self.error else None


def observe(  # noqa: PLR0913  what a version is looked at for has no smaller part
    worker: Worker,
    build: Build,
    side: str,
    *,
    checks: Sequence[str],
    devices: Sequence[str],
    exchange: Path,
    routes: dict[str, str] | None = None,
    changed: Facts | None = None,
) -> Observation:
    """Build a version in a process of its own and have it looked at.

    Args:
        worker: what starts the process.
        build: how the version is built.
        side: whether it is the original or the fixed one.
        checks: the checks whose probes run.
        devices: the devices beside the CPU.
        exchange: a directory that both versions share.
        routes: what ``plain`` gave for the original.
        changed: what the fix changes in the code (see ``worker.subject.Subject``).
    """
    request = {
        "do": "observe",
        "build": build.as_json(),
        "side": side,
        "checks": list(checks),
        "devices": list(devices),
        "exchange": str(exchange),
        "routes": routes,
        "changed": changed or {},
    }
    done = worker.run(request)
    seen = {(line["check"], line["device"]): line["facts"] for line in done.lines if "check" in line}
    inventory = seen.pop((INVENTORY, CPU), None)
    error = inventory if inventory is not None and "error" in inventory else seen.get((CALLED, CPU), {})
    return Observation(
        inventory if inventory is not None and "error" not in inventory else None,
        seen,
        error if "error" in error else {},
        _problem(done),
        done.stdout,
        {line["check"]: line.get("outside", {}) for line in done.lines if "check" in line},
        max((line["memory"] for line in done.lines if "memory" in line), default=0),
    )


def _problem(done: Work) -> str:
    if not any(line.get("end") for line in done.lines):
        begun = [(line["begin"], line["device"]) for line in done.lines if "begin" in line]
        where = f", in {begun[-1][0]} on {begun[-1][1]}" if begun else ""
        where = ", while it was built and called" if begun and begun[-1][0] == INVENTORY else where
        last = _last_row(done.stderr)
        return f"{done.ending.describe()}{where}{f': {last}' if last else ''}"[: 2 * _LONGEST]
    if done.ending.how != "exited" or done.ending.code:
        return done.ending.describe()
    return ""


def _does(kind: str, said: str) -> str:
    return f"it {said[:100]}, and the original did not" if kind == _EFFECTS else _wrote(kind, said)


def _wrote(kind: str, said: str) -> str:
    return f"it wrote to {kind}, and the original did not: {said[:100]!r}"


def _without_numbers(row: str) -> str:
    return _NUMBER.sub("", row).strip()


def _last_row(text: str) -> str:
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    return rows[-1] if rows else ""


def described(worker: Worker, devices: Sequence[str]) -> dict[str, Any]:
    """Return torch's release and the devices that there are (see ``worker.work.describe``).

    Raises:
        WorkerError: torch cannot be imported.
    """
    from regbuf_lint.verify.isolation.client import WorkerError  # noqa: PLC0415

    done = worker.run({"do": "describe", "devices": list(devices)})
    for line in done.lines:
        if "machine" in line:
            return dict(line["machine"])
    raise WorkerError(_last_row(done.stderr) or done.ending.describe())
