"""Lists, tuples and dicts as values: their items, elements, and what iterating over them yields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.infer.dimensions import as_numbers
from regbuf_lint.infer.randomness import spread
from regbuf_lint.infer.strings import literal_string
from regbuf_lint.infer.torch_api import as_plain
from regbuf_lint.model.value import (
    NOTHING,
    OTHER,
    TENSOR_KINDS,
    UNKNOWN,
    Alternative,
    Array,
    Buffer,
    Literal,
    Loaded,
    Mapping,
    Other,
    Parameter,
    Part,
    Place,
    Sequence,
    Submodule,
    Tensor,
    Unknown,
    Value,
    is_only,
    join,
    may_be,
    the_one,
)

if TYPE_CHECKING:
    from regbuf_lint.infer.arguments import Arguments

MOST_ITEMS = 32
_KIND_OF_ITEMS = {"size": "int", "range": "int", "str": "str"}
"""What the items of values are that hold no tensor."""


def sequence(kind: str, items: list[Value]) -> Value:
    """A list or tuple of known items."""
    known = tuple(items) if len(items) <= MOST_ITEMS else None
    return frozenset({Sequence(kind, known, join(items))})


def sequence_of(kind: str, element: Value) -> Value:
    """A list or tuple of unknown length."""
    return frozenset({Sequence(kind, None, element)})


_PARAMETER: Value = frozenset({Parameter()})
_BUFFER: Value = frozenset({Buffer(Tensor(fresh=False))})
_MODULE: Value = frozenset({Submodule()})
_NAME: Value = frozenset({Other("str")})
WALKS: dict[str, Value] = {
    "parameters": sequence_of("generator", _PARAMETER),
    "named_parameters": sequence_of("generator", sequence("tuple", [_NAME, _PARAMETER])),
    "buffers": sequence_of("generator", _BUFFER),
    "named_buffers": sequence_of("generator", sequence("tuple", [_NAME, _BUFFER])),
    "children": sequence_of("generator", _MODULE),
    "modules": sequence_of("generator", _MODULE),
    "named_children": sequence_of("generator", sequence("tuple", [_NAME, _MODULE])),
    "named_modules": sequence_of("generator", sequence("tuple", [_NAME, _MODULE])),
}
"""What methods of nn.Module give that walk through what it holds."""
NAMED_WALKS = frozenset(name for name in WALKS if name.startswith("named_"))
"""Those that nothing else has: whatever is asked for them is an nn.Module."""


_LISTS = {"ModuleList": _MODULE, "ParameterList": _PARAMETER, "Sequential": _MODULE}
_DICTS = {"ModuleDict": _MODULE, "ParameterDict": _PARAMETER}
"""What torch's own lists and dicts hold; those of Parameters make Parameters of all tensors (torch 1.12)."""


def held_by(one: Submodule) -> Value:
    """What an nn.Module holds that is one of torch's own lists and dicts."""
    name = _own_class(one)
    return _LISTS.get(name) or _DICTS.get(name) or UNKNOWN


def _own_class(one: Submodule) -> str:
    """The name of the class of an nn.Module of torch; empty for one of a project's class, which may do otherwise."""
    return one.class_name.rpartition(".")[2] if type(one) is Submodule else ""


def element_of(value: Value) -> Value:
    """What iterating over ``value`` yields."""
    return spread(value, join(_element(one) for one in value) or UNKNOWN)


def _element(one: Alternative) -> Value:
    if isinstance(one, Sequence):
        return one.element
    if isinstance(one, TENSOR_KINDS):
        return frozenset({part_of(one, lost=1)})
    if isinstance(one, Mapping):
        return frozenset(Literal(key) for key, _ in one.items) | (OTHER if one.rest else NOTHING)
    if isinstance(one, Submodule):
        return _NAME if _own_class(one) in _DICTS else held_by(one)
    if isinstance(one, Array):
        return frozenset({one})
    if isinstance(one, Literal):
        return OTHER
    if isinstance(one, Other):
        kind = _KIND_OF_ITEMS.get(one.what.partition(":")[0])
        return UNKNOWN if kind is None else frozenset({Other(kind)})
    return frozenset({part_of_loaded(one, Part.ELEMENT)}) if isinstance(one, Loaded) else UNKNOWN


def part_of_loaded(one: Loaded, part: Part) -> Loaded:
    """A part of what ``torch.load`` returned; what has been moved is a tensor if its parts are used as such."""
    if one.is_moved:
        return one
    inner = (Place(place.attribute, Part.ELEMENT if place.part is Part.ELEMENT else part) for place in one.places)
    return replace(one, places=frozenset(inner))


