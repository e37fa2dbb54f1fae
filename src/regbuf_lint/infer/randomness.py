"""Why two constructions may give other content: random generators, ranks of processes, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.infer.arguments import Arguments
from regbuf_lint.infer.dimensions import is_plain_number
from regbuf_lint.infer.generators import repeats_draws
from regbuf_lint.infer.references import ExternalValue, MethodOf
from regbuf_lint.infer.torch_api import result_tensor
from regbuf_lint.model.value import (
    TENSOR_KINDS,
    Alternative,
    Buffer,
    Differs,
    Literal,
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

if TYPE_CHECKING:
    from collections.abc import Callable

_GENERATORS = ("numpy.random.", "random.", "secrets.")
_SEEDED = frozenset({"default_rng", "RandomState", "Generator", "PCG64", "MT19937", "Random"})
"""Generators whose draws are the same each time if they are made with a seed."""

_NEVER = Differs.NEVER
_ENVIRONMENT = frozenset({"os.getenv", "os.environ.get"})
_RANK_VARIABLES = ("RANK", "PROCID")

_ABOUT_SHAPE = frozenset(
    {
        "shape", "size", "dtype", "ndim", "dim", "device", "numel", "type", "len", "isinstance", "hasattr", "callable",
        "id",
    }
)  # fmt: skip
"""Functions, methods and attributes whose result says nothing of the values."""


def spread(source: Value, found: Value) -> Value:
    """``found``, which is made of ``source``: it differs as that does, where ``source`` is no tensor."""
    differing = (one.differs for one in source if isinstance(one, (Other, Unknown)))
    return as_differing(found, max(differing, default=_NEVER))


def spread_index(index: Value, found: Value) -> Value:
    """``found``, which lies in places that ``index`` names: which these are may be left to chance."""
    return as_differing(found, max(_inside(index), result_tensor([index]).differs))


def spread_variable(owner: Value, index: Value, found: Value) -> Value:
    """``found``, which stands under ``index`` in ``owner``: in the variables of the process, that may be its rank."""
    is_environment = any(isinstance(one, ExternalValue) and one.name == "os.environ" for one in owner)
    return as_differing(found, Differs.BY_PROCESS) if is_environment and _names_rank(index) else found


def spread_attribute(owner: Value, name: str, found: Value) -> Value:
    """``found``, which is the attribute ``name`` of ``owner``."""
    return found if name in _ABOUT_SHAPE else spread(owner, found)


def spread_by_call(callee: Value, arguments: Arguments, found: Value) -> Value:
    """``found``, which calling ``callee`` gives; what functions that can be read do with randomness is followed."""
    return as_differing(found, max((_given_by(one, arguments) for one in callee), default=_NEVER))


def shuffles(callee: Value) -> bool:
    """Whether a function or method puts its first argument into a random order, in place."""
    return any(
        one.name.rpartition(".")[2] == "shuffle" and _given_by(one, Arguments()) is Differs.AT_RANDOM
        for one in callee
        if isinstance(one, (ExternalValue, MethodOf))
    )


def seeded_by(callee: Value, arguments: Arguments, seeded: frozenset[str]) -> frozenset[str]:
    """The packages whose own generator has a known seed behind a call, given those before it."""
    names = [one.name for one in callee if isinstance(one, ExternalValue)]
    known = library_functions()
    if len(names) != len(callee) or not any(one in known.seeding or one in known.unseeding for one in names):
        return seeded
    seed = arguments.positional[0] if arguments.positional else join(arguments.keywords.values())
    packages = {_package(one) for one in names}
    is_number = bool(seed) and all(map(is_plain_number, seed))
    return seeded | packages if is_number and all(one in known.seeding for one in names) else seeded - packages


def repeats_itself(callee: Value, arguments: Arguments, seeded: frozenset[str]) -> bool:
    """Whether a call draws with nothing but generators that have a known seed."""
    generator = arguments.keyword("generator")
    if repeats_draws(generator):
        seeded = frozenset({"torch."})
    elif _is_given(generator):
        return False
    if not seeded or _inside_any(arguments) is Differs.AT_RANDOM or result_tensor(arguments.every()).random:
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


def as_differing(value: Value, differs: Differs) -> Value:
    """``value``, made of what differs that much from one construction to the next."""
    return _each(value, lambda own: max(own, differs)) if differs else value


def as_repeated(value: Value) -> Value:
    """``value``, which only a generator that repeats itself has drawn."""
    return _each(value, lambda own: _NEVER if own is Differs.AT_RANDOM else own)


def _given_by(callee: Alternative, arguments: Arguments) -> Differs:
    if isinstance(callee, ExternalValue):
        return _given_by_function(callee.name, arguments)
    if isinstance(callee, MethodOf):
        return _NEVER if callee.name in _ABOUT_SHAPE else max(_of(callee), _inside_any(arguments))
    if isinstance(callee, (Other, Unknown)):
        return max(callee.differs, _inside_any(arguments))
    return _NEVER


def _given_by_function(name: str, arguments: Arguments) -> Differs:
    last = name.rpartition(".")[2]
    if name.startswith(_GENERATORS) or last == "rvs":
        is_seeded = last in _SEEDED and any(_is_given(one) for one in arguments.every())
        return _NEVER if is_seeded else Differs.AT_RANDOM
    if name in library_functions().ranks or (name in _ENVIRONMENT and _names_rank(arguments.argument(0, "key"))):
        return Differs.BY_PROCESS
    return _NEVER if last in _ABOUT_SHAPE or last.endswith("_like") else _inside_any(arguments)


def _names_rank(key: Value) -> bool:
    """Whether an environment variable tells a process its rank, as ``RANK``, ``LOCAL_RANK`` and ``SLURM_PROCID`` do."""
    return any(isinstance(one, Literal) and str(one.value).endswith(_RANK_VARIABLES) for one in key)


def _is_given(value: Value) -> bool:
    return any(not isinstance(one, NoneValue) for one in value)


def _inside_any(arguments: Arguments) -> Differs:
    return max(map(_inside, arguments.every()), default=_NEVER)


def _inside(value: Value) -> Differs:
    """Why a value that is no tensor differs, or what it holds."""
    return max(map(_of, value), default=_NEVER)


def _of(one: Alternative) -> Differs:
    if isinstance(one, (Other, Unknown)):
        return one.differs
    if isinstance(one, MethodOf):
        if isinstance(one.owner, TENSOR_KINDS):
            owner = one.owner.tensor if isinstance(one.owner, Buffer) else one.owner
            return owner.differs if has("host_methods", one.name) else _NEVER
        return _NEVER if one.name in _ABOUT_SHAPE else _of(one.owner)
    if isinstance(one, Sequence):
        return _inside(one.element)
    if isinstance(one, Mapping):
        return _inside(join((*(value for _, value in one.items), one.rest)))
    return _NEVER


def _each(value: Value, change: Callable[[Differs], Differs]) -> Value:
    return frozenset(_changed(one, change) for one in value)


def _changed(one: Alternative, change: Callable[[Differs], Differs]) -> Alternative:
    if isinstance(one, (Tensor, Other, Unknown)):
        return replace(one, differs=change(one.differs))
    if isinstance(one, Sequence):
        items = None if one.items is None else tuple(_each(item, change) for item in one.items)
        return replace(one, items=items, element=_each(one.element, change))
    return one
