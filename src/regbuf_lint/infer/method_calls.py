"""Methods of tensors, lists, dicts and strings."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from regbuf_lint.infer import torch_api
from regbuf_lint.infer.builtin_types import type_name
from regbuf_lint.infer.collections import (
    WALKS,
    element_of,
    mapping_values,
    or_default,
    sequence,
    sequence_of,
    updated,
)
from regbuf_lint.infer.generators import as_seeded, is_generator
from regbuf_lint.infer.locations import location_of, location_of_method
from regbuf_lint.infer.numpy_api import ARRAY_CAST, array_of_method
from regbuf_lint.infer.references import SAMPLING, ExternalValue, Instance
from regbuf_lint.infer.strings import literal_strings, method_of_string
from regbuf_lint.infer.targets import bind, change_in_place, note_filled, note_random
from regbuf_lint.infer.torch_api import result_tensor
from regbuf_lint.model.value import (
    NAMELESS,
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Alternative,
    Array,
    Buffer,
    Differs,
    Distribution,
    Literal,
    Loaded,
    Location,
    Mapping,
    Other,
    Parameter,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Value,
    join,
    tensors,
)

if TYPE_CHECKING:
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.infer.frame import Frame
    from regbuf_lint.infer.references import MethodOf
    from regbuf_lint.infer.state import State

_SAME_PARAMETER = frozenset({"requires_grad_", "share_memory_", "retain_grad", "float", "contiguous", "cpu"})
"""Methods that give the Parameter itself: casts to what nearly all are, while they are built (torch 2.13)."""

_USUAL_DTYPE: Value = frozenset(
    {Other("dtype:float32"), Other("dtype:float"), ExternalValue("torch.FloatTensor"), Literal("torch.FloatTensor")}
)
"""Dtypes, and types of tensors, that nearly all Parameters have while they are built."""


def call_method_of(frame: Frame, callee: MethodOf, arguments: Arguments, state: State) -> Value:
    """What ``owner.name(...)`` returns; lists, dicts and tensors that it changes are bound anew."""
    owner = callee.owner
    if isinstance(owner, Tensor):
        return _of_tensor(frame, callee, owner, arguments, state)
    if isinstance(owner, Parameter):
        return _of_parameter(owner, callee.name, arguments)
    if isinstance(owner, Buffer):
        return torch_api.call_method(callee.name, torch_api.as_plain(owner), arguments) or UNKNOWN
    if isinstance(owner, Unknown) and callee.name != ARRAY_CAST:
        return WALKS.get(callee.name) or frozenset({_moved(owner, callee.name, arguments)})
    if isinstance(owner, (Submodule, Instance)):
        return WALKS.get(callee.name, frozenset({owner}))
    if isinstance(owner, Distribution):
        return frozenset({_of_distribution(owner, callee.name, arguments)})
    return _of_python_object(frame, callee, owner, arguments, state)


def _of_python_object(frame: Frame, callee: MethodOf, owner: Alternative, arguments: Arguments, state: State) -> Value:
    if isinstance(owner, Sequence):
        return _of_sequence(frame, callee, owner, arguments, state)
    if isinstance(owner, Mapping):
        return _of_mapping(frame, callee, owner, arguments, state)
    if is_generator(owner):
        return _of_generator(frame, callee, owner, arguments, state)
    if isinstance(owner, Array) or callee.name == ARRAY_CAST:
        return array_of_method(owner, callee.name, arguments)
    return method_of_string(owner, callee.name, arguments) if type_name(owner) == "str" else OTHER


def _moved(owner: Unknown, name: str, arguments: Arguments) -> Unknown:
    """What ``x.to(...)`` gives of something unknown: no more is known of it but where it lies, if it is a tensor."""
    like = Tensor(location=owner.location)
    location = location_of_method(name, like, arguments, result_tensor(arguments.every()))
    if isinstance(owner, Loaded):
        return replace(owner, is_moved=True, location=location)
    return Unknown(computed=owner.computed, location=location)


def _of_distribution(owner: Distribution, name: str, arguments: Arguments) -> Tensor:
    if name in SAMPLING:
        return Tensor(differs=Differs.AT_RANDOM)
    like = torch_api.result_tensor(arguments.every())
    own = Differs.AT_RANDOM if name == "rsample" else owner.differs
    derived = like.derived or owner.derived
    return replace(like, derived=derived, differs=max(like.differs, own), argument="", alias="")


def _of_tensor(frame: Frame, callee: MethodOf, owner: Tensor, arguments: Arguments, state: State) -> Value:
    result = torch_api.call_method(callee.name, owner, arguments)
    if result is None:
        return UNKNOWN
    in_place = callee.name.endswith("_") and not callee.name.endswith("__")
    if in_place and isinstance(callee.node, ast.Name) and callee.node.id in state.locals:
        bind(frame, callee.node, result, state)
    elif in_place and callee.node is not None:
        note_filled(frame, callee.node, state)
        if any(tensor.random for tensor in tensors(result)):
            note_random(frame, callee.node, state)
    return result


def _of_parameter(owner: Parameter, name: str, arguments: Arguments) -> Value:
    if name == "requires_grad_":
        return frozenset({owner.asked(arguments.argument(0, "requires_grad"))})
    if name in _SAME_PARAMETER or (name.endswith("_") and not name.endswith("__")):
        return frozenset({owner})
    if name in {"to", "type"} and arguments.every() and all(map(_is_usual, arguments.every())):
        return frozenset({owner})
    return torch_api.call_method(name, torch_api.as_plain(owner), arguments) or UNKNOWN


def _is_usual(given: Value) -> bool:
    """Whether a move or cast is to the dtype that nearly all Parameters have, or to the device where they are made."""
    return given <= _USUAL_DTYPE or location_of(given) is Location.CPU


def _of_generator(frame: Frame, callee: MethodOf, owner: Other, arguments: Arguments, state: State) -> Value:
    found = torch_api.call_generator_method(callee.name) or OTHER
    seeded = as_seeded(owner, callee.name, arguments)
    if seeded is None:
        return found
    _rebind(frame, callee, seeded, state)
    return frozenset(seeded if is_generator(one) else one for one in found)


def _rebind(frame: Frame, callee: MethodOf, changed: Sequence | Mapping | Other, state: State) -> None:
    """Bind the name that the method was called on to the changed list, dict or generator."""
    if isinstance(callee.node, ast.Subscript):
        bind(frame, callee.node, frozenset({changed}), state)
    elif callee.node is not None:
        owner, new = frozenset({callee.owner}), frozenset({changed})
        change_in_place(frame, callee.node, state, lambda now: now - owner | new if owner <= now else now)


def _of_sequence(frame: Frame, callee: MethodOf, owner: Sequence, arguments: Arguments, state: State) -> Value:
    given = arguments.positional[-1] if arguments.positional else NOTHING
    if callee.name in {"append", "add", "insert", "appendleft"}:
        items = owner.items if callee.name == "append" and frame.loops == 0 else None
        known = (*items, given) if items is not None else None
        _rebind(frame, callee, Sequence(owner.kind, known, owner.element | given), state)
        return NONE
    if callee.name in {"extend", "update"}:
        _rebind(frame, callee, Sequence(owner.kind, None, owner.element | element_of(given)), state)
        return NONE
    if callee.name == "clear":
        _rebind(frame, callee, Sequence(owner.kind, (), NOTHING), state)
        return NONE
    if callee.name == "pop":
        return owner.element or UNKNOWN
    if callee.name == "copy":
        return frozenset({owner})
    return OTHER if callee.name in {"index", "count"} else NONE


def _of_mapping(frame: Frame, callee: MethodOf, owner: Mapping, arguments: Arguments, state: State) -> Value:
    handler = _MAPPING_METHODS.get(callee.name)
    if handler is not None:
        return handler(owner, arguments)
    if callee.name == "update":
        by_name = Mapping(tuple(arguments.keywords.items()), NOTHING)
        changed = reduce(updated, (*arguments.positional, frozenset({by_name})), owner)
        _rebind(frame, callee, changed, state)
        return NONE
    if callee.name == "setdefault":
        value = mapping_values(owner) | arguments.argument(1, "default")
        _rebind(frame, callee, Mapping(owner.items, owner.rest | arguments.argument(1, "default")), state)
        return value or UNKNOWN
    if callee.name == "clear":
        _rebind(frame, callee, Mapping((), NOTHING), state)
        return NONE
    return frozenset({owner}) if callee.name == "copy" else UNKNOWN


def _items(owner: Mapping, _arguments: Arguments) -> Value:
    pairs = [sequence("tuple", [frozenset({Literal(key)}), value]) for key, value in owner.items]
    if not owner.rest:
        return sequence("list", pairs)
    return sequence_of("list", join([*pairs, sequence("tuple", [OTHER, owner.rest])]))


def _keys(owner: Mapping, _arguments: Arguments) -> Value:
    keys = [frozenset({Literal(key)}) for key, _ in owner.items]
    return sequence_of("list", OTHER) if owner.rest else sequence("list", [*keys])


def _values(owner: Mapping, _arguments: Arguments) -> Value:
    if owner.rest:
        return sequence_of("list", mapping_values(owner))
    return sequence("list", [value for _, value in owner.items])


def _get(owner: Mapping, arguments: Arguments) -> Value:
    default = arguments.positional[1] if len(arguments.positional) > 1 else NONE
    names = literal_strings(arguments.argument(0, "key"))
    known = dict(owner.items)
    if names is None:
        return or_default(mapping_values(owner), default, NAMELESS)
    return join(known[name] if name in known else or_default(owner.rest, default, name) for name in names)


_MappingMethod: TypeAlias = Callable[[Mapping, "Arguments"], Value]
_MAPPING_METHODS: dict[str, _MappingMethod] = {
    "items": _items,
    "keys": _keys,
    "values": _values,
    "get": _get,
    "pop": _get,
}
