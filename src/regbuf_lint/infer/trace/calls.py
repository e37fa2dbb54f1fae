"""The trail of a call's result, and what the call does with what it is given."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from regbuf_lint.infer.attributes import REGISTERING
from regbuf_lint.infer.references import (
    ClassValue,
    ExternalValue,
    Instance,
    NamedTupleClass,
    PartialCall,
    SelfMethod,
    SelfValue,
)
from regbuf_lint.infer.trace.call import Call, computed, part_called, partial_called, passed
from regbuf_lint.infer.trace.python_calls import BUILTINS
from regbuf_lint.infer.trace.torch_calls import method_called, torch_called
from regbuf_lint.model.trail import NOWHERE, Trail, merged
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import (
    Distribution,
    Submodule,
    is_only,
    may_be,
)
from regbuf_lint.torch_facts.library_functions import is_listed, iterates, takes_tensor
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from regbuf_lint.infer.state import State
    from regbuf_lint.infer.trace.traced_frame import TracedFrame
    from regbuf_lint.infer.trace.tracer import Tracer
    from regbuf_lint.model.value import Value


def call_trail(tracer: Tracer, frame: TracedFrame, node: ast.Call, value: Value, state: State) -> Trail:
    """Where the result of a call comes from; the call has been evaluated."""
    call = Call(tracer, frame, node, state, frame.value_of(node.func), value)
    if frame.result is not None:
        return frame.result
    trail = _trail(call)
    if may_be(value, Distribution):
        return Trail(trail.origins)
    return trail


def _trail(call: Call) -> Trail:
    callee = call.callee
    names = call.external_names
    if names and is_only(callee, ExternalValue):
        return merged([_external(call, name) for name in names])
    if is_only(callee, Submodule, Instance):
        return part_called(call)
    if is_only(callee, PartialCall):
        return partial_called(call)
    if is_only(call.result, Submodule):
        return passed(call, Sink.PART)
    if is_only(callee, SelfMethod) and all(one.name in REGISTERING for one in callee if isinstance(one, SelfMethod)):
        return NOWHERE  # what is registered follows the object
    function = call.node.func
    if isinstance(function, ast.Attribute) and not is_only(callee, ClassValue, NamedTupleClass, SelfMethod):
        owner = call.value(function.value)
        if not any(isinstance(one, SelfValue) for one in owner):
            if has("tensor_only_methods", function.attr):
                call.tracer.takes_tensor(call.frame, function.value)
            return method_called(call, function, owner)
    return passed(call)


def _external(call: Call, name: str) -> Trail:
    if call.node.args and takes_tensor(name):
        call.tracer.takes_tensor(call.frame, call.node.args[0])
    if len(call.node.args) > 1 and has("takes_second_tensor_functions", name):
        call.tracer.takes_tensor(call.frame, call.node.args[1])
    top, _, rest = name.partition(".")
    if top == "builtins":
        return BUILTINS.get(rest, passed)(call)
    if top == "torch":
        return torch_called(call, name)
    if top == "numpy":
        call.all_end(Sink.NUMPY)
        return NOWHERE
    if top == "math":
        return call.all_end(Sink.HOST)
    if iterates(name):
        return BUILTINS["iter"](call)
    return computed(call, call.trails) if is_listed(name) else passed(call)
