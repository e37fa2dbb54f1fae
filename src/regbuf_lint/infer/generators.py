"""Generators of random numbers that code makes for itself: what one draws repeats itself, unless its seed differs.

A new ``torch.Generator`` has the same seed each time (``initial_seed()`` of torch 2.13).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from msgspec.structs import replace

from regbuf_lint.infer.dimensions import is_plain_number
from regbuf_lint.model.value import Differs, Literal, NoneValue, Other

if TYPE_CHECKING:
    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.model.value import Alternative, Value

_SEEDING = frozenset({"manual_seed", "seed", "set_state", "graphsafe_set_state"})


def is_generator(one: Alternative) -> TypeGuard[Other]:
    """Whether a value is a ``torch.Generator``."""
    return isinstance(one, Other) and one.what == "generator"


def lies_nowhere(one: Alternative) -> bool:
    """Whether an alternative is on no device, as a number or a string is; a generator is on one, as tensors are."""
    return isinstance(one, (Literal, NoneValue, Other)) and not is_generator(one)


def as_seeded(generator: Other, method: str, arguments: Arguments) -> Other | None:
    """A generator after a call of one of its methods; None where that leaves its seed alone."""
    if method not in _SEEDING:
        return None
    is_number = method == "manual_seed" and all(is_plain_number(one) for seed in arguments.every() for one in seed)
    return replace(generator, differs=Differs.NEVER if is_number else Differs.AT_RANDOM)


def as_shared(value: Value) -> Value:
    """What a name outside of functions holds: others have drawn with such a generator before."""
    return frozenset(replace(one, differs=Differs.AT_RANDOM) if is_generator(one) else one for one in value)


def repeats_draws(generator: Value) -> bool:
    """Whether what is given as ``generator`` to a function draws the same each time an object is built."""
    return bool(generator) and all(is_generator(one) and not one.differs for one in generator)
