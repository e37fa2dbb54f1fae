"""The trails of what torch's functions, and methods of tensors, give."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.index.known_classes import is_torch_distribution
from regbuf_lint.infer.annotations import PARAMETERS
from regbuf_lint.infer.dimensions import is_made_of_data
from regbuf_lint.infer.references import (
    SAMPLING,
    ExternalValue,
    Instance,
    MethodOf,
)
from regbuf_lint.infer.trace.call import (
    Call,
    asked_about,
    computed,
    part_called,
    passed,
    run_escaping,
)
from regbuf_lint.infer.trace.casts import cast_by_making, cast_by_move
from regbuf_lint.infer.trace.grown_numbers import with_dimensions
from regbuf_lint.infer.trace.python_calls import container_called
from regbuf_lint.model.trail import NOWHERE, Flow, Origin, Source, Trail, made, merged
from regbuf_lint.model.use import AS_DEVICE, DRAWN, Sink
from regbuf_lint.model.value import (
    NOTHING,
    TENSOR_KINDS,
    Alternative,
    Device,
    Distribution,
    Literal,
    Location,
    Mapping,
    NoneValue,
    Other,
    Sequence,
    Submodule,
    Tensor,
    is_number,
    is_only,
    may_be,
    tensors,
)
from regbuf_lint.torch_facts.library_functions import saves
from regbuf_lint.torch_facts.table import table
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from regbuf_lint.model.value import Value


def torch_called(call: Call, name: str) -> Trail:
    """Where the result of a function of torch comes from, by its dotted name."""
    if name == "torch.device":
        return made(Source.FRESH, "cpu", Flow.PLACE) if call.given and is_cpu(call.value(call.given[0][1])) else NOWHERE
    if name in PARAMETERS:  # shares the memory of what it is given
        data = call.argument(0, "data")
        return NOWHERE if data is None else call.trail(data)
    if has("draw_functions", name) and _own_generator(call):
        call.all_end(Sink.DRAW)
        return made(Source.FRESH, "said")
    for trait, what_follows in _FUNCTIONS.items():
        if has(trait, name):
            return what_follows(call, name)
    if has("second_on_cpu_functions", name):
        return _second_on_cpu(call, call.argument(1, "lengths"), [])
    weight = call.argument(1, "weight") if has("layer_functions", name) else None
    if weight is not None:
        call.use(call.trail(weight), Sink.WEIGHT)
    if saves(name) or (name not in table().functions and not is_torch_distribution(name)):
        return passed(call)
    grows = has("join_functions", name) or has("reshape_functions", name)
    trail = partial(_grown, call) if grows else call.trail
    first = call.argument(0, "input") if has("alone_functions", name) else None
    if first is not None:
        numbers = [one for key, one in call.given if key != "out" and one is not first]
        return _apart(call, numbers, Sink.HOST, [trail(first)])
    return computed(call, [trail(one) for key, one in call.given if key != "out"])


def _grown(call: Call, node: ast.expr) -> Trail:
    """The trail of what a call gives dimensions, should its result have any."""
    if is_number(call.result):
        return call.trail(node)
    return with_dimensions(call.tracer, call.frame, call.node, call.trail(node), call.value(node))


def _apart(call: Call, others: list[ast.expr], sink: Sink, trails: list[Trail]) -> Trail:
    """Compute with some values; the other arguments each end in a sink and meet nothing."""
    for one in others:
        call.use(call.trail(one), sink)
    return computed(call, trails)


def _second_on_cpu(call: Call, second: ast.expr | None, before: list[Trail]) -> Trail:
    """Compute with all that is given but the argument that is to lie on the CPU."""
    others = [] if second is None else [second]
    rest = [call.trail(one) for _, one in call.given if one is not second]
    return _apart(call, others, Sink.ON_CPU, [*before, *rest])


def _split(call: Call, _name: str, trail: Trail) -> Trail:
    return _second_on_cpu(call, call.argument(0, "indices"), [trail])


def _own_generator(call: Call) -> bool:
    """Whether a call draws with a generator that the object holds in any case; torch's own is there on every device."""
    given = next((one for key, one in call.given if key == "generator"), None)
    if given is None or may_be(call.value(given), NoneValue):
        return False
    origins = call.trail(given).origins
    return bool(origins) and all(one.source is Source.ENTRY for one in origins)


def _placed(call: Call, trail: Trail) -> Trail:
    """``torch.zeros_like(x)`` and ``x.get_device()`` depend on no more than the place and dtype of a tensor."""
    call.use(trail, Sink.PLACE)
    if not may_be(call.result, Tensor):
        return trail.then(Flow.PLACE)
    return _device(call) or trail.then(Flow.BESIDE)


