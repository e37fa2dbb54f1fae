"""What an inherited method does, found out once for its own class instead of again for every subclass.

Following ``super().__init__()`` into a large base for each of its thousand subclasses would cost more than everything
else. A method of another file that takes many steps is therefore followed once, on an object of the class that it
stands in; a subclass gets the attributes that it sets, and has its own overrides of the methods that it calls run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from regbuf_lint.infer.references import SelfValue
from regbuf_lint.model.class_view import AttributeState
from regbuf_lint.model.value import UNKNOWN, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.references import FunctionValue
    from regbuf_lint.infer.state import State

CHEAP = 150


@dataclass(frozen=True, slots=True)
class Effect:
    """What calling a method with unknown arguments does to an object of the method's own class.

    Attributes:
        cost: how many expressions were looked at.
        value: what it returns.
        attributes: what it leaves in the object's attributes.
        initialised: whether ``nn.Module.__init__`` has run afterwards.
        called: names of the methods of the object that it calls, directly or not.
    """

    cost: int
    value: Value = UNKNOWN
    attributes: Mapping[str, AttributeState] = field(default_factory=dict)
    initialised: bool = False
    called: frozenset[str] = frozenset()


def is_inherited_from_elsewhere(frame: Frame, function: FunctionValue) -> bool:
    """Whether a method is called on the object under construction and stands in another file than its class."""
    if function.owner is None or function.receiver is None or frame.symbol is None:
        return False
    if function.owner.scope.file is frame.symbol.scope.file:
        return False
    return any(isinstance(one, SelfValue) for one in function.receiver)


def replay(frame: Frame, effect: Effect, function: FunctionValue, state: State) -> Value:
    """Do to the object under construction what the method would do, and run the overrides that it would call."""
    for name, attribute in effect.attributes.items():
        state.attributes[name] = AttributeState(attribute.value)
    state.initialised = state.initialised or effect.initialised
    if frame.symbol is None or function.owner is None:
        return effect.value
    for name in sorted(effect.called):
        here = frame.inference.find_method(frame.symbol, name)
        there = frame.inference.find_method(function.owner, name)
        if here is not None and there is not None and here[0] != there[0] and name != "__init__":
            frame.call_method(*here, (), state)
    return effect.value
