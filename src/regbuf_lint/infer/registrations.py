"""What nn.Module's own methods do to the object under construction: ``register_buffer`` and its like."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.index.known_classes import torch_class
from regbuf_lint.infer.collections import WALKS
from regbuf_lint.infer.references import RETURNING_SELF, SelfValue
from regbuf_lint.infer.strings import literal_strings, pattern_of
from regbuf_lint.infer.targets import write
from regbuf_lint.model.class_view import AttributeState, WriteForm
from regbuf_lint.model.value import (
    NONE,
    UNKNOWN,
    Buffer,
    NoneValue,
    Parameter,
    Tensor,
    Value,
    held,
    is_only,
    may_be,
)

if TYPE_CHECKING:
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.references import SelfMethod
    from regbuf_lint.infer.state import State
    from regbuf_lint.model.span import Span


def call_self_method(frame: Frame, callee: SelfMethod, arguments: Arguments, node: ast.Call, state: State) -> Value:
    """The result of a method that the object under construction has from nn.Module or another outside base."""
    if callee.name == "__init__":
        initialise(frame, callee.symbol, state)
        return NONE
    if callee.name in {"register_buffer", "add_state"}:
        _register_buffer(frame, arguments, node, state, callee.name)
        return NONE
    if callee.name == "register_parameter":
        _register_parameter(frame, arguments, node, state)
        return NONE
    if callee.name in {"add_module", "register_module"}:
        _set(arguments, state, arguments.argument(1, "module"))
        return NONE
    if callee.name == "__setattr__":
        _set_by_name(frame, arguments, node, state)
        return NONE
    if callee.name in RETURNING_SELF:
        return frozenset({SelfValue(callee.symbol)})
    return WALKS.get(callee.name, UNKNOWN)


def initialise(frame: Frame, symbol: ClassSymbol, state: State) -> None:
    """``super().__init__()`` reached a base whose source is not at hand: torch's own, or an outside package's."""
    begin(frame, state)
    for base in frame.inference.outside_bases(symbol):
        known = torch_class(base.name)
        if known is None:
            continue
        for name in known.parameters:
            state.attributes.setdefault(name, AttributeState(frozenset({Parameter(), NoneValue()})))
        for name in known.buffers:
            state.attributes.setdefault(name, AttributeState(frozenset({Buffer(Tensor(fresh=False)), NoneValue()})))


def begin(frame: Frame, state: State) -> None:
    """``nn.Module.__init__`` runs, and gives the object empty tables of Parameters, buffers and submodules."""
    if state.initialised and frame.recorder is not None:
        frame.recorder.begin_again()
    state.initialised = True


def _register_buffer(frame: Frame, arguments: Arguments, node: ast.Call, state: State, function: str) -> None:
    names = literal_strings(arguments.argument(0, "name"))
    given = arguments.argument(1, "tensor") or arguments.keyword("default")
    for name in names or (None,):
        prior = state.attribute(name or "").value
        number = -1
        if frame.recorder is not None:
            places = (frame.scope.file.span(node), _place_of_tensor(frame, node))
            number = frame.recorder.registration(node, frame.step(state), name, given, prior, places, function)
            frame.registered[node] = number
        key = name if name is not None else pattern_of(arguments.argument(0, "name"))
        if key is not None:
            state.attributes[key] = AttributeState(as_buffer(given), frozenset({number}))
        if name is not None:
            _share_with_local(_expression_of_tensor(node), name, given, state)


def _share_with_local(expression: ast.expr | None, attribute: str, given: Value, state: State) -> None:
    """A local whose tensor became a buffer holds that very buffer, as if it had been read from the object."""
    if isinstance(expression, ast.Name) and is_only(given, Tensor) and state.locals.get(expression.id) == given:
        state.locals[expression.id] = held(state.attribute(attribute).value, alias=attribute)


def as_buffer(value: Value) -> Value:
    """What an attribute is after ``value`` was registered as a buffer."""
    known = frozenset(
        Buffer(one) if isinstance(one, Tensor) else one if isinstance(one, (NoneValue, Buffer)) else Buffer()
        for one in value
    )
    # A buffer that is None is a buffer all the same: what is assigned to the name later goes into it.
    return known if may_be(known, Buffer) else known | {Buffer()}


def _place_of_tensor(frame: Frame, node: ast.Call) -> Span | None:
    expression = _expression_of_tensor(node)
    return None if expression is None else frame.scope.file.span(expression)


def _expression_of_tensor(node: ast.Call) -> ast.expr | None:
    named = (keyword.value for keyword in node.keywords if keyword.arg == "tensor")
    return next(named, node.args[1] if len(node.args) > 1 else None)


def _register_parameter(frame: Frame, arguments: Arguments, node: ast.Call, state: State) -> None:
    value = arguments.argument(1, "param")
    if not is_only(value, Parameter):
        _set(arguments, state, value)
        return
    for name in literal_strings(arguments.argument(0, "name")) or ():
        write(frame, node, name, value, state, WriteForm.REGISTERED)


def _set(arguments: Arguments, state: State, value: Value) -> None:
    for name in literal_strings(arguments.argument(0, "name")) or ():
        state.attributes[name] = AttributeState(value or UNKNOWN)


def _set_by_name(frame: Frame, arguments: Arguments, node: ast.Call, state: State) -> None:
    names = literal_strings(arguments.argument(0, "name"))
    for name in names or (None,):
        write(frame, node, name, arguments.argument(1, "value"), state, WriteForm.BYPASS)
