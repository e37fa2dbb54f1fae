"""Running what a fix may have changed, and which functions that reaches."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regbuf_lint.verify.checks.method_uses import Reason, uses_of
from regbuf_lint.verify.checks.results import told
from regbuf_lint.verify.checks.run_by_torch import ran_by_torch
from regbuf_lint.verify.checks.watching import Places, profiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from regbuf_lint.verify.checks.method_uses import Use
    from regbuf_lint.verify.model import Facts
    from regbuf_lint.verify.worker.subject import Subject

_LONGEST_WORK, _LONGEST_WAIT, LONGEST_OF_ALL = 3, 10, 30
"""Seconds of the processor and of the clock that one use may take; of the clock, all of what the fix has not changed.

The clock alone would blame a fix for a machine that has much to do.
"""
LONGEST_OF_OTHERS = 10
"""Seconds of the clock for calls on all other inputs, and for constructing with all other arguments."""


@dataclass(frozen=True)
class _Way:
    """A way to call a method.

    Attributes:
        said: what is said of it.
        is_eval: whether the module is in `eval()`.
        is_called: whether the module was called before.
        times: how often the method is.
    """

    said: str = ""
    is_eval: bool = False
    is_called: bool = False
    times: int = 1


_WAYS = (
    _Way(),
    _Way(" in eval()", is_eval=True),
    _Way(" twice", times=2),
    _Way(" after a call", is_called=True),
)
"""How a changed method is called; others, in the first way."""


class TookLongError(BaseException):
    """A method that was called takes too long, as one that serves or trains does."""


def runs(subject: Subject) -> tuple[Facts, set[str]]:
    """Return what the methods give that are changed or speak of plain tensors, and which functions ran.

    Each is used on a module of its own, in all ways in which it can be.
    """
    uses: Facts = {}
    ran = _traced(subject, lambda: subject.call(subject.fresh()))[1]
    ran |= ran_by_torch(subject)
    shown = _used(subject, "", lambda owner, _: repr(owner), tuple, _Way())[0]
    uses["repr()"] = {name: one for name, one in shown.items() if name != "held"}
    end = time.monotonic() + LONGEST_OF_ALL
    for one in uses_of(subject):
        is_changed = one.reason is Reason.CHANGED
        for way in _WAYS if is_changed else _WAYS[:1]:
            if is_changed or time.monotonic() < end:
                facts, seen = _used(subject, one.way, one.use, one.arguments, way)
                uses[f"{one.path}{way.said}"] = _of_walk(facts) if one.reason is Reason.WALKS else facts
                ran |= seen if "error" not in facts else set()
    return uses, ran


def _of_walk(facts: Facts) -> Facts:
    """Return what counts of going through all buffers, of which there are more now: what is raised and left behind."""
    return {name: one for name, one in facts.items() if name in {"error", "held"}}


def _used(subject: Subject, to_owner: str, use: Use, arguments: Callable[[], Any], way: _Way) -> tuple[Facts, set[str]]:
    """Return what a use gives and what the module holds then, or what was raised; and which functions ran."""
    from regbuf_lint.verify.worker.held import held_by  # noqa: PLC0415  imports torch

    module = subject.fresh()
    module = module.eval() if way.is_eval else module
    given: list[Any] = []

    def in_time() -> Any:
        with time_limit():
            if way.is_called:
                subject.call(module)
            given.append(arguments())
            owner = module.get_submodule(to_owner)
            for _ in range(way.times - 1):
                use(owner, given[0])
            return use(owner, given[0])

    result, ran = _traced(subject, in_time)
    if isinstance(result, BaseException):
        return {"error": type(result).__name__}, ran
    return told(subject, module, given[0], result, graphs=True) | {"held": held_by(module, subject.places)}, ran


@contextmanager
def time_limit() -> Iterator[None]:
    """End what takes too long, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(_number: int, _frame: object) -> None:
        raise TookLongError

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, _LONGEST_WORK), (signal.ITIMER_REAL, signal.SIGALRM, _LONGEST_WAIT))
    before = [signal.signal(number, end) for _, number, _ in timers]
    for timer, _, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (timer, number, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def _traced(subject: Subject, function: Callable[[], Any]) -> tuple[Any, set[str]]:
    """Call a function; return its result, or what it raised, and which functions ran."""
    ran: set[str] = set()
    places = Places(subject)

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            ran.update(places.of(frame.f_code))

    try:
        with profiled(watch):
            return function(), ran
    except (Exception, SystemExit, TookLongError) as error:  # noqa: BLE001  whatever the code under verification raises
        return error, ran
