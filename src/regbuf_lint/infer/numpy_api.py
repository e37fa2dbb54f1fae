"""Arrays of NumPy: the class of their dtypes, which the tensors made of them keep."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from regbuf_lint.infer.dimensions import is_complex, is_plain_number
from regbuf_lint.infer.references import ExternalValue
from regbuf_lint.infer.torch_api import dtype_named
from regbuf_lint.model.value import OTHER, Array, Differs, Dtype, Literal, Other, Sequence, Unknown
from regbuf_lint.torch_facts.library_functions import library_functions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from regbuf_lint.infer.arguments import Arguments
    from regbuf_lint.model.value import Alternative, Value

_PREFIX = "numpy."
_DRAWS = "numpy.random."
"""Where functions stand that NumPy's generators have as methods."""
_PYTHON_TYPES = {"builtins.float": Dtype.DOUBLE, "builtins.int": Dtype.INT, "builtins.bool": Dtype.BOOL}
ARRAY_CAST = "astype"
"""A method that arrays have and tensors do not, so that what it gives is an array, whatever else is known."""
_REAL_VIEWS = frozenset({"real", "imag"})
ARRAY_VIEWS = _REAL_VIEWS | {"T", "mT", "flat"}
"""Attributes of an array that are arrays."""
_LISTING = frozenset({"tolist", "item"})


def array_of_call(name: str, arguments: Arguments) -> Array:
    """What a function of NumPy gives, by its dotted name: of double precision where nothing says otherwise."""
    return Array(dtype=_dtype_of_call(name, arguments), is_number=_gives_number(name, arguments))


def _gives_number(name: str, arguments: Arguments) -> bool:
    """Whether a function computes number by number, or is a type of numbers, and is given numbers alone."""
    by_number = _named(name) is not None or name in library_functions().array_functions
    given = [one for value in arguments.positional for one in value]
    return by_number and bool(given) and all(map(is_plain_number, given))


def _dtype_of_call(name: str, arguments: Arguments) -> Dtype:
    wanted = _wanted(arguments)
    if wanted is None:
        wanted = _named(name)
    if wanted is not None:
        return wanted
    known = library_functions()
    if name in known.integer_functions:
        return Dtype.INT
    common = _common(arguments.positional)
    if common is Dtype.COMPLEX and name in known.real_functions:
        return Dtype.DOUBLE
    by_number = common in {Dtype.FLOAT, Dtype.COMPLEX} and name in known.array_functions
    return common if by_number or name in known.same_dtype_functions else Dtype.DOUBLE


def array_of_method(owner: Alternative, name: str, arguments: Arguments) -> Value:
    """What a method of an array, or of what has to be one, gives."""
    if name in _LISTING:
        return OTHER
    known = library_functions()
    wanted = _first_type(arguments.argument(0, "dtype")) if name == ARRAY_CAST else _wanted(arguments)
    if wanted is None and any(one in known.integer_functions for one in (_PREFIX + name, _DRAWS + name)):
        wanted = Dtype.INT
    keeps = known.same_dtype_functions
    if wanted is None and _DRAWS + name in keeps and _PREFIX + name not in keeps:
        wanted = _common(arguments.positional)
    differs = owner.differs if isinstance(owner, (Other, Unknown)) else Differs.NEVER
    own = owner.dtype if isinstance(owner, Array) else Dtype.UNKNOWN
    return frozenset({Array(dtype=wanted or own, differs=differs)})


def view_of_array(owner: Array, name: str) -> Array:
    """What such an attribute gives: an array of the same dtype, or of real numbers, a part of complex ones."""
    is_part = name in _REAL_VIEWS and owner.dtype is Dtype.COMPLEX
    return replace(owner, dtype=Dtype.DOUBLE) if is_part else owner


def array_of_operation(pair: tuple[Alternative, Alternative], operator: ast.operator) -> Array:
    """What arithmetic with an array gives; a number of Python does not widen an array of floats (NumPy 2, NEP 50)."""
    common = _common([frozenset({one}) for one in pair])
    dtype = Dtype.DOUBLE if common is Dtype.INT and isinstance(operator, ast.Div) else common
    return Array(dtype=dtype, is_number=all(map(is_plain_number, pair)))


def _common(operands: Iterable[Value]) -> Dtype:
    """The class of dtypes that NumPy computes in, the double one where that is not known."""
    arrays: set[Dtype] = set()
    plain: set[Dtype] = set()
    for operand in operands:
        for one in operand:
            if isinstance(one, Sequence):
                arrays.add(_common([one.element]))
            elif isinstance(one, Array):
                arrays.add(one.dtype)
            else:
                plain.add(_of_number(one))
    if Dtype.COMPLEX in arrays | plain:
        return Dtype.COMPLEX
    if arrays in ({Dtype.FLOAT}, {Dtype.BOOL}, {Dtype.UNKNOWN}):
        return arrays.pop()
    return Dtype.INT if (arrays | plain) <= {Dtype.INT, Dtype.BOOL} else Dtype.DOUBLE


def _of_number(one: Alternative) -> Dtype:
    if isinstance(one, Literal):
        return {bool: Dtype.BOOL, int: Dtype.INT, complex: Dtype.COMPLEX}.get(type(one.value), Dtype.DOUBLE)
    if is_complex(one):
        return Dtype.COMPLEX
    return Dtype.INT if isinstance(one, Other) and one.what in {"int", "size"} else Dtype.DOUBLE


def _wanted(arguments: Arguments) -> Dtype | None:
    """The dtype that a call names; unknown where it names one that is not known, None where it names none."""
    given = arguments.keyword("dtype")
    if given:
        return _first_type(given)
    every = (one for value in arguments.positional for one in value if not isinstance(one, Literal))
    return next((found for one in every if (found := _of_type(one)) is not None), None)


def _first_type(value: Value) -> Dtype:
    """The class of the dtype that a value names, unknown where it names none that is known."""
    return next((found for one in value if (found := _of_type(one)) is not None), Dtype.UNKNOWN)


def _of_type(one: Alternative) -> Dtype | None:
    if isinstance(one, Literal):
        return _named(f"{_PREFIX}{one.value}") if isinstance(one.value, str) else None
    if isinstance(one, ExternalValue):
        return _PYTHON_TYPES.get(one.name) or _named(one.name)
    return None


def _named(name: str) -> Dtype | None:
    """The class of the dtype ``numpy.<name>``, which is the type of NumPy's numbers, too."""
    last = name.removeprefix(_PREFIX).rstrip("_")
    if "." in last:
        return None
    found = {"float": Dtype.DOUBLE, "single": Dtype.FLOAT, "longdouble": Dtype.DOUBLE}.get(last) or dtype_named(last)
    return None if found is Dtype.UNKNOWN else found
