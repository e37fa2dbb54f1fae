"""Running the body of a function that can be read, on given arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.classes.definition import (
    arguments_with_defaults,
    decorator_names,
    is_none,
    positional_names,
)
from regbuf_lint.index.scopes import FUNCTIONS
from regbuf_lint.index.tree import children, of_kind
from regbuf_lint.infer.annotations import annotated
from regbuf_lint.infer.arguments import Arguments
from regbuf_lint.infer.chosen_devices import is_chosen_by_callers, names_device
from regbuf_lint.infer.collections import mapping_values, sequence_of
from regbuf_lint.infer.construction_summaries import CHEAP, is_inherited_from_elsewhere, replay
from regbuf_lint.infer.locations import is_chosen_by_machine, is_device, left_out_as
from regbuf_lint.infer.narrowing import give_default
from regbuf_lint.infer.references import ClassValue, ExternalValue, FunctionValue, SelfValue, bound
from regbuf_lint.infer.state import State, meet
from regbuf_lint.infer.strings import usually
from regbuf_lint.model.value import (
    NONE,
    NOTHING,
    UNKNOWN,
    Alternative,
    Buffer,
    Distribution,
    LeftOut,
    Literal,
    Loaded,
    Mapping,
    NoneValue,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Value,
    held,
    is_only,
    join,
    may_be,
    shared_left_out,
    unknown,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Container

    from regbuf_lint.index.scopes import FunctionNode, Scope
    from regbuf_lint.index.symbols import ClassSymbol
    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.inference import Inference

MOST_DEPTH = 10
_TRANSPARENT = frozenset(
    {
        "staticmethod", "classmethod", "property", "cached_property", "lru_cache", "cache", "wraps", "abstractmethod",
        "override", "final", "deprecated", "no_grad", "inference_mode", "enable_grad", "autocast", "compile", "export",
        "script", "script_method", "ignore", "unused", "jit_ignore", "torch_script", "torch_compile_wrapper",
        "register_notrace_function", "register_notrace_module", "maybe_allow_in_graph", "add_start_docstrings",
        "typechecked", "jaxtyped", "beartype",
    }
)  # fmt: skip

_DECORATOR = "decorator"
"""What the wrapt and decorator packages call that which makes a decorator of a function."""


def run_function(frame: Frame, function: FunctionValue, arguments: Arguments, state: State) -> Value:
    """What calling a function returns; what it does to the object under construction happens in ``state``."""
    if frame.depth >= MOST_DEPTH:
        return frame.inference.cut("calls nest too deeply", place=frame.place)
    owner = function.owner
    if owner is not None and not frame.follows_uses and is_inherited_from_elsewhere(frame, function):
        summary = frame.summary(function, owner, _devices_given(function, arguments))
        if summary is None or summary.cost > CHEAP:
            return unknown("calls itself") if summary is None else replay(frame, summary, function, state)
    touches_self = frame.follows_arguments or any(_is_own_class(frame, value) for value in arguments.every())
    if function.receiver is not None:
        arguments = Arguments((function.receiver, *arguments.positional), arguments.keywords, arguments.starred)
    touches_self = touches_self or any(_reaches_self(value) for value in arguments.every()) or bool(function.closure)
    if not touches_self and _makes_no_tensors(frame, function, arguments):
        return _annotated_result(frame.inference, function.scope, NOTHING)
    key = (function.scope, arguments.key(), frame.quiet_gradient > 0)
    frame = frame if touches_self else frame.aside(function)
    known = None if touches_self else frame.recalled(key)
    if known is not None:
        return known
    memo = frame.inference.memo
    running = (function.scope, "running")
    if memo.is_working(running):
        return frame.inference.cut("calls itself", running)
    if touches_self:
        with memo.working(running):
            return run_body(frame, function, arguments, state)
    return frame.remembered(key, running, lambda: run_body(frame, function, arguments, state))


def _devices_given(function: FunctionValue, arguments: Arguments) -> dict[str, Value]:
    """The devices among what a call gives a method, those that its arguments have by default among them."""
    node = function.scope.node
    if not isinstance(node, FUNCTIONS):
        return {}
    given = dict(zip(positional_names(node), arguments.positional, strict=False)) | arguments.keywords
    for parameter, default in () if arguments.starred else arguments_with_defaults(node):
        if isinstance(default, ast.Constant) and isinstance(default.value, str):
            given.setdefault(parameter.arg, frozenset({Literal(default.value)}))
    return {name: value for name, value in given.items() if is_device(value)}


def _makes_no_tensors(frame: Frame, function: FunctionValue, arguments: Arguments) -> bool:
    """Whether an installed package's function is given no tensor, and its file imports nothing that makes tensors.

    Following such a function, which may download a file, through all that it calls, tells no more than its annotation.
    """
    file = function.scope.file
    if frame.follows_uses or file.imports_tensors or not frame.inference.project.is_installed(file):
        return False
    return not any(_may_give_tensors(one) for value in arguments.every() for one in value)


def _may_give_tensors(one: Alternative) -> bool:
    return isinstance(one, (Tensor, Parameter, Buffer, Submodule, FunctionValue)) or _holds_tensors(one)


def run_method(frame: Frame, owner: ClassSymbol, method: FunctionNode, receiver: Value, state: State) -> Value:
    """What a method returns that is called without arguments (a property's getter, ``__post_init__``)."""
    return run_function(frame, bound(owner, method, receiver), Arguments(), state)


def _reaches_self(value: Value) -> bool:
    """Whether a value is the object under construction, or a function that may have it."""
    return any(isinstance(one, SelfValue) or (isinstance(one, FunctionValue) and _has_self(one)) for one in value)


def _is_own_class(frame: Frame, value: Value) -> bool:
    """Whether a value is the class of the object under construction, which code may give a property."""
    return any(isinstance(one, ClassValue) and one.symbol == frame.symbol for one in value)


def _has_self(function: FunctionValue) -> bool:
    return bool(function.closure) or (function.receiver is not None and _reaches_self(function.receiver))


def run_body(frame: Frame, function: FunctionValue, arguments: Arguments, state: State) -> Value:
    """What calling a function returns, found out anew."""
    node = function.scope.node
    inner = frame.called(function)
    local = State(bind_arguments(inner, function.scope, arguments), state.attributes, initialised=state.initialised)
    frame.enters(inner, function, local)
    if isinstance(node, ast.Lambda):
        value = inner.evaluate(node.body, local)
        inner.leaves(node.body, local)
        frame.left(inner)
        state.attributes, state.initialised = local.attributes, local.initialised
        return value
    if not isinstance(node, FUNCTIONS):
        return UNKNOWN
    decorators = decorator_names(node)
    if _DECORATOR in decorators:
        return unknown("a decorator, which runs the function later")
    if "no_grad" in decorators or "inference_mode" in decorators:
        inner.quiet_gradient += 1
    inner.execute(node.body, local)
    frame.left(inner)
    _merge_exits(inner, local, state, may_be_overridden=function.receiver is not None)
    return _annotated_result(inner.inference, inner.scope, _result(inner, node, local))


def _result(inner: Frame, node: FunctionNode, end: State) -> Value:
    """What the caller gets from a body that has run to its end."""
    if isinstance(node, ast.AsyncFunctionDef):
        return unknown("a coroutine")
    decorators = decorator_names(node)
    caches = frozenset(decorator for decorator in decorators if decorator.endswith("cache"))
    if not decorators - caches <= _TRANSPARENT:
        return unknown("a decorator may change the result")
    if inner.scope.told(_yields):
        return sequence_of("generator", join(inner.yielded) or UNKNOWN)
    value = join(inner.returned) | (NONE if end.alive else frozenset())
    return held(value) if caches else value


def _merge_exits(inner: Frame, local: State, state: State, *, may_be_overridden: bool) -> None:
    end = _meet_exits(inner, local)
    if end.alive:
        state.attributes, state.initialised = end.attributes, end.initialised
    elif not may_be_overridden:
        state.alive = False


def _meet_exits(inner: Frame, local: State) -> State:
    """The state behind a call; what stands behind a branch that returns is the other branch of its test."""
    for end in inner.exits:
        end.alive = True
    guarded = {number for _, first, behind in inner.guards for number in range(first, behind)}
    end = meet([local, *(one for number, one in enumerate(inner.exits) if number not in guarded)])
    for test, first, behind in reversed(inner.guards):
        returned = meet(inner.exits[first:behind])
        if end.alive:
            give_default(inner, test, returned, end)
        end = meet([returned, end])
    end.locals.clear()
    return end


def _annotated_result(inference: Inference, scope: Scope, value: Value) -> Value:
    """The result as inferred, or as annotated where inference does not know."""
    node = scope.node
    if not isinstance(node, FUNCTIONS):
        return value or UNKNOWN
    known = NOTHING if _is_left_open(scope, node) else value
    if node.returns is not None and (not known or may_be(known, Unknown)):
        promised = annotated(inference, scope, node.returns)
        if not may_be(promised, Unknown):
            return promised
    return known or UNKNOWN


def _is_left_open(scope: Scope, node: FunctionNode) -> bool:
    """Whether another body takes the place of one with no more than a docstring, ``...`` or ``pass``.

    Without an annotation a function, which nobody overrides, gives None.
    """
    is_method = scope.parent is not None and isinstance(scope.parent.node, ast.ClassDef)
    return (is_method or node.returns is not None) and all(
        isinstance(one, ast.Pass) or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in node.body
    )


def _yields(scope: Scope) -> bool:
    """Whether a function yields, nested functions left aside."""
    if not of_kind(scope.node, ast.Yield) and not of_kind(scope.node, ast.YieldFrom):
        return False
    pending: list[ast.AST] = list(scope.node.body) if isinstance(scope.node, FUNCTIONS) else []
    while pending:
        one = pending.pop()
        if isinstance(one, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(children(one))
    return False


def bind_arguments(frame: Frame, scope: Scope, arguments: Arguments) -> dict[str, Value]:
    """The locals with which a function starts.

    A parameter for which nothing, or nothing known, is passed is what its annotation says, else unknown.
    """
    node = scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return {}
    names: dict[str, Value] = {}
    positional = len(node.args.posonlyargs) + len(node.args.args)
    for index, (parameter, default) in enumerate(arguments_with_defaults(node)):
        given = arguments.positional[index] if index < min(positional, len(arguments.positional)) else None
        names[parameter.arg] = _argument(frame, parameter, default, given, arguments)
    if node.args.vararg is not None:
        rest = arguments.positional[positional:]
        element = join(rest) if rest and not arguments.starred else _promise(frame, node.args.vararg)
        names[node.args.vararg.arg] = sequence_of("tuple", element)
    if node.args.kwarg is not None:
        names[node.args.kwarg.arg] = _further_keywords(node.args.kwarg, arguments, names)
    return names


def _further_keywords(parameter: ast.arg, arguments: Arguments, named: Container[str]) -> Value:
    """What ``**kwargs`` holds; each is an argument like those that have a name, only without annotation."""
    known = tuple((name, value) for name, value in arguments.keywords.items() if name not in named)
    more = frozenset({Unknown("an argument without annotation", parameter.arg)})
    return frozenset({Mapping(known, more if arguments.starred else NOTHING)})


def _argument(
    frame: Frame, parameter: ast.arg, default: ast.expr | None, given: Value | None, arguments: Arguments
) -> Value:
    value = given if given is not None else arguments.keywords.get(parameter.arg)
    if value is None and default is not None and not arguments.starred:
        value = _default_value(frame, default)
    if value is None or may_be(value, Unknown):
        promised = _promise(frame, parameter, value)
        stand_in = _standing_default(frame, parameter, default, promised) if value is None else None
        if stand_in is not None:
            return stand_in
        if value is not None and may_be(value, Loaded) and may_be(promised, Unknown):
            return value
        if value is None and any(_holds_tensors(one) for one in promised):
            promised |= _plain_default(frame, default)
        if value is None and default is not None and not _is_chosen(frame, parameter, default):
            promised = _with_default(promised, default)
        none_too = is_none(default) and value is None
        return promised | NONE if none_too and not may_be(promised, Unknown) else promised
    return value


def _default_value(frame: Frame, default: ast.expr) -> Value:
    """What the default of a parameter is, in the scope around the function."""
    return frame.elsewhere(frame.scope.parent or frame.scope).evaluate(default, State())


def _is_number(default: ast.expr | None) -> bool:
    operand = default.operand if isinstance(default, ast.UnaryOp) else default
    return isinstance(operand, ast.Constant) and type(operand.value) in {int, float}


def _is_chosen(frame: Frame, parameter: ast.arg, default: ast.expr) -> bool:
    """Whether a parameter is a device that the machine chooses by default, or all who build the object."""
    if is_none(default):
        may_be_chosen = names_device(frame.scope.node, parameter.arg)
    elif isinstance(default, ast.Constant) and not isinstance(default.value, str):
        return False
    else:
        value = _default_value(frame, default)
        if is_chosen_by_machine(value):
            return True
        may_be_chosen = is_device(value)
    if not may_be_chosen or frame.symbol is None:
        return False
    return is_chosen_by_callers(frame.inference, frame.symbol, frame.scope.node, parameter.arg)


def _with_default(promised: Value, default: ast.expr) -> Value:
    """What an argument is promised to be that callers may leave out."""
    if isinstance(default, ast.Constant) and isinstance(default.value, str):
        promised = usually(promised, default.value)
    left_out = LeftOut.NONE if is_none(default) else LeftOut.OTHER
    return frozenset(_left_out(one, left_out, is_number=_is_number(default)) for one in promised)


def _left_out(one: Alternative, left_out: LeftOut, *, is_number: bool) -> Alternative:
    """What an argument is promised to be that callers may leave out, and whether it is a number then."""
    if isinstance(one, Unknown):
        return replace(one, number=one.number or is_number, left_out=left_out)
    return left_out_as(one, left_out)


def _may_be_called(promised: Value) -> bool:
    """Whether an annotation says nothing, or no more than that it is of something that can be called."""
    return all(isinstance(one, Unknown) or (isinstance(one, Other) and one.what == "callable") for one in promised)


def _plain_default(frame: Frame, default: ast.expr | None) -> Value:
    """The dict or list of numbers and the like that a parameter defaults to; no alternative where it is none."""
    if not isinstance(default, (ast.Dict, ast.List, ast.Tuple, ast.Name, ast.Attribute)):
        return NOTHING
    value = _default_value(frame, default)
    return value if value and all(is_only(_held_by(one), Literal, Other) for one in value) else NOTHING


def _holds_tensors(one: Alternative) -> bool:
    return any(isinstance(item, Tensor) for item in _held_by(one))


def _held_by(one: Alternative) -> Value:
    """What a list or dict holds."""
    if isinstance(one, Mapping):
        return mapping_values(one)
    return one.element if isinstance(one, Sequence) else NOTHING


def _standing_default(frame: Frame, parameter: ast.arg, default: ast.expr | None, promised: Value) -> Value | None:
    """The function, class, tensor or distribution that a parameter defaults to: what is passed has to do the same.

    A class says more than an annotation that names a class of nn.Modules where it means ``type[...]``.
    """
    is_object = is_only(without(promised, NoneValue), Submodule)
    if not isinstance(default, (ast.Name, ast.Attribute, ast.Call)) or not (_may_be_called(promised) or is_object):
        return None
    value = _default_value(frame, default)
    if is_only(value, Tensor):
        return held(value, argument=parameter.arg)
    return value if is_only(value, ExternalValue, FunctionValue, ClassValue, Distribution) else None


def _promise(frame: Frame, parameter: ast.arg, given: Value | None = None) -> Value:
    """What a parameter is that is given nothing that is known; an argument that is handed on keeps its name.

    ``weight: None`` is a default in the wrong place: nobody has a parameter that is always None.
    """
    unknown = [one for one in given or () if isinstance(one, Unknown)]
    handed = {one.argument for one in unknown} - {""}
    name = handed.pop() if len(handed) == 1 else parameter.arg
    if parameter.annotation is None or is_none(parameter.annotation):
        is_number = bool(unknown) and all(one.number for one in unknown)
        left_out = shared_left_out(unknown)
        return frozenset({Unknown("an argument without annotation", name, number=is_number, left_out=left_out)})
    promised = annotated(frame.inference, frame.scope.parent or frame.scope, parameter.annotation)
    return frame.as_argument(promised, name)