def _like(call: Call, _name: str) -> Trail:
    return _placed(call, call.trails[0] if call.trails else NOWHERE)


def _decides(call: Call, _name: str) -> Trail:
    call.tracer.meet(call.frame, call.node, call.trails, call.name)
    return call.all_end(Sink.HOST)


def _asks(call: Call, _name: str) -> Trail:
    return asked_about(call)


def _factory(call: Call, name: str) -> Trail:
    return _made(call, name).cast(cast_by_making(call))


def _made(call: Call, name: str) -> Trail:
    data = [call.trail(one) for key, one in call.given if key not in {"device", "dtype"}]
    device = _device(call)
    if _takes_tensor(call, name):
        return merged(data).then(Flow.COMPUTED if device is None else Flow.MOVED)
    for trail in data:
        call.use(trail, Sink.HOST)
    return device or made(Source.FRESH, "number" if is_number(call.result) else "")


def _takes_tensor(call: Call, name: str) -> bool:
    """Whether ``torch.as_tensor`` may be given a tensor, or ``torch.tensor`` one, which it copies on its device.

    Of a list of tensors without dimensions both read the numbers (documentation of torch 2.13).
    """
    data = call.argument(0, "data")
    if data is None:
        return False
    if has("convert_functions", name):
        return bool(call.trail(data).tensors) and not is_only(call.value(data), Sequence)
    return is_made_of_data(name) and may_be(call.value(data), *TENSOR_KINDS)


_FUNCTIONS: dict[str, Callable[[Call, str], Trail]] = {
    "metadata_functions": _asks,
    "place_functions": _like,
    "host_functions": _decides,
    "factory_functions": _factory,
}
"""What becomes of the arguments of a function of torch, by the first trait that it has."""


def _device(call: Call) -> Trail | None:
    """The trail of what is made on the device that a call names; None where it names none."""
    given = next((one for key, one in call.given if key == "device"), None)
    if given is None:
        return None
    trail = call.trail(given)
    if trail.origins:
        call.tracer.use(call.frame, trail, Sink.PLACE, call.node, callee=AS_DEVICE)
        return Trail(_beside(trail.origins))
    return made(Source.FRESH, "cpu" if is_cpu(call.value(given)) else "said")


def _beside(origins: Iterable[Origin]) -> frozenset[Origin]:
    """The origins of a new tensor on the device of others; it follows the object where these do.

    A number that the others were made with lies nowhere.
    """
    placed = (one for one in origins if one.flow is not Flow.METADATA)
    return frozenset(one if one.flow is Flow.JOINED else replace(one, flow=Flow.BESIDE) for one in placed)


def is_cpu(value: Value) -> bool:
    """Whether a value names the CPU, or a type that only tensors on the CPU have."""
    return bool(value) and all(_names_cpu(one) for one in value)


def _may_be_cpu(value: Value) -> bool:
    """Whether a value names the CPU on one path, and something else on another."""
    return any(map(_names_cpu, value)) and not is_cpu(value)


def _names_cpu(one: Alternative) -> bool:
    if isinstance(one, ExternalValue):
        return has("factory_functions", one.name) and one.name.rpartition(".")[0] in {"torch", "torch.sparse"}
    if isinstance(one, Device):
        return one.location is Location.CPU
    return isinstance(one, Literal) and one.value == "cpu"


def method_called(call: Call, function: ast.Attribute, owner: Value) -> Trail:
    """Where the result of ``value.method(...)`` comes from; ``owner`` is the value."""
    trail = call.trail(function.value)
    if is_only(owner, Instance):
        return _unknown_method(call, trail)
    if is_only(owner, Submodule, Instance):
        return part_called(call)
    if is_only(owner, Sequence, Mapping):
        return container_called(call, function.attr, trail, function)
    for trait, what_follows in _METHODS.items():
        if has(trait, function.attr):
            return what_follows(call, function.attr, trail)
    if has("draw_methods", function.attr) and _own_generator(call):
        call.use(trail, Sink.DRAW)
        return made(Source.FRESH, "said")
    if has("tensor_only_methods", function.attr) or any(isinstance(one, MethodOf) for one in call.callee):
        if function.attr in SAMPLING and call.given and any(_is_of_numbers(one) for one in owner):
            call.use(trail, Sink.GROWN)
        if has("alone_methods", function.attr):
            return _apart(call, [one for _, one in call.given], Sink.HOST, [trail])
        return computed(call, [trail, *call.trails])
    return _unknown_method(call, trail)


def _is_of_numbers(one: Alternative) -> bool:
    return isinstance(one, Distribution) and one.of_numbers


