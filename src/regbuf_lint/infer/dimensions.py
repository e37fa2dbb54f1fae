"""How many dimensions tensors have that are made by torch's functions and methods, or taken out of others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.model.value import (
    NUMBER,
    TENSOR_KINDS,
    UNKNOWN,
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
    is_number,
    is_only,
    the_one,
)
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from regbuf_lint.infer.arguments import Arguments

_FORM_KEPT = {"clone", "detach", "contiguous", "cpu", "requires_grad_", "share_memory_"}
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


def dims_of_call(name: str, arguments: Arguments, together: int | None) -> int | None:
    """How many dimensions the result of a function has; ``together``: its tensors, as far as they say so."""
    if has("reduction_functions", name) and len(arguments.positional) == 1 and _names_no_dimension(arguments):
        return 0
    if has("slicing_functions", name):
        return _less_one(_dims_of(arguments.argument(0, "input")))
    data = arguments.argument(0, "data")
    if is_made_of_data(name) or (_takes_sizes_or_data(name) and any(isinstance(one, Sequence) for one in data)):
        return _dims_of_data(data)
    if has("spacing_functions", name):
        return 1
    if has("factory_functions", name):
        return _dims_of_sizes(name, arguments)
    if has("elementwise_functions", name):
        return together
    changes = has("join_functions", name) or has("reshape_functions", name)
    return 0 if together == 0 and not changes else None


def dims_of_method(name: str, receiver: Tensor, arguments: Arguments) -> int | None:
    """How many dimensions the result of a method has that is not elementwise."""
    if is_reduced(name, arguments):
        return 0
    if keeps_form(name, arguments) or has("move_methods", name):
        return receiver.dims
    if has("slicing_methods", name):
        return _less_one(receiver.dims)
    changes = has("reshape_methods", name) or name.startswith("new_")
    return 0 if receiver.is_number and (name == "squeeze" or not changes) else None


def _dims_of(value: Value) -> int | None:
    one = the_one(value)
    return one.dims if isinstance(one, Tensor) else None


def _less_one(dims: int | None) -> int | None:
    return dims - 1 if dims else None


def dims_together(operands: list[Tensor]) -> int | None:
    """How many dimensions the result of an operation on the numbers of some tensors has, one by one."""
    most = -1
    for one in operands:
        if one.dims is None:
            return None
        most = max(most, one.dims)
    return most if most >= 0 else None


def lost_dimensions(index: Value, where: ast.expr) -> int | None:
    """How many dimensions less than a tensor what an index chooses of it has; None where that is not known."""
    chosen = [value for part, value in parts_of_index(index, where) if not isinstance(part, ast.Slice)]
    return len(chosen) if all(one and all(map(is_plain_number, one)) for one in chosen) else None


def copies_chosen(index: Value, where: ast.expr) -> bool:
    """Whether what an index chooses of a tensor has memory of its own (torch's page on tensor views)."""
    values = [value for _, value in parts_of_index(index, where)]
    return any(is_only(value, *TENSOR_KINDS, Sequence) and not is_number(value) for value in values)


def parts_of_index(index: Value, where: ast.expr) -> list[tuple[ast.expr, Value]]:
    """What stands between the brackets for each dimension, as it is written and what it is."""
    listed = the_one(index)
    if not isinstance(listed, Sequence) or listed.kind != "tuple":
        return [(where, index)]
    values = listed.items or ()
    written = where.elts if isinstance(where, ast.Tuple) else [where] * len(values)
    is_known = bool(values) and len(written) == len(values)
    return list(zip(written, values, strict=True)) if is_known else [(where, UNKNOWN)]


def is_made_of_data(name: str) -> bool:
    """Whether the result of a function has the shape of its first argument."""
    return has("convert_functions", name) or (has("graphless_functions", name) and not name.endswith("_like"))


def may_be_array(operand: Value) -> bool:
    """Whether an operand that is known to be no tensor may have dimensions all the same."""
    kinds = (Array, Unknown, Loaded, Sequence)
    return any(isinstance(one, kinds) and not is_plain_number(one) for one in operand)


def is_reduced(method: str, arguments: Arguments) -> bool:
    """Whether a method makes one number of all numbers."""
    return has("reduction_methods", method) and not arguments.positional and _names_no_dimension(arguments)


def keeps_form(name: str, arguments: Arguments) -> bool:
    """Whether a method gives the same numbers in the same shape, and on the CPU those of a tensor that is there."""
    if name in _FORM_KEPT or has("cast_methods", name):
        return True
    return has("move_methods", name) and all(
        isinstance(one, Other) and one.what.startswith("dtype") for value in arguments.every() for one in value
    )


def _takes_sizes_or_data(name: str) -> bool:
    """Whether a function is ``torch.Tensor`` or the like: given numbers it makes a tensor of these sizes."""
    return has("uninitialized_functions", name) and name.endswith("Tensor")


def _dims_of_sizes(name: str, arguments: Arguments) -> int | None:
    """How many sizes a call names, one by one or in a list."""
    listed = arguments.argument(0, "size")
    if is_only(listed, Sequence):
        lengths = {None if one.items is None else len(one.items) for one in listed if isinstance(one, Sequence)}
        return lengths.pop() if len(lengths) == 1 else None
    sizes = arguments.positional
    is_sized = has("sized_functions", name) or _takes_sizes_or_data(name)
    if not is_sized or arguments.starred or not sizes:
        return None
    return len(sizes) if all(value and all(map(is_plain_number, value)) for value in sizes) else None


def _dims_of_data(data: Value) -> int | None:
    """How many dimensions a tensor made of some data has; what is not known stands in for the lists beside it."""
    lists = [one for one in data if isinstance(one, Sequence)]
    if not lists:
        return 0 if data and all(map(_is_number, data)) else None
    inner = {_dims_of_data(one.element) for one in lists} if is_only(data, Sequence, Unknown) else {None}
    only = inner.pop() if len(inner) == 1 else None
    return None if only is None else only + 1


def _is_number(one: Alternative) -> bool:
    return is_plain_number(one) or (isinstance(one, Tensor) and one.is_number)


def _names_no_dimension(arguments: Arguments) -> bool:
    return arguments.keywords.keys() <= {"dtype"} and not arguments.starred
