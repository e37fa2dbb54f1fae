"""Following the construction of an object from ``__init__`` on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.infer.arguments import ANY_ARGUMENTS
from regbuf_lint.infer.frame import Frame, TooLarge
from regbuf_lint.infer.functions import run_function
from regbuf_lint.infer.inference import Inference
from regbuf_lint.infer.recorder import Recorder
from regbuf_lint.infer.references import FunctionValue, SelfValue
from regbuf_lint.infer.registrations import initialise
from regbuf_lint.infer.state import State
from regbuf_lint.model.class_view import Construction

if TYPE_CHECKING:
    from regbuf_lint.index.project import Project
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.model.class_view import Event
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.model.value import Value


def start(project: Project, settings: Settings) -> Inference:
    """What one run shares over all classes."""
    return Inference(project, settings, construct)


def construct(inference: Inference, symbol: ClassSymbol) -> Construction | None:
    """What happens while an object of a class is built; None while that is being found out further up.

    A class that is too large to follow counts as one whose construction does nothing.
    """
    known = inference.constructions.get(symbol.scope)
    if known is None:
        key = (symbol.scope, "construction")
        if inference.is_working(key):
            inference.cut("is being constructed", key)
            return None
        with inference.working(key) as work:
            known = _follow(inference, symbol)
        if work.is_lasting:
            inference.constructions[symbol.scope] = known
    return known


def later_events(inference: Inference, symbol: ClassSymbol, method: str) -> tuple[Event, ...]:
    """What a method does to the attributes of a finished object when somebody calls it with any arguments."""
    built = construct(inference, symbol)
    found = inference.find_method(symbol, method)
    if built is None or found is None:
        return ()
    recorder = Recorder()
    frame = Frame(inference, symbol.scope, symbol=symbol, owner=symbol, recorder=recorder)
    try:
        _call(frame, found, State(attributes=built.attributes, initialised=True))
    except TooLarge:
        return ()
    return recorder.events


def _call(frame: Frame, found: tuple[ClassSymbol, FunctionNode], state: State) -> None:
    receiver: Value = frozenset({SelfValue(frame.symbol or found[0])})
    function = FunctionValue(found[0].scope.child(found[1]), receiver=receiver, owner=found[0])
    run_function(frame, function, ANY_ARGUMENTS, state)


def _follow(inference: Inference, symbol: ClassSymbol) -> Construction:
    recorder, state = Recorder(), State()
    frame = Frame(inference, symbol.scope, symbol=symbol, owner=symbol, recorder=recorder)
    try:
        _run_initialisers(frame, symbol, state)
    except TooLarge:
        return Construction()
    return Construction(recorder.events, state.attributes, state.initialised, frozenset(recorder.called))


def _run_initialisers(frame: Frame, symbol: ClassSymbol, state: State) -> None:
    inference = frame.inference
    for name in ("__init__", "__post_init__"):
        found = inference.find_method(symbol, name)
        if found is not None and state.alive:
            _call(frame, found, state)
        elif name == "__init__":
            initialise(inference, symbol, state)
