"""Calls: what each kind of callee returns and what it does to the object under construction."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.classes.definition import arguments_with_defaults, positional_names
from regbuf_lint.classes.same_device import stays_there
from regbuf_lint.index.known_classes import Verdict
from regbuf_lint.index.scopes import is_parameter
from regbuf_lint.index.symbols import External
from regbuf_lint.infer.annotations import annotated
from regbuf_lint.infer.arguments import Arguments
from regbuf_lint.infer.builtin_calls import BUILTINS
from regbuf_lint.infer.builtin_types import cannot_be_called
from regbuf_lint.infer.collections import element_of, items_of
from regbuf_lint.infer.external_calls import BUFFERS, call_external, named_tuple_of, torch_module_result
from regbuf_lint.infer.functions import run_function
from regbuf_lint.infer.instances import instantiate
from regbuf_lint.infer.method_calls import call_method_of
from regbuf_lint.infer.randomness import as_repeated, repeats_itself, seeded_by, shuffles, spread_by_call
from regbuf_lint.infer.references import (
    BuiltSubmodule,
    ClassValue,
    ExternalValue,
    FunctionValue,
    Instance,
    MethodOf,
    NamedTupleClass,
    PartialCall,
    SelfMethod,
    SelfValue,
    bound,
)
from regbuf_lint.infer.registrations import begin, call_self_method
from regbuf_lint.infer.targets import note_filled, note_gradient, note_random
from regbuf_lint.model.value import (
    UNKNOWN,
    Alternative,
    Mapping,
    Parameter,
    Submodule,
    Unknown,
    Value,
    held,
    join,
    made_of,
    may_be,
    the_one,
)
from regbuf_lint.torch_facts.library_functions import ends_program
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Callable

    from regbuf_lint.index.scopes import FunctionNode
    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.state import State

_CASTS = frozenset({"typing.cast", "typing_extensions.cast", "torch.jit.annotate"})


def call(frame: Frame, node: ast.Call, state: State) -> Value:
    """What a call returns."""
    callee = frame.evaluate(node.func, state)
    arguments = arguments_of(node, lambda one: frame.evaluate(one, state))
    if isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_":
        note_gradient(frame, node.func.value, arguments.argument(0, "requires_grad"), state)
    if frame.passed is not None and _may_make_object(frame, node, callee):
        frame.passed.setdefault(node, []).append(arguments)
    for keyword in node.keywords:
        if keyword.arg == "out":
            note_filled(frame, keyword.value, state)
    if shuffles(callee) and node.args:
        note_random(frame, node.args[0], state)
    frame.passes(node, callee)
    found = join(_call(frame, one, arguments, node, state) for one in callee if not cannot_be_called(one))
    frame.has_passed()
    if callee and all(isinstance(one, ExternalValue) and ends_program(one.name) for one in callee):
        state.alive = False
    if any(isinstance(one, MethodOf) and isinstance(one.owner, Parameter) for one in callee) and stays_there(
        frame.scope.node, node
    ):
        found = frozenset(one.owner for one in callee if isinstance(one, MethodOf))
    found = spread_by_call(callee, arguments, found or UNKNOWN)
    state.seeded = seeded_by(callee, arguments, state.seeded)
    if repeats_itself(callee, arguments, state.seeded):
        found = as_repeated(found)
    if isinstance(node.func, ast.Name) and is_parameter(frame.scope, node.func.id):
        found = held(found, argument=node.func.id)  # somebody may pass a function that does not make a new tensor
    return frame.without_graph(found)


def _may_make_object(frame: Frame, node: ast.Call, callee: Value) -> bool:
    """Whether a class is called, or what a function is given, as a class method is given its class."""
    if may_be(callee, ClassValue):
        return True
    return isinstance(node.func, ast.Name) and is_parameter(frame.scope, node.func.id)


def arguments_of(node: ast.Call, value_of: Callable[[ast.expr], Value]) -> Arguments:
    """The values of a call's arguments, given what finds that of an expression."""
    positional: list[Value] = []
    starred = False
    for argument in node.args:
        value = value_of(argument)
        if isinstance(argument, ast.Starred):
            known = items_of(value)
            starred = starred or known is None
            positional.extend(known if known is not None else [element_of(value)])
        elif not starred:
            positional.append(value)
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = value_of(keyword.value)
        if keyword.arg is None:
            known_keywords = _keywords_of(value)
            starred = starred or known_keywords is None
            keywords.update(known_keywords or {})
        else:
            keywords[keyword.arg] = value
    return Arguments(tuple(positional), keywords, starred)