def part_of(one: Tensor | Parameter | Buffer, lost: int | None = None, *, is_copy: bool = False) -> Tensor:
    """A part of a tensor.

    Args:
        one: the tensor.
        lost: how many dimensions the part has less, where that is known.
        is_copy: whether it has memory of its own, and is no view.
    """
    tensor = as_plain(one)
    derived = tensor.derived or tensor.requires_grad
    before = one.dims if isinstance(one, Tensor) else None
    dims = None if before is None or lost is None or lost > before else before - lost
    part = replace(tensor, dims=dims, requires_grad=False, derived=derived)
    if not is_copy:
        return part
    return replace(part, fresh=True, expanded=False, view_of_parameter=False, argument="", alias="")


def items_of(value: Value) -> tuple[Value, ...] | None:
    """The items of a list or tuple whose length is known, or of a dict's keys, on every path the same; else None."""
    one = the_one(value)
    if isinstance(one, Sequence):
        return one.items
    if isinstance(one, Mapping) and not one.rest:
        return tuple(frozenset({Literal(key)}) for key, _ in one.items)
    return None


def item_at(value: Value, index: int) -> Value:
    """What ``value[index]`` is, or the value that unpacking gives to target number ``index``."""
    return spread(value, join(item_of(one, index) for one in value) or UNKNOWN)


def item_of(one: Alternative, index: int) -> Value:
    """What a known alternative has at an index; nothing where reading it raises, as in a list that is too short."""
    if isinstance(one, Sequence) and one.items is not None:
        inside = -len(one.items) <= index < len(one.items)
        return one.items[index] if inside else NOTHING
    return frozenset({part_of_loaded(one, Part.ITEM)}) if isinstance(one, Loaded) else _element(one)


def at_key(one: Mapping, key: str) -> Value:
    """What a dict has at a key; nothing where reading it raises."""
    known = dict(one.items).get(key)
    return known if known is not None else one.rest


def mapping_values(one: Mapping) -> Value:
    """What stands under any key of a dict."""
    return join((*(value for _, value in one.items), one.rest))


def or_default(found: Value, default: Value, name: str) -> Value:
    """What ``settings.get(name, default)`` is; an unknown value for which a tensor stands in is a tensor too."""
    if is_only(found, Unknown) and is_only(default, Tensor):
        return default | {Tensor(fresh=False, argument=name)}
    return default | as_numbers(found, default)


def with_item(one: Alternative, key: Value, value: Value) -> Alternative:
    """A list or dict after ``one[key] = value``."""
    if isinstance(one, Mapping):
        return _with_entry(one, key, value)
    if isinstance(one, Sequence):
        return Sequence(one.kind, None, one.element | value)
    return one


def _with_entry(one: Mapping, key: Value, value: Value) -> Mapping:
    name = literal_string(key)
    if name is None:
        return Mapping(one.items, one.rest | value)
    return Mapping((*(item for item in one.items if item[0] != name), (name, value)), one.rest)


def updated(one: Mapping, more: Value) -> Mapping:
    """A dict after ``one.update(more)``: what is not known there may take the place of anything."""
    items, rest = dict(one.items), one.rest
    for other in more:
        unnamed = other.rest if isinstance(other, Mapping) else UNKNOWN
        if may_be(unnamed, Unknown):
            items = {key: value | UNKNOWN for key, value in items.items()}
        if isinstance(other, Mapping):
            items.update(other.items)
        rest |= unnamed
    return Mapping(tuple(items.items()), rest)


def dict_of(arguments: Arguments) -> Value:
    """What ``dict(...)`` makes of its arguments: a dict or pairs, and entries by name."""
    given = arguments.positional[0] if arguments.positional else frozenset({Mapping((), NOTHING)})
    by_name = Mapping(tuple(arguments.keywords.items()), UNKNOWN if arguments.starred else NOTHING)
    return frozenset(updated(_of_pairs(one), frozenset({by_name})) for one in given)


def _of_pairs(one: Alternative) -> Mapping:
    if isinstance(one, Mapping):
        return one
    if not isinstance(one, Sequence):
        return Mapping((), UNKNOWN)
    made = Mapping((), NOTHING)
    for pair in one.items if one.items is not None else (one.element,):
        made = _with_entry(made, item_at(pair, 0), item_at(pair, 1))
    return made
