"""Whether what is no tensor, an array or a number, comes from a random generator, and what is made of it."""

from __future__ import annotations

from msgspec.structs import replace

from regbuf_lint.infer.arguments import Arguments
from regbuf_lint.infer.dimensions import is_plain_number
from regbuf_lint.infer.references import ExternalValue, MethodOf
from regbuf_lint.infer.torch_api import result_tensor
from regbuf_lint.model.value import (
    TENSOR_KINDS,
    Alternative,
    Buffer,
    Mapping,
    NoneValue,
    Other,
    Sequence,
    Tensor,
    Unknown,
    Value,
    join,
)
from regbuf_lint.torch_facts.library_functions import library_functions
from regbuf_lint.torch_facts.traits import has

_GENERATORS = ("numpy.random.", "random.", "secrets.")
_SEEDED = frozenset({"default_rng", "RandomState", "Generator", "PCG64", "MT19937", "Random"})
"""Generators whose draws are the same each time if they are made with a seed."""

_ABOUT_SHAPE = frozenset(
    {
        "shape", "size", "dtype", "ndim", "dim", "device", "numel", "type", "len", "isinstance", "hasattr", "callable",
        "id",
    }
)  # fmt: skip
"""Functions, methods and attributes whose result says nothing of the values."""


def spread(source: Value, found: Value) -> Value:
    """``found``, which is made of ``source``: as random as that, where ``source`` is no tensor."""
    return as_random(found) if any(isinstance(one, (Other, Unknown)) and one.random for one in source) else found


def spread_index(index: Value, found: Value) -> Value:
    """``found``, which lies in places that ``index`` names: which these are may be left to chance."""
    return as_random(found) if _holds_random(index) or result_tensor([index]).random else found


def spread_attribute(owner: Value, name: str, found: Value) -> Value:
    """``found``, which is the attribute ``name`` of ``owner``."""
    return found if name in _ABOUT_SHAPE else spread(owner, found)


def spread_by_call(callee: Value, arguments: Arguments, found: Value) -> Value:
    """``found``, which calling ``callee`` gives; what functions that can be read do with randomness is followed."""
    return as_random(found) if any(_gives_random(one, arguments) for one in callee) else found


def shuffles(callee: Value) -> bool:
    """Whether a function or method puts its first argument into a random order, in place."""
    return any(
        one.name.rpartition(".")[2] == "shuffle" and _gives_random(one, Arguments())
        for one in callee
        if isinstance(one, (ExternalValue, MethodOf))
    )


def seeded_by(callee: Value, arguments: Arguments, seeded: frozenset[str]) -> frozenset[str]:
    """The packages whose own generator has a known seed behind a call, given those before it."""
    names = [one.name for one in callee if isinstance(one, ExternalValue)]
    known = library_functions()
    if len(names) != len(callee) or not any(known.seeding.match(one) or known.unseeding.match(one) for one in names):
        return seeded
    seed = arguments.positional[0] if arguments.positional else join(arguments.keywords.values())
    packages = {_package(one) for one in names}
    is_number = bool(seed) and all(map(is_plain_number, seed))
    return seeded | packages if is_number and all(map(known.seeding.match, names)) else seeded - packages


def repeats_itself(callee: Value, arguments: Arguments, seeded: frozenset[str]) -> bool:
    """Whether a call draws with nothing but generators that have a known seed."""
    if not seeded or _is_given(arguments.keyword("generator")) or any(map(_holds_random, arguments.every())):
        return False
    if result_tensor(arguments.every()).random:
        return False
    return bool(callee) and all(_drawn_by(one) in seeded for one in callee)


def _drawn_by(callee: Alternative) -> str | None:
    """The package whose own generator a function or method draws with; None where it may be another one."""
    if isinstance(callee, ExternalValue):
        is_drawing = callee.name.startswith(_GENERATORS) or has("random_functions", callee.name)
        return _package(callee.name) if is_drawing and callee.name.rpartition(".")[2] not in _SEEDED else None
    if not isinstance(callee, MethodOf) or not isinstance(callee.owner, Tensor) or callee.owner.random:
        return None
    return "torch." if has("random_methods", callee.name) else None


def _package(name: str) -> str:
    """The package of a dotted name, with the dot behind it."""
    return name.partition(".")[0] + "."


def as_random(value: Value, *, random: bool = True) -> Value:
    """``value``, from a random generator, or from one that repeats itself."""
    return frozenset(_as_random(one, random=random) for one in value)


def _gives_random(callee: Alternative, arguments: Arguments) -> bool:
    if isinstance(callee, ExternalValue):
        last = callee.name.rpartition(".")[2]
        if callee.name.startswith(_GENERATORS) or last == "rvs":
            return last not in _SEEDED or not any(_is_given(one) for one in arguments.every())
        return last not in _ABOUT_SHAPE and not last.endswith("_like") and any(map(_holds_random, arguments.every()))
    if isinstance(callee, MethodOf):
        if callee.name in _ABOUT_SHAPE:
            return False
        return _is_random(callee) or any(map(_holds_random, arguments.every()))
    if isinstance(callee, (Other, Unknown)):
        return callee.random or any(map(_holds_random, arguments.every()))
    return False


def _is_given(value: Value) -> bool:
    return any(not isinstance(one, NoneValue) for one in value)


def _holds_random(value: Value) -> bool:
    """Whether a value that is no tensor is random, or holds what is."""
    return any(_is_random(one) for one in value)


def _is_random(one: Alternative) -> bool:
    if isinstance(one, (Other, Unknown)):
        return one.random
    if isinstance(one, MethodOf):
        if isinstance(one.owner, TENSOR_KINDS):
            owner = one.owner.tensor if isinstance(one.owner, Buffer) else one.owner
            return has("host_methods", one.name) and owner.random
        return one.name not in _ABOUT_SHAPE and _is_random(one.owner)
    if isinstance(one, Sequence):
        return _holds_random(one.element)
    if isinstance(one, Mapping):
        return _holds_random(join((*(value for _, value in one.items), one.rest)))
    return False


def _as_random(one: Alternative, *, random: bool) -> Alternative:
    if isinstance(one, (Tensor, Other, Unknown)):
        return replace(one, random=random)
    if isinstance(one, Sequence):
        items = None if one.items is None else tuple(as_random(item, random=random) for item in one.items)
        return replace(one, items=items, element=as_random(one.element, random=random))
    return one
