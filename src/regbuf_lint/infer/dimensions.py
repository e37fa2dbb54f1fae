"""How many dimensions the tensors have that torch's functions and methods make: whether they are numbers or rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.model.value import (
    NUMBER,
    Alternative,
    Array,
    Dtype,
    Literal,
    Loaded,
    Other,
    Sequence,
    Tensor,
    Unknown,
    Value,
    is_only,
)
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from regbuf_lint.infer.arguments import Arguments

_NUMBERS_KEPT = {"clone", "detach", "contiguous", "cpu", "requires_grad_", "share_memory_", "squeeze"}
COMPLEX_NUMBER = Other("complex")
_NUMBERS = NUMBER | {COMPLEX_NUMBER} | {Other(kind) for kind in ("int", "float", "bool")}


def is_plain_number(one: Alternative) -> bool:
    """Whether a value is a number of Python, known or not."""
    if isinstance(one, Unknown):
        return one.number
    if isinstance(one, Array):
        return one.is_number
    return type(one.value) in {int, float, bool, complex} if isinstance(one, Literal) else one in _NUMBERS


def as_numbers(found: Value, stand_in: Value) -> Value:
    """What is found where something stands in for it: an unknown value is a number where the other one is."""
    if not stand_in or not all(map(is_plain_number, stand_in)):
        return found
    return frozenset(replace(one, number=True) if isinstance(one, Unknown) else one for one in found)


def is_complex(one: Alternative) -> bool:
    """Whether a value is a complex number of Python, or an array or number of NumPy that is complex."""
    if isinstance(one, Array):
        return one.dtype is Dtype.COMPLEX
    return one == COMPLEX_NUMBER or (isinstance(one, Literal) and isinstance(one.value, complex))


def makes_number(name: str, arguments: Arguments, like: Tensor) -> bool:
    """Whether a call gives a tensor without dimensions: made of a number, computed from such alone, or all reduced."""
    if has("reduction_functions", name) and len(arguments.positional) == 1 and _names_no_dimension(arguments):
        return True
    if not is_made_of_data(name):
        if has("factory_functions", name) and _names_no_sizes(arguments):
            return not arguments.keyword("device")
        return like.is_number and not (has("join_functions", name) or has("reshape_functions", name))
    data = arguments.argument(0, "data")
    return (
        bool(data)
        and not arguments.keyword("device")
        and all(is_plain_number(one) or (isinstance(one, Tensor) and one.is_number) for one in data)
    )


def makes_row(name: str, arguments: Arguments) -> bool:
    """Whether a call makes a range, a tensor of one size, or one of a list of numbers, or what stands in for such."""
    if arguments.keyword("device"):
        return False
    if has("spacing_functions", name) or (has("sized_functions", name) and _names_one_size(arguments)):
        return True
    is_legacy = has("uninitialized_functions", name) and name.endswith("Tensor")  # `torch.Tensor([0.3, 0.7])`
    if not is_made_of_data(name) and not is_legacy:
        return False
    data = arguments.argument(0, "data")
    lists = [one for one in data if isinstance(one, Sequence)]
    listed = all(one.element and all(map(is_plain_number, one.element)) for one in lists)
    return bool(lists) and listed and is_only(data, Sequence, Unknown)


def is_made_of_data(name: str) -> bool:
    """Whether the result of a function has the shape of its first argument."""
    return has("convert_functions", name) or (has("graphless_functions", name) and not name.endswith("_like"))


def gives_row(operands: list[Tensor]) -> bool:
    """Whether an operation on rows and numbers gives a row."""
    return any(one.is_row for one in operands) and all(one.is_row or one.is_number for one in operands)


def may_be_array(operand: Value) -> bool:
    """Whether an operand that is known to be no tensor may have dimensions all the same."""
    kinds = (Array, Unknown, Loaded, Sequence)
    return any(isinstance(one, kinds) and not is_plain_number(one) for one in operand)


def is_reduced(method: str, arguments: Arguments) -> bool:
    """Whether a method makes one number of all numbers."""
    return has("reduction_methods", method) and not arguments.positional and _names_no_dimension(arguments)


def keeps_number(name: str, arguments: Arguments) -> bool:
    """Whether what a method makes of a number on the CPU is one: neither on another device nor of another shape."""
    return keeps_form(name, arguments) or not (has("move_methods", name) or has("reshape_methods", name))


def keeps_form(name: str, arguments: Arguments) -> bool:
    """Whether a method gives the same numbers in the same shape, and on the CPU those of a tensor that is there."""
    if name in _NUMBERS_KEPT or has("cast_methods", name):
        return True
    return has("move_methods", name) and all(
        isinstance(one, Other) and one.what.startswith("dtype") for value in arguments.every() for one in value
    )


def _names_one_size(arguments: Arguments) -> bool:
    sizes = arguments.positional
    return len(sizes) == 1 and bool(sizes[0]) and all(map(is_plain_number, sizes[0])) and not arguments.starred


def _names_no_sizes(arguments: Arguments) -> bool:
    """Whether ``()`` or ``[]`` is given as the sizes."""
    sizes = arguments.argument(0, "size")
    return bool(sizes) and all(isinstance(one, Sequence) and one.items == () for one in sizes)


def _names_no_dimension(arguments: Arguments) -> bool:
    return arguments.keywords.keys() <= {"dtype"} and not arguments.starred
