"""What was a plain tensor is registered, with the same value, and read as before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.check import Check, Seen, none_of
from regbuf_lint.verify.model import PASSED, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import nn

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

REGISTERING = frozenset({"RBF001", "RBF002", "RBF004", "RBF005", "RBF102", "RBF106", "RBF201"})
"""Rules whose fixes register something."""

_STEP = re.compile(r"\.?([^.\[\]<>]+)|\[(-?\d+)\]|\['([^']*)'\]")


class StateKept(Check):
    """Each plain tensor of the original is found by the same way, and is a Parameter or buffer."""

    name = "state-kept"
    asserts = "what was a plain tensor is registered now, equal bit for bit, and read and assigned the same way"
    shows_bug = False
    needs_original = True

    def probe(self, subject: Subject, device: str) -> Facts:  # noqa: ARG002
        """Follow the ways on which the original has its plain tensors."""
        from regbuf_lint.verify.worker.values import digest  # noqa: PLC0415  imports torch

        module = subject.module
        registered = {id(tensor) for tensor in subject.tensors(module).values()}
        seen: Facts = {"routes": {}, "refused": refusing(subject, subject.routes)}
        for route in subject.routes:
            value = _follow(module, route)
            same = value is not None and hasattr(value, "dtype")
            seen["routes"][route] = {
                "digest": digest(value) if same else "",
                "dtype": str(value.dtype) if same else "",
                "shape": list(value.shape) if same else [],
                "registered": id(value) in registered,
            }
        return seen

    def judge(self, seen: Seen) -> Verdict:
        """Compare them; where some stay plain on purpose, those do not count."""
        before = seen.inventory_before or seen.inventory
        plain = {path: one for path, one in before["stragglers"].items() if one["kind"] in {"tensor", "container"}}
        stay = plain.keys() & seen.inventory["stragglers"].keys()
        routes = seen.facts["routes"]
        fixed = {path: one for path, one in plain.items() if path not in stay and path in routes}
        wrong = [
            f"{path} ({_unlike(routes[path], one, seen.inventory)})"
            for path, one in fixed.items()
            if routes[path]["digest"] != one["digest"]
        ]
        wrong += [name for name in seen.changes.gone if not _is_kept(name, before, seen.inventory)]
        lost = [path for path in fixed if not routes[path]["registered"]]
        if wrong:
            return none_of(wrong, "not the same value as before")
        if lost:
            return none_of(lost, "neither Parameter nor buffer")
        refused = seen.facts["refused"]
        closed = [
            f"{path} ({refused[path]})"
            for path in fixed.keys() & refused.keys() & seen.inventory["buffers"].keys()
            if not before["stragglers"][path]["refused"]
        ]
        if closed:
            return none_of(closed, "cannot be assigned any longer")
        if not fixed and not seen.changes.state:
            said = "nothing was registered"
            return failed(said) if seen.claims.codes & REGISTERING else not_run(f"{said}, and nothing had to be")
        return PASSED


def _unlike(now: Facts, before: Facts, inventory: Facts) -> str:
    """Say how a tensor differs from what it was."""
    if not now["digest"]:
        held = {**inventory["parameters"], **inventory["buffers"]}
        renamed = [name for name, one in held.items() if one.get("digest") == before["digest"]]
        return f"is now {renamed[0]}" if renamed else "missing"
    for what in ("dtype", "shape"):
        if now[what] != before[what]:
            return f"{what} {before[what]} is now {now[what]}"
    return "another value"


def _is_kept(name: str, before: Facts, after: Facts) -> bool:
    """Whether a Parameter that is none any longer has become a buffer of the same value."""
    buffer = after["buffers"].get(name, {})
    return bool(buffer.get("digest") == before["parameters"][name]["digest"])


def refusing(subject: Subject, routes: Iterable[str]) -> dict[str, str]:
    """Return which attributes cannot be assigned a copy of the tensor that they hold, with what that raises."""
    import torch  # noqa: PLC0415

    module = subject.fresh()
    found = {}
    for route in routes:
        path, _, name = route.rpartition(".")
        value = _follow(module, route)
        if not isinstance(value, torch.Tensor) or not name.isidentifier():
            continue
        try:
            setattr(_follow(module, path), name, value.detach().clone())
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the code under verification raises
            found[route] = type(error).__name__
    return found


def _follow(module: nn.Module, route: str) -> Any:
    """Return what lies at the end of a way, None where it leads nowhere."""
    value: Any = module
    try:
        for name, number, key in _STEP.findall(route):
            value = value[int(number)] if number else value[key] if key else getattr(value, name)
    except (AttributeError, IndexError, KeyError, TypeError):
        return None
    return value
