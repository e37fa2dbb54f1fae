"""Attributes of which nothing is known but that the class uses them as nothing but a tensor can be used."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import receiver_name
from regbuf_lint.classes.stores import is_own, stores_in
from regbuf_lint.index.symbols import External, FunctionSymbol
from regbuf_lint.index.tree import walk
from regbuf_lint.infer.open_arguments import open_arguments
from regbuf_lint.infer.trace.following import Follower
from regbuf_lint.model.class_view import Write
from regbuf_lint.model.trail import Origin, Source
from regbuf_lint.model.value import NAMELESS, Differs, NoneValue, Tensor, Unknown, Value, is_only
from regbuf_lint.torch_facts.library_functions import takes_tensor
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.index.symbols import ClassSymbol, Symbol
    from regbuf_lint.infer.inference import Inference
    from regbuf_lint.model.class_view import Construction


def with_used_tensors(inference: Inference, symbol: ClassSymbol, construction: Construction) -> Construction:
    """The construction with those unknown values as tensors that are used so.

    What was read from another object is that object's, and stays unknown.
    """
    written = {event.attribute for event in construction.events if isinstance(event, Write) and _is_open(event.value)}
    held = {name: state.value for name, state in construction.attributes.items() if name in written}
    known = {name: value for name, value in held.items() if _is_open(value)}
    wanted = _candidates(inference, symbol, known) if known else frozenset[str]()
    if not wanted:
        return construction
    used = Follower(inference, symbol, (), wanted, lambda _: True).trace(construction.attributes).tensors
    open_names = open_arguments(inference, symbol)
    found = [name for name in wanted if _is_tensor(known[name], name, used, open_names)]
    return construction.with_values(dict.fromkeys(found, _as_tensors))


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


def _candidates(inference: Inference, symbol: ClassSymbol, known: Mapping[str, Value]) -> frozenset[str]:
    """Those of some attributes that, or whose arguments, stand in a method where perhaps only a tensor can stand."""
    found: set[str] = set()
    for base in inference.classes(symbol):
        definition, read = inference.definition(base), inference.uses(base).read
        for function in (*definition.methods.values(), *definition.properties.values()):
            is_builder = function.name == "__init__"
            asked = [one for one in known.keys() - found if is_builder or function.name in read.get(one, ())]
            taken = list(_taken(inference, base, function)) if asked else []
            for attribute in asked:
                names = _arguments(known[attribute]) if is_builder else frozenset[str]()
                if _is_among(attribute, names, function, taken):
                    found.add(attribute)
    return frozenset(found)


def _taken(inference: Inference, owner: ClassSymbol, function: FunctionNode) -> Iterator[ast.expr]:
    """Expressions that may stand where nothing but a tensor can stand."""
    scope = owner.scope.child(function)
    for node in walk(function):
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


def _as_tensors(value: Value) -> Value:
    return frozenset(_as_tensor(one) if isinstance(one, Unknown) else one for one in value)


def _as_tensor(one: Unknown) -> Tensor:
    """Be it a Parameter or not; what an nn.Module has computed depends on how its Parameters were drawn."""
    return Tensor(
        fresh=False,
        argument=one.argument or NAMELESS,
        differs=Differs.AT_RANDOM if one.computed else one.differs,
        location=one.location,
    )
