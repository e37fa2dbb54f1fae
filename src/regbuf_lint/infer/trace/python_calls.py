"""The trails of what Python's functions, and methods of lists and dicts, give."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TypeAlias

from regbuf_lint.infer.builtin_calls import known_pattern
from regbuf_lint.infer.strings import literal_strings, pattern_of
from regbuf_lint.infer.trace.call import Call, asked_about, computed, is_self_argument, passed, run_escaping
from regbuf_lint.infer.trace.trail_kinds import without_tensors
from regbuf_lint.model.trail import NOWHERE, Flow, Origin, Trail, listed, merged
from regbuf_lint.model.use import Sink
from regbuf_lint.model.value import is_number


def container_called(call: Call, name: str, trail: Trail, function: ast.Attribute) -> Trail:
    """A method of a list or dict: what it is given is in it from now on."""
    if name in {"items", "enumerate"}:
        return Trail(trail.origins, each=listed([NOWHERE, trail.element]))
    if name in {"keys", "index", "count"}:
        return NOWHERE
    if name == "get" and any(call.frame.is_device(one) for _, one in call.given):
        call.use(trail, Sink.BY_DEVICE)
    given = frozenset[Origin]().union(*(one.tensors for one in call.trails))
    if given or name in {"append", "extend", "insert", "clear", "update", "setdefault"}:
        before = call.tracer.now(call.frame, function.value, call.state)
        call.use(without_tensors(before, call.state), Sink.MUTATED, given)
        for one in call.trails:
            call.use(one, Sink.STORED, trail.tensors)
        if isinstance(function.value, ast.Name):
            call.state.trails[function.value.id] = Trail(before.origins | given)
    return trail.then(Flow.ELEMENT)


def _host(call: Call) -> Trail:
    return call.all_end(Sink.HOST)


def _copied(call: Call) -> Trail:
    first = call.trails[0] if call.trails else NOWHERE
    return first if first.items is not None or first.each is not None else Trail(first.origins, each=first.element)


def _enumerated(call: Call) -> Trail:
    first = call.trails[0] if call.trails else NOWHERE
    return Trail(first.origins, each=listed([NOWHERE, first.element]))


def _zipped(call: Call) -> Trail:
    return Trail(call.origins, each=listed([one.element for one in call.trails]))


def _element(call: Call) -> Trail:
    return call.trails[0].element if call.trails else NOWHERE


def _joined(call: Call) -> Trail:
    """``sum``, ``max`` and the like compute with the elements of one list, or with several values."""
    if len(call.trails) == 1:
        only = call.trails[0]
        if is_number(call.result):  # of a list of numbers, be it a tensor
            call.use(only, Sink.HOST)
            return only.then(Flow.METADATA)
        return computed(call, list(only.items) if only.items is not None else [only.element, only.element])
    return computed(call, call.trails)


def _attribute_of(call: Call) -> Trail:
    """``getattr(self, "x", None)``."""
    owner, name = call.argument(0, "object"), call.argument(1, "name")
    if owner is None or name is None:
        return passed(call)
    names = literal_strings(call.value(name)) or known_pattern(call.value(name), call.state)
    if not is_self_argument(call, owner):
        return call.trail(owner).then(Flow.ELEMENT)
    if names:
        default = [call.trail(one) for one in call.node.args[2:]]
        return merged([*(call.tracer.attribute(one, call.state) for one in names), *default])
    pattern = pattern_of(call.value(name))
    asked = sorted(call.tracer.attributes)
    if pattern is not None:
        meant = [one for one in asked if fnmatchcase(one, pattern)]
        return merged(Trail(call.tracer.attribute(one, call.state).origins) for one in meant) if meant else NOWHERE
    for one in filter(call.frame.may_name, asked):
        call.use(call.tracer.attribute(one, call.state), Sink.PASSED)
    return NOWHERE


def _attribute_set(call: Call) -> Trail:
    """``setattr(self, "x", value)``."""
    owner, name, value = (call.argument(place, "") for place in range(3))
    if owner is None or name is None or value is None or not is_self_argument(call, owner):
        return passed(call)
    for one in literal_strings(call.value(name)) or ():
        call.tracer.stored(call.frame, one, call.trail(value), call.state, call.node)
    return NOWHERE


def _has_attribute(call: Call) -> Trail:
    owner, name = call.argument(0, "object"), call.argument(1, "name")
    if owner is not None and name is not None and is_self_argument(call, owner):
        for one in literal_strings(call.value(name)) or ():
            call.use(call.tracer.attribute(one, call.state), Sink.METADATA)
    return call.all_end(Sink.METADATA)


def _mapped(call: Call) -> Trail:
    """``map(function, values)``: the function runs on each element."""
    run_escaping(call)
    rest = call.trails[1:]
    for trail in rest:
        call.use(trail, Sink.PASSED, call.origins - trail.tensors)
    return Trail(frozenset(one.then(Flow.COMPUTED) for trail in rest for one in trail.tensors))


_Builtin: TypeAlias = Callable[[Call], Trail]
BUILTINS: dict[str, _Builtin] = {
    **dict.fromkeys(
        (
            "float",
            "int",
            "bool",
            "str",
            "repr",
            "format",
            "print",
            "range",
            "complex",
            "any",
            "all",
            "hash",
            "bytes",
            "slice",
            "divmod",
        ),
        _host,
    ),
    **dict.fromkeys(("len", "isinstance", "type", "id", "callable", "issubclass"), asked_about),
    **dict.fromkeys(("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "dict"), _copied),
    **dict.fromkeys(("sum", "max", "min", "abs", "pow", "round"), _joined),
    "enumerate": _enumerated,
    "zip": _zipped,
    "next": _element,
    "getattr": _attribute_of,
    "setattr": _attribute_set,
    "hasattr": _has_attribute,
    "map": _mapped,
    "filter": _mapped,
    "super": lambda _call: NOWHERE,
}
