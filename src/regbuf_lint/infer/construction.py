"""Following the construction of an object from ``__init__`` on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.index.known_classes import outside_class
from regbuf_lint.infer.arguments import ANY_ARGUMENTS
from regbuf_lint.infer.frame import Frame, TooLarge
from regbuf_lint.infer.functions import run_function
from regbuf_lint.infer.inference import Followed, Inference
from regbuf_lint.infer.recorder import Recorder
from regbuf_lint.infer.references import SelfValue, bound
from regbuf_lint.infer.registrations import begin, initialise
from regbuf_lint.infer.state import State
from regbuf_lint.model.class_view import Construction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.index.project import Project
    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.model.class_view import AttributeState, Event
    from regbuf_lint.model.settings import Settings
    from regbuf_lint.model.value import Value


def start(project: Project, outlines: Project, settings: Settings) -> Inference:
    """What one run shares over all classes."""
    return Inference(project, outlines, settings, construct)


def construct(inference: Inference, symbol: ClassSymbol) -> Construction | None:
    """What happens while an object of a class is built; None while that is being found out further up.

    A class that is too large to follow counts as one whose construction does nothing.
    """
    found = followed(inference, symbol)
    return None if found is None else found.construction


def followed(inference: Inference, symbol: ClassSymbol) -> Followed | None:
    """What happens while an object of a class is built, and what it passes to others; None as for ``construct``."""
    return inference.memo.found_once(
        inference.constructions, symbol.scope, "construction", lambda: follow(inference, symbol)
    )


def later_events(inference: Inference, symbol: ClassSymbol, method: str) -> tuple[Event, ...]:
    """What a method does to the attributes of a finished object when somebody calls it with any arguments."""
    return _run_later(inference, symbol, method)[0]


def attributes_after(inference: Inference, symbol: ClassSymbol, method: str) -> Mapping[str, AttributeState]:
    """The attributes of a finished object after somebody called a method of it with any arguments."""
    return _run_later(inference, symbol, method)[1]


def _run_later(
    inference: Inference, symbol: ClassSymbol, method: str
) -> tuple[tuple[Event, ...], Mapping[str, AttributeState]]:
    built = construct(inference, symbol)
    found = inference.find_method(symbol, method) or inference.find_property(symbol, method)
    if built is None or found is None:
        return (), {}
    recorder, state = Recorder(), State(attributes=built.attributes, initialised=True)
    frame = Frame(inference, symbol.scope, symbol=symbol, owner=symbol, recorder=recorder)
    try:
        _call(frame, found, state)
    except TooLarge:
        return (), {}
    return recorder.events, state.attributes


def _call(
    frame: Frame, found: tuple[ClassSymbol, FunctionNode], state: State, arguments: Arguments = ANY_ARGUMENTS
) -> None:
    receiver: Value = frozenset({SelfValue(frame.symbol or found[0])})
    run_function(frame, bound(*found, receiver), arguments, state)


def follow(inference: Inference, symbol: ClassSymbol, arguments: Arguments = ANY_ARGUMENTS) -> Followed:
    """What happens while an object of a class is built from the given arguments; found out anew each time."""
    recorder, state = Recorder(), State()
    frame = Frame(inference, symbol.scope, symbol=symbol, owner=symbol, recorder=recorder)
    frame.from_start = True
    passed = frame.passed = {}
    try:
        _run_initialisers(frame, symbol, state, arguments)
    except TooLarge:
        return Followed(Construction(stopped=True), passed)
    called = frozenset(recorder.called)
    return Followed(Construction(recorder.events, state.attributes, state.initialised, called, recorder.begun), passed)


def _run_initialisers(frame: Frame, symbol: ClassSymbol, state: State, arguments: Arguments = ANY_ARGUMENTS) -> None:
    inference = frame.inference
    listed = map(outside_class, (base.name for base in inference.outside_bases(symbol)))
    if any(one is not None and one.initialises for one in listed):
        begin(frame, state)
    is_generated = _has_generated_initialiser(inference, symbol)
    for name in ("__post_init__",) if is_generated else ("__init__", "__post_init__"):
        found = inference.find_method(symbol, name)
        if found is not None and state.alive:
            _call(frame, found, state, arguments if name == "__init__" else ANY_ARGUMENTS)
        elif name == "__init__":
            initialise(frame, symbol, state)


def _has_generated_initialiser(inference: Inference, symbol: ClassSymbol) -> bool:
    """Whether `dataclass` writes ``__init__``, which calls no base's (documentation of dataclasses, Python 3.14)."""
    definitions = map(inference.definition, inference.classes(symbol))
    first = next((one for one in definitions if "__init__" in one.methods or "dataclass" in one.decorators), None)
    return first is not None and "__init__" not in first.methods
