"""Try on a device which plain tensors hurt, each by itself, and compare that with findings.

    regbuf-lint --select RBF --output-format json DIRECTORY > findings.json
    python scripts/tensors_that_hurt.py --findings findings.json [--device cuda] FILE::FACTORY...

A factory takes no arguments and returns a module and its inputs (a tuple, or a dict of arguments with names), as those
of ``regbuf-verify`` do. Each has processes of its own, with a limit of time. There the module is called on the CPU, and
then new ones are called on the device with moved inputs: one moved by ``.to()`` alone, one with all its plain tensors
moved by hand, and one for each attribute with plain tensors, whose tensors alone stay where they are. The attribute
*hurts* where that call raises, or gives other outputs than on the CPU, and the one with all of them moved does not.

Prints Markdown tables: how many factories could be tried, what hurts by the rule that reports it, and each attribute
that hurts without a finding of a rule that is on by default. Needs torch alone.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import warnings
from collections import Counter, defaultdict
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from forked import rows_of_child

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from regbuf_lint.verify.containers import tensors_in  # noqa: E402  from the checkout, installed or not
from regbuf_lint.verify.worker.importing import import_file  # noqa: E402
from regbuf_lint.verify.worker.subject import called, seed_everything  # noqa: E402
from regbuf_lint.verify.worker.values import moved, replaced, tensors  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RULES = ("RBF001", "RBF002", "RBF003", "RBF004", "RBF005", "RBF006")
OPT_IN = {"RBF004", "RBF006", ""}
RELATIVE, ABSOLUTE = 1e-2, 1e-3
"""Tolerances within which outputs are the same on two devices."""

Key = tuple[str, str, str]
"""The name of a file, a class and an attribute."""


def outputs(module: nn.Module, inputs: Any) -> list[torch.Tensor]:
    """Call a module and return the tensors that it gives."""
    with torch.no_grad():
        return tensors(called(module, inputs, seed=0))


def plain_attributes(module: nn.Module) -> dict[str, list[tuple[nn.Module, str]]]:
    """Return where plain tensors lie, by class and attribute."""
    registered = {id(one) for one in (*module.parameters(), *module.buffers())}
    found = defaultdict(list)
    for part in module.modules():
        for name, value in vars(part).items():
            if name in {"_parameters", "_buffers", "_modules"}:
                continue
            if any(id(tensor) not in registered for _, tensor in tensors_in(value)):
                found[f"{type(part).__qualname__}.{name}"].append((part, name))
    return found


class Trial:
    """One factory, and what a device does to what it builds."""

    def __init__(self, factory: Callable[[], tuple[nn.Module, Any]], device: str) -> None:
        """Build a module and call it on the CPU."""
        self.factory, self.device = factory, device
        module, inputs = self._new()
        self.attributes = {name: _places(parts) for name, parts in plain_attributes(module).items()}
        self.expected = outputs(module, inputs)

    def _new(self) -> tuple[nn.Module, Any]:
        seed_everything(0)
        module, inputs = self.factory()
        return module.eval(), inputs

    def _there(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor if isinstance(tensor, nn.Parameter) else tensor.to(self.device)

    def error(self, stays: Callable[[str], bool]) -> str:
        """Move a new module, and by hand each attribute that does not stay; say what goes wrong, or nothing."""
        module, inputs = self._new()
        plain = plain_attributes(module)
        try:
            module.to(self.device)
            for owner, name in (one for key, parts in plain.items() if not stays(key) for one in parts):
                vars(owner)[name] = replaced(vars(owner)[name], self._there)
            given = outputs(module, moved(inputs, self.device))
        except Exception as error:  # noqa: BLE001  whatever the user's code raises
            return f"{type(error).__name__}: {error}".partition("\n")[0][:120]
        return "" if self.device == "meta" or _same(given, self.expected) else "other outputs than on the CPU"


def _places(parts: list[tuple[nn.Module, str]]) -> list[Key]:
    """Return the attribute with each class to which a finding may belong, the object's own first."""
    kinds = (kind for kind in type(parts[0][0]).__mro__ if not kind.__module__.startswith(("torch.", "builtins")))
    return [(Path(_file(kind)).name, kind.__qualname__, parts[0][1]) for kind in kinds]


