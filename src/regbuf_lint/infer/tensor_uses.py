"""Attributes of which nothing is known but that the class uses them as nothing but a tensor can be used."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.classes.stores import is_own, stores_in
from regbuf_lint.index.symbols import External, FunctionSymbol
from regbuf_lint.infer.open_arguments import open_arguments
from regbuf_lint.infer.trace.following import Follower
from regbuf_lint.model.class_view import Write
from regbuf_lint.model.trail import Origin, Source
from regbuf_lint.model.value import NoneValue, Tensor, Unknown, Value, is_only
from regbuf_lint.torch_facts.library_functions import takes_tensor
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol, Symbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import Construction, Event


def with_used_tensors(inference: Inference, symbol: ClassSymbol, construction: Construction) -> Construction:
    """The construction with those unknown values as tensors that are used so.

    What was read from another object is that object's, and stays unknown.
    """
    known = construction.attributes
    written = {event.attribute for event in construction.events if isinstance(event, Write) and _is_open(event.value)}
    wanted = frozenset(name for name in written if name is not None and name in known and _is_open(known[name].value))
    wanted = frozenset(name for name in wanted if _may_take(inference, symbol, name, _arguments(known[name].value)))
    if not wanted:
        return construction
    trace = Follower(inference, symbol, (), wanted, lambda _: True).trace(known)
    open_names = open_arguments(inference, symbol)
    found = frozenset(name for name in wanted if _is_tensor(known[name].value, name, trace.tensors, open_names))
    return _with_tensors(construction, found) if found else construction


def _is_open(value: Value) -> bool:
    """Whether a value is an argument without annotation, or what an nn.Module has computed, or None."""
    unknown = [one for one in value if isinstance(one, Unknown)]
    return bool(unknown) and is_only(value, Unknown, NoneValue) and all(one.argument or one.computed for one in unknown)


def _is_tensor(value: Value, name: str, used: frozenset[Origin], open_names: frozenset[str]) -> bool:
    arguments = _arguments(value)
    origins = [Origin(Source.ENTRY, name), *(Origin(Source.PARAMETER, one) for one in arguments)]
    return arguments <= open_names and any(one in used for one in origins)


def _arguments(value: Value) -> frozenset[str]:
    return frozenset(one.argument for one in value if isinstance(one, Unknown)) - {""}


def _may_take(inference: Inference, symbol: ClassSymbol, attribute: str, arguments: frozenset[str]) -> bool:
    """Whether a method has the attribute, or an argument that it holds, where perhaps only a tensor can stand."""
    for base in inference.classes(symbol):
        definition = inference.definition(base)
        methods = inference.uses(base).read.get(attribute, set()) | {"__init__"}
        for function in (*definition.methods.values(), *definition.properties.values()):
            names = arguments if function.name == "__init__" else frozenset[str]()
            if function.name in methods and _is_among(attribute, names, function, _taken(inference, base, function)):
                return True
    return False


def _taken(inference: Inference, owner: ClassSymbol, function: FunctionNode) -> Iterator[ast.expr]:
    """Expressions that may stand where nothing but a tensor can stand."""
    scope = owner.scope.child(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and has("tensor_only_methods", node.func.attr):
                yield node.func.value
            elif (
                node.args
                and isinstance(node.args[0], (ast.Name, ast.Attribute))
                and _may_take_tensor(inference.project.resolve(scope, node.func))
            ):
                yield node.args[0]


def _may_take_tensor(callees: Iterable[Symbol]) -> bool:
    return any(
        isinstance(one, FunctionSymbol) or (isinstance(one, External) and takes_tensor(one.name)) for one in callees
    )


def _is_among(attribute: str, names: frozenset[str], function: FunctionNode, expressions: Iterable[ast.expr]) -> bool:
    """Whether some expression is the attribute, one of some names, or a local to which a method gives the attribute."""
    receiver = receiver_name(function)
    stores = ((target, value) for target, value in stores_in(function) if is_own(value, receiver, attribute))
    held = names.union(target.id for target, _ in stores if isinstance(target, ast.Name))
    return any(
        is_own(one, receiver, attribute) or (isinstance(one, ast.Name) and one.id in held) for one in expressions
    )


def _with_tensors(construction: Construction, found: frozenset[str]) -> Construction:
    """The construction in which what some attributes get is a tensor, be it a Parameter or not."""
    events = tuple(_event(event) if event.attribute in found else event for event in construction.events)
    attributes = {
        name: replace(state, value=_as_tensors(state.value)) if name in found else state
        for name, state in construction.attributes.items()
    }
    return replace(construction, events=events, attributes=attributes)


def _event(event: Event) -> Event:
    if not isinstance(event, Write):
        return event
    return replace(event, value=_as_tensors(event.value), prior=_as_tensors(event.prior))


def _as_tensors(value: Value) -> Value:
    return frozenset(_as_tensor(one) if isinstance(one, Unknown) else one for one in value)


def _as_tensor(one: Unknown) -> Tensor:
    """Be it a Parameter or not; what an nn.Module has computed depends on how its Parameters were drawn."""
    return Tensor(fresh=False, argument=one.argument or "?", random=one.random or one.computed)