def _to_host(call: Call, name: str, trail: Trail) -> Trail:
    if call.origins:
        call.tracer.meet(call.frame, call.node, [trail, *call.trails], call.name)
    call.use(trail, Sink.NUMPY if name == "numpy" else Sink.HOST)
    return NOWHERE


def _asked(call: Call, _name: str, trail: Trail) -> Trail:
    call.use(trail, Sink.METADATA)
    return trail.then(Flow.METADATA)


def _of_place(call: Call, name: str, trail: Trail) -> Trail:
    if has("move_methods", name) and call.given:
        return _move(call, name, trail)
    for one in call.trails:
        call.use(one, Sink.HOST)
    return _placed(call, trail)


def _reshaped(call: Call, name: str, trail: Trail) -> Trail:
    for one in call.trails:
        call.use(one, Sink.HOST)
    if isinstance(call.node.func, ast.Attribute):
        trail = _grown(call, call.node.func.value)
    return trail if has("view_methods", name) else trail.then(Flow.COMPUTED)


def _unknown_method(call: Call, trail: Trail) -> Trail:
    """A method of what may be no tensor: what it does with the object itself is not known."""
    call.use(trail, Sink.PASSED, call.origins)
    for one in call.trails:
        call.use(one, Sink.PASSED, (call.origins - one.tensors) | trail.tensors)
    run_escaping(call)
    return merged([trail.guessed(), *(one.guessed() for one in call.trails)])


def _move(call: Call, name: str, trail: Trail) -> Trail:
    return _moved(call, name, trail).cast(cast_by_move(call, name))


def _moved(call: Call, name: str, trail: Trail) -> Trail:
    for one in call.trails:
        call.use(one, Sink.PLACE)
    values = [call.value(one) for _, one in call.given]
    given = [trail for trail, value in zip(call.trails, values, strict=True) if not _is_no_device(value)]
    origins = [] if any(map(_may_be_cpu, values)) else [one for trail in given for one in trail.origins]
    places = [one for one in origins if one.flow is Flow.PLACE]
    to_cpu = bool(places) and all(one.on_cpu for one in places)
    if has("move_to_cpu_methods", name) or to_cpu or any(map(is_cpu, values)):
        return trail.then(Flow.METADATA if is_number(call.result) else Flow.TO_CPU)
    if has("cast_methods", name) or (values and all(map(_is_no_device, values))) or _is_there_by_name(call):
        return trail
    call.tracer.moved(call.frame, trail, call.node)
    there = _beside(origins)
    is_own_place = bool(there) and all(map(call.tracer.is_asked_about, there))
    leaving = (one for one in trail.origins if one.flow is not Flow.BESIDE and not (is_own_place and one.follows))
    moved = frozenset(one.then(Flow.MOVED) for one in leaving)
    return Trail(moved | there) if moved | there else made(Source.FRESH, "said")


def _is_there_by_name(call: Call) -> bool:
    """Whether a tensor that lies on an accelerator by name is moved to one by name."""
    function = call.node.func
    before = call.value(function.value) if isinstance(function, ast.Attribute) else NOTHING
    places = {one.location for value in (before, call.result) for one in tensors(value)}
    return bool(tensors(before)) and places == {Location.NAMED}


def _is_no_device(value: Value) -> bool:
    """Whether an argument of ``to`` is a dtype or a flag."""
    return bool(value) and all(
        one.what.startswith("dtype") if isinstance(one, Other) else isinstance(one, Literal) and type(one.value) is bool
        for one in value
    )


def _in_place(call: Call, name: str, trail: Trail) -> Trail:
    if has("overwriting_methods", name):
        trail = call.tracer.overwritten(call.state, trail)
    if has("draw_methods", name):
        if _own_generator(call):
            call.use(trail, Sink.DRAW)
        call.use(trail, Sink.MUTATED, made(Source.FRESH, DRAWN).origins)
        call.all_end(Sink.HOST)
        return trail
    call.use(trail, Sink.MUTATED, call.origins)
    is_copied = has("fetching_methods", name)
    for one in call.trails:
        call.use(one, Sink.COPIED if is_copied else Sink.MEETS, trail.tensors)
    function = call.node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and call.origins:
        before = call.state.trails.get(function.value.id, NOWHERE)
        call.state.trails[function.value.id] = call.tracer.changed_in_place(before, call.origins, is_copied=is_copied)
    return trail


_METHODS: dict[str, Callable[[Call, str, Trail], Trail]] = {
    "host_methods": _to_host,
    "second_on_cpu_methods": _split,
    "metadata_methods": _asked,
    "place_methods": _of_place,
    "move_methods": _move,
    "reshape_methods": _reshaped,
    "in_place_methods": _in_place,
}
"""What becomes of a tensor whose method is called, by the first trait that the method has."""