def _file(kind: type) -> str:
    with suppress(OSError, TypeError):
        return inspect.getfile(kind)
    return ""


def _same(given: list[torch.Tensor], expected: list[torch.Tensor]) -> bool:
    pairs = [(one.cpu(), other) for one, other in zip(given, expected, strict=False)]
    return len(given) == len(expected) and all(
        one.shape == other.shape and torch.allclose(one, other.to(one.dtype), RELATIVE, ABSOLUTE, equal_nan=True)
        for one, other in pairs
    )


def tried(place: str, device: str) -> Iterator[dict[str, Any]]:
    """Yield what was found out about a factory, more each time."""
    file, _, name = place.partition("::")
    trial = Trial(getattr(import_file(file), name), device)
    row: dict[str, Any] = {"factory": place, "plain": trial.attributes}
    yield row
    row["by itself"] = trial.error(lambda _: True)
    row["all moved"] = trial.error(lambda _: False)
    yield row
    if not row["all moved"]:
        row["alone"] = {}
        for attribute in trial.attributes:
            row["alone"][attribute] = trial.error(attribute.__eq__)
            yield row


def in_child(place: str, device: str, seconds: int) -> dict[str, Any]:
    """Try a factory in a process that cannot harm this one; the last thing that it finds out counts."""
    rows = rows_of_child(partial(tried, place, device), seconds)
    return next((row for row in reversed(rows) if "factory" in row), {"factory": place})


def findings_of(path: Path) -> dict[Key, str]:
    """Return the rule that reports an attribute, of the linter's JSON."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return {
        (Path(one["filename"]).name, one["class"], one["attribute"]): one["code"]
        for one in found
        if one["code"] in RULES
    }


def printed(rows: list[dict[str, Any]], codes: dict[Key, str]) -> None:
    """Print the tables."""
    holding = [row for row in rows if row.get("plain")]
    called_there = [row for row in holding if "all moved" in row]
    numbers = {
        "factories": len(rows),
        "built and called on the CPU": sum("plain" in row for row in rows),
        "with plain tensors": len(holding),
        "called on the device": len(called_there),
        "of which do not work there by themselves": sum(bool(row["by itself"]) for row in called_there),
        "of which do with all plain tensors moved": sum(
            bool(row["by itself"]) and not row["all moved"] for row in called_there
        ),
    }
    print("| what | number |\n|---|---|")
    print(*(f"| {what} | {number} |" for what, number in numbers.items()), sep="\n", end="\n\n")
    hurting: dict[Key, str] = {}
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    for places, said in _outcomes(rows).items():
        code = next((codes[key] for key in places if key in codes), "")
        tally[code]["hurts" if said else "does not"] += 1
        if said and code in OPT_IN:
            hurting[places[0]] = f"{code or 'no finding'}: {said}"
    print("| rule | hurts by itself | does not |\n|---|---|---|")
    for code, numbers_of in sorted(tally.items()):
        print(f"| {code or 'none'} | {numbers_of['hurts']} | {numbers_of['does not']} |")
    print()
    for (file, kind, name), said in sorted(hurting.items()):
        print(f"- {file}::{kind}.{name}: {said}")


def _outcomes(rows: list[dict[str, Any]]) -> dict[tuple[Key, ...], str]:
    """Return for each attribute what went wrong; where several factories show it, that it does for one."""
    found: dict[tuple[Key, ...], str] = {}
    for row in rows:
        for attribute, said in row.get("alone", {}).items():
            places = tuple(map(tuple, row["plain"][attribute]))
            found[places] = found.get(places) or said
    return found


def main(argv: list[str] | None = None) -> int:
    """Try all factories, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("factories", nargs="+", metavar="FILE::FACTORY")
    parser.add_argument("--findings", type=Path, required=True, metavar="FILE", help="the linter's JSON")
    parser.add_argument("--device", default="meta", help="where modules are moved")
    parser.add_argument("--timeout", type=int, default=60, metavar="SECONDS", help="how long a factory may take")
    parser.add_argument("--jobs", type=int, default=1, help="factories at a time")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    codes = findings_of(options.findings)
    asked = [(place, options.device, options.timeout) for place in options.factories]
    with get_context("fork").Pool(options.jobs) as pool:
        rows = pool.starmap(in_child, asked, chunksize=1)
    printed(rows, codes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
