"""Following the methods of a class that others call once its object is built."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from regbuf_lint.infer.arguments import ANY_ARGUMENTS
from regbuf_lint.infer.frame import TooLarge
from regbuf_lint.infer.functions import run_function
from regbuf_lint.infer.references import SelfValue, bound
from regbuf_lint.infer.state import State
from regbuf_lint.infer.trace.traced_frame import TracedFrame
from regbuf_lint.infer.trace.tracer import Tracer
from regbuf_lint.model.use import MethodSummary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import AttributeState


def summarise(
    inference: Inference,
    symbol: ClassSymbol,
    found: tuple[ClassSymbol, FunctionNode],
    attributes: frozenset[str],
    built: Mapping[str, AttributeState],
) -> tuple[MethodSummary, Tracer]:
    """What one call of a method from outside does with some attributes of a finished object.

    Args:
        inference: what all classes share.
        symbol: the object's class.
        found: the method, and the class in whose body it stands.
        attributes: those that somebody asks about.
        built: the attributes of the object when the method begins.
    """
    owner, node = found
    tracer = Tracer(attributes, node.name)
    frame = TracedFrame(tracer, inference, symbol.scope, symbol=symbol, owner=symbol)
    state = State(attributes={name: replace(known, trail=None) for name, known in built.items()}, initialised=True)
    stopped = False
    try:
        frame.calls_entry = True
        run_function(frame, bound(owner, node, frozenset({SelfValue(symbol)})), ANY_ARGUMENTS, state)
    except (TooLarge, RecursionError):
        stopped = True
    return MethodSummary(node.name, owner.scope.qualname, tracer.uses, tracer.stores, stopped), tracer
