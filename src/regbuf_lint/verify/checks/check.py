"""What a check is."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from regbuf_lint.verify.code_changes import CodeChanges
from regbuf_lint.verify.model import CPU, ORIGINAL, PASSED, Claims, Outcome, Verdict, failed, not_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

META = "meta"
MPS = "mps"
_NO_DOUBLE = "float64"
_ABOUT_DEVICES = re.compile(
    r"not on the expected device|same device|different devices?\b|device type|two devices|on cpu\b|CPU int64 tensor"
)
_MOST_NAMES = 4
_LONGEST = 220


@dataclass(frozen=True, slots=True)
class Changes:
    """What a fix changed, by the names of Parameters and buffers.

    Attributes:
        buffers: buffers that the original does not have.
        parameters: Parameters that the original does not have.
        gone: Parameters of the original that are none any longer.
    """

    buffers: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()

    @property
    def state(self) -> frozenset[str]:
        """What is registered now and was not."""
        return self.buffers | self.parameters

    @property
    def removed(self) -> frozenset[str]:
        """What was registered and is not: a Parameter that has become a buffer keeps its key."""
        return self.gone - self.buffers


@dataclass(frozen=True, slots=True)
class Seen:
    """What a check judges.

    Attributes:
        inventory: what the version under judgement holds.
        facts: what the check's probe saw of it.
        device: where.
        inventory_before: what the original holds; None where there is none to compare with.
        facts_before: what the probe saw of the original.
        changes: what the fix changed.
        claims: what is said of the fix.
        alone: whether the version is judged by itself: everything that it holds counts, not only what was changed.
        code: what the fix changed in the code.
    """

    inventory: Facts
    facts: Facts
    device: str = CPU
    inventory_before: Facts | None = None
    facts_before: Facts | None = None
    changes: Changes = field(default_factory=Changes)
    claims: Claims = field(default_factory=Claims)
    alone: bool = False
    code: CodeChanges = field(default_factory=CodeChanges)

    def blamed(self, wrong: Iterable[str], wrong_before: Iterable[str]) -> list[str]:
        """Return the names that are wrong and either were right before or are what the fix registered."""
        return sorted(set(wrong) - (set(wrong_before) - self.changes.state))

    def registered(self) -> set[str]:
        """Return the names of Parameters and buffers."""
        return {*self.inventory["parameters"], *self.inventory["buffers"]}

    def counted(self) -> set[str]:
        """Return the names whose tensors have to follow the module."""
        return self.registered() | self.changes.state | (set(self.inventory["stragglers"]) if self.alone else set())

    def stays(self, path: str) -> bool:
        """Whether a tensor that was plain before stays plain on purpose."""
        if self.inventory_before is not None and path not in self.inventory_before["stragglers"]:
            return False
        attribute = self.inventory["stragglers"][path]["attribute"]
        return attribute in self.claims.stays or bool(self.claims.fixed and attribute not in self.claims.fixed)

    def before(self, key: str) -> list[str]:
        """Return a list among the facts of the original; empty where there is none."""
        found = (self.facts_before or {}).get(key, [])
        return list(found)


class Check(ABC):
    """One check; both halves stand in one class, but only ``probe`` may import torch."""

    name: ClassVar[str]
    asserts: ClassVar[str]
    """What holds for a right fix, in a sentence."""
    on_device: ClassVar[bool] = False
    """Whether it runs on each device other than the CPU instead of on the CPU."""
    shows_bug: ClassVar[bool] = True
    """Whether an original that fails it has shown its bug."""
    needs_original: ClassVar[bool] = False
    """Whether there is nothing to judge without a version before the fix."""
    on_demand: ClassVar[bool] = False
    """Whether the original is looked at only where the fixed version fails, since it is slow."""

    @abstractmethod
    def probe(self, subject: Subject, device: str) -> Facts:
        """Look at a version, in the worker; what it raises is recorded as an error."""

    @abstractmethod
    def judge(self, seen: Seen) -> Verdict:
        """Judge what was seen where nothing was raised."""

    def wrong(self, seen: Seen) -> Iterable[str]:  # noqa: ARG002
        """Return the names of what is wrong with a version by itself; empty where it has no names."""
        return ()

    def faults(self, seen: Seen) -> frozenset[str]:
        """Return what is wrong with a version by itself, which is the same question for original and fixed version."""
        if self.verdict(seen).outcome is not Outcome.FAILED:
            return frozenset()
        return frozenset(() if "error" in seen.facts else self.wrong(seen)) or frozenset({""})

    def verdict(self, seen: Seen) -> Verdict:
        """Judge what was seen."""
        if self.needs_original and seen.inventory_before is None:
            only_one = "there is one version, and none to compare it with"
            return not_run(only_one if seen.alone else "there is no original that can be built to compare with")
        if self.needs_original and not self.on_demand and seen.facts_before is None:
            return not_run("the process of the original ended before")
        if "no_inputs" in seen.facts:
            return not_run(seen.facts["no_inputs"], blocks=True)
        if "not_run" in seen.facts:
            return not_run(seen.facts["not_run"])
        if "error" in seen.facts:
            return self.judge_error(seen)
        return self.judge(seen)

    def judge_error(self, seen: Seen) -> Verdict:
        """Judge a version for which the probe raised."""
        said = error_text(seen.facts)
        if seen.device == META and not about_devices(seen.facts):
            return not_run(f"meta tensors have no values: {said}")
        if seen.device.startswith(MPS) and _NO_DOUBLE in said:
            return not_run(f"this device has no such dtype: {said}")
        if "error" in (seen.facts_before or {}):
            return not_run(f"the original cannot either: {error_text(seen.facts_before or {})}")
        return failed(said)


def looked_at(subject: Subject, name: str, look: Callable[[], Facts]) -> Facts:
    """Return what a probe sees, by a name, and in the original once more, as ``again``.

    What is not the same each time tells nothing.
    """
    facts: Facts = {name: look()}
    return facts | {"again": look()} if subject.side == ORIGINAL else facts


def error_text(facts: Facts) -> str:
    """Return type and message of a recorded exception, after what was being done, and before where."""
    error = facts["error"]
    stage = f"{error['stage']} raises " if error.get("stage") else ""
    place = f" ({error['place']})" if error.get("place") else ""
    return f"{stage}{error['type']}: {error['message'][:_LONGEST]}{place}"


def about_devices(facts: Facts) -> bool:
    """Whether an exception says that tensors are on several devices."""
    return bool(_ABOUT_DEVICES.search(facts["error"]["message"]))


def none_of(names: Iterable[str], said: str) -> Verdict:
    """Pass where there are no names, and fail with them otherwise."""
    found = sorted(names)
    if not found:
        return PASSED
    more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return failed(f"{said}: {', '.join(found[:_MOST_NAMES])}{more}")
