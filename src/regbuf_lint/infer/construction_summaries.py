"""What an inherited method does, found out once for its own class instead of again for every subclass.

Following ``super().__init__()`` into a large base for each of its thousand subclasses would cost more than everything
else. A method of another file that takes many steps is therefore followed once, on an object of the class that it
stands in; a subclass gets the attributes that it sets, and has its own overrides of the methods that it calls run.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from regbuf_lint.infer.references import SelfValue
from regbuf_lint.model.class_view import AttributeState
from regbuf_lint.model.value import UNKNOWN, Unset, Value, may_be, without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.recorder import Entry
    from regbuf_lint.infer.references import FunctionValue
    from regbuf_lint.infer.state import State
    from regbuf_lint.model.class_view import Event

CHEAP = 150


class ConstructionSummary(Struct, frozen=True):
    """What calling a method with unknown arguments does to an object of the method's own class.

    Attributes:
        cost: how many expressions were looked at.
        value: what it returns.
        attributes: what it leaves in the object's attributes.
        initialised: whether ``nn.Module.__init__`` has run afterwards.
        called: names of the methods of the object that it calls, directly or not.
        entries: what it does to the object's attributes, in order.
    """

    cost: int
    value: Value = UNKNOWN
    attributes: Mapping[str, AttributeState] = field(default_factory=dict)
    initialised: bool = False
    called: frozenset[str] = frozenset()
    entries: tuple[Entry, ...] = ()


def is_inherited_from_elsewhere(frame: Frame, function: FunctionValue) -> bool:
    """Whether a method is called on the object under construction and stands in another file than its class."""
    if function.owner is None or function.receiver is None or frame.symbol is None:
        return False
    if function.owner.scope.file is frame.symbol.scope.file:
        return False
    return any(isinstance(one, SelfValue) for one in function.receiver)


def replay(frame: Frame, summary: ConstructionSummary, function: FunctionValue, state: State) -> Value:
    """Do to the object under construction what the method would do, and run the overrides that it would call."""
    overrides = _overrides(frame, summary, function)
    names = frozenset(overrides)
    done = [entry for entry in summary.entries if names.isdisjoint(entry[1].step.within)]
    numbers = _repeat(frame, summary, done, state)
    left_out = {entry[1].number for entry in summary.entries} - {entry[1].number for entry in done}
    for name, attribute in summary.attributes.items():
        if not attribute.writes or not attribute.writes <= left_out:
            writes = frozenset(numbers[number] for number in attribute.writes if number in numbers)
            state.attributes[name] = AttributeState(attribute.value, writes)
    state.initialised = state.initialised or summary.initialised
    _run_overrides(frame, overrides, state)
    return summary.value


def _run_overrides(frame: Frame, overrides: Mapping[str, tuple[ClassSymbol, FunctionNode]], state: State) -> None:
    """Run the methods one after the other; since one may run without the other, none can rely on what another sets."""
    before = frozenset(state.attributes)
    setting: Counter[str] = Counter()
    for name in sorted(overrides):
        known = dict(state.attributes)
        frame.call_method(*overrides[name], (), state)
        setting.update(one for one, now in state.attributes.items() if known.get(one) is not now)
    if frame.recorder is None:
        return
    for attribute in (name for name, times in setting.items() if times > 1 and name not in before):
        for method in overrides:
            frame.recorder.may_be_first(method, attribute)


def _overrides(
    frame: Frame, summary: ConstructionSummary, function: FunctionValue
) -> dict[str, tuple[ClassSymbol, FunctionNode]]:
    """The methods that the object's class has in the place of those that the method calls on its own class."""
    if frame.symbol is None or function.owner is None:
        return {}
    found = {}
    for name in summary.called - {"__init__", getattr(function.scope.node, "name", "")}:
        here = frame.inference.find_method(frame.symbol, name)
        there = frame.inference.find_method(function.owner, name)
        if here is not None and there is not None and here[0] != there[0]:
            found[name] = here
    return found


def _repeat(frame: Frame, summary: ConstructionSummary, entries: list[Entry], state: State) -> dict[int, int]:
    """Note calls and events as ones of the object under construction."""
    if frame.recorder is None:
        return {}
    frame.recorder.called.update(summary.called)
    initialised, before = state.initialised, dict(state.attributes)

    def adapted(event: Event) -> Event:
        within = event.step.within | frame.within
        step = replace(event.step, own=False, initialised=event.step.initialised or initialised, within=within)
        known = before.get(event.attribute or "")
        if known is None or not may_be(event.prior, Unset):
            return replace(event, step=step)
        return replace(event, step=step, prior=without(event.prior, Unset) | known.value)

    return frame.recorder.repeat(entries, adapted)