def _keywords_of(value: Value) -> dict[str, Value] | None:
    """What ``**value`` passes where the keys of a dict are known, else None."""
    one = the_one(value)
    return dict(one.items) if isinstance(one, Mapping) and not one.rest else None


def _call(frame: Frame, callee: Alternative, arguments: Arguments, node: ast.Call, state: State) -> Value:
    if isinstance(callee, FunctionValue):
        return run_function(frame, callee, arguments, state)
    if isinstance(callee, ExternalValue):
        return _external(frame, callee, arguments, node, state)
    if isinstance(callee, ClassValue):
        made = instantiate(frame, callee.symbol, arguments)
        frame.makes(callee.symbol, made, arguments, state)
        return made
    if isinstance(callee, NamedTupleClass):
        return named_tuple_of(callee, arguments)
    if isinstance(callee, MethodOf):
        return call_method_of(frame, callee, arguments, state)
    if isinstance(callee, PartialCall):
        return _call_partial(frame, callee, arguments, node, state)
    if isinstance(callee, SelfMethod):
        return call_self_method(frame, callee, arguments, node, state)
    if isinstance(callee, (Instance, BuiltSubmodule)) and callee.symbol is not None:
        return _call_object(frame, callee, arguments, state)
    return torch_module_result(callee, arguments) if isinstance(callee, Submodule) else made_of(callee)


def _call_partial(frame: Frame, callee: PartialCall, rest: Arguments, node: ast.Call, state: State) -> Value:
    arguments = Arguments(
        (*callee.positional, *rest.positional), {**dict(callee.keywords), **rest.keywords}, rest.starred
    )
    return join(_call(frame, one, arguments, node, state) for one in callee.function)


def _external(frame: Frame, callee: ExternalValue, arguments: Arguments, node: ast.Call, state: State) -> Value:
    if callee.name.endswith(".__init__") and arguments.positional:
        _initialise(frame, callee.name.removesuffix(".__init__"), arguments.positional[0], state)
        return UNKNOWN
    top, _, name = callee.name.partition(".")
    if top == "builtins" and name in BUILTINS:
        return BUILTINS[name](frame, arguments, node, state)
    if callee.name in _CASTS:
        return _cast(frame, arguments.argument(1, "val"), node)
    if callee.name.startswith("torch.nn.init.") and has("random_functions", callee.name) and node.args:
        note_random(frame, node.args[0], state)
    if callee.name in BUFFERS:
        frame.buffers.add(node)
    return call_external(frame, callee.name, arguments)


def _cast(frame: Frame, value: Value, node: ast.Call) -> Value:
    """``cast(Tensor, x)``: what ``x`` is, or as the cast says where that is not known."""
    if value and not may_be(value, Unknown):
        return value
    promised = annotated(frame.inference, frame.scope, node.args[0]) if node.args else UNKNOWN
    return value or UNKNOWN if may_be(promised, Unknown) else promised


def _initialise(frame: Frame, base: str, receiver: Value, state: State) -> None:
    """``nn.Module.__init__(self)``, or that of another class whose source is not at hand."""
    if any(isinstance(one, SelfValue) for one in receiver):
        verdict = frame.inference.hierarchy.membership(External(base)).verdict
        if verdict is Verdict.YES:
            begin(frame, state)


def _call_object(frame: Frame, callee: Instance | BuiltSubmodule, arguments: Arguments, state: State) -> Value:
    if callee.symbol is None:
        return UNKNOWN
    found = frame.inference.find_method(callee.symbol, "__call__")
    if found is None and isinstance(callee, BuiltSubmodule):
        found = frame.inference.find_method(callee.symbol, "forward")
    if found is None or not _takes(found[1], arguments) or _may_make_one(frame, callee, arguments):
        return UNKNOWN  # an annotation that names a class may mean the class itself, which is called to make an object
    function = bound(*found, frozenset({callee}))
    return run_function(frame, function, arguments, state)


def _may_make_one(frame: Frame, callee: Instance | BuiltSubmodule, arguments: Arguments) -> bool:
    """Whether what a constructor calls may be the class of its annotation, which takes these arguments as well."""
    if not frame.from_start or not isinstance(callee, BuiltSubmodule) or not callee.argument or callee.symbol is None:
        return False
    found = frame.inference.find_method(callee.symbol, "__init__")
    return found is not None and _takes(found[1], arguments)


def _takes(method: FunctionNode, arguments: Arguments) -> bool:
    """Whether a method, called with these arguments, does not raise TypeError for one too many."""
    names = {argument.arg for argument, _ in arguments_with_defaults(method)}
    too_many = len(arguments.positional) > len(positional_names(method)) and method.args.vararg is None
    return not too_many and (method.args.kwarg is not None or names.issuperset(arguments.keywords))
