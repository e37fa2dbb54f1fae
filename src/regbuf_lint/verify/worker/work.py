"""What a process does for one request: build one version, run the probes, note each result at once."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from regbuf_lint.verify.checks.registry import CHECKS
from regbuf_lint.verify.model import CPU, Build, Machine
from regbuf_lint.verify.worker.accelerators import built_for_accelerator
from regbuf_lint.verify.worker.inventory import take_inventory
from regbuf_lint.verify.worker.outside import Outside
from regbuf_lint.verify.worker.subject import NamedInputsError, NoInputsError, Subject, error_facts, prepare
from regbuf_lint.verify.worker.untouched import untouched

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.verify.model import Facts

INVENTORY = "inventory"


def work(request: dict[str, Any]) -> None:
    """Do what a request says; each result becomes a line of its file of facts, so that a crash loses only the last."""
    untouched()
    with Path(request["facts"]).open("a", encoding="utf-8") as out:

        def note(line: dict[str, Any]) -> None:
            out.write(json.dumps(line) + "\n")
            out.flush()

        if request["do"] == "describe":
            note(describe(request["devices"]))
        else:
            _observe(request, note)
        note({"end": True, "memory": _held_at_most()})


def _held_at_most() -> int:
    """Return the most MiB that this process has held; 0 on systems that do not tell."""
    if sys.platform != "linux":
        return 0
    import resource  # noqa: PLC0415  not everywhere

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _observe(request: dict[str, Any], note: Callable[[dict[str, Any]], None]) -> None:
    build = Build.from_json(request["build"])
    prepare(build)
    subject = Subject(build, request["side"], Path(request["exchange"]), request["routes"], request["changed"])
    outside = Outside(Path(request["scratch"]))
    note({"begin": INVENTORY, "device": CPU})
    facts = _probed(partial(take_inventory, subject))
    note({"check": INVENTORY, "device": CPU, "facts": facts, "outside": outside.new()})
    if "error" in facts:
        return
    for name in request["checks"]:
        check = CHECKS[name]
        for device in request["devices"] if check.on_device else (CPU,):
            note({"begin": name, "device": device})
            facts = _probed(partial(check.probe, subject, device))
            note({"check": name, "device": device, "facts": facts, "outside": outside.new()})


def _probed(probe: Callable[[], Facts]) -> Facts:
    """Return what a probe saw, or what it raised; ``sys.exit`` is nothing but an exception here."""
    try:
        return probe()
    except NamedInputsError as error:
        return {"not_run": str(error)}
    except NoInputsError as error:
        return {"no_inputs": str(error)}
    except BaseException as error:  # noqa: BLE001  whatever the code under verification raises
        return error_facts(error)


def describe(asked: list[str]) -> dict[str, Any]:
    """Return torch's release and which of some devices there are, ``auto`` being CUDA or else ``meta``."""
    names = ["cuda" if torch.cuda.is_available() else "meta"] if asked == ["auto"] else asked
    said = {name: _described(name) for name in names}
    devices = {name: text for name, (is_there, text) in said.items() if is_there}
    absent = {name: text for name, (is_there, text) in said.items() if not is_there}
    machine = Machine(str(torch.__version__), platform.python_version(), devices, absent, built_for_accelerator())
    return {"machine": asdict(machine)}


def _described(name: str) -> tuple[bool, str]:
    try:
        return True, _description(name)
    except Exception as error:  # noqa: BLE001  each backend has its own way of saying that it is not there
        return False, " ".join(str(error).split())[:200] or type(error).__name__


def _description(name: str) -> str:
    torch.empty(1, device=name)
    kind = torch.device(name).type
    if kind == "cuda":
        return str(torch.cuda.get_device_name(name))
    if kind == "xpu":
        return str(torch.xpu.get_device_name(name))
    return {"mps": "Apple GPU", "meta": "no device: shapes, dtypes and devices without values"}.get(kind, kind)
