"""The dtypes of what NumPy's functions give: the facts that the lists of functions rest on."""

from __future__ import annotations

import re
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import regbuf_lint

if TYPE_CHECKING:
    import numpy as np
else:
    np = pytest.importorskip("numpy")

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(regbuf_lint.__file__).parent / "torch_facts" / "data" / "library_functions.toml"
(LISTED,) = (one for one in tomllib.loads(FILE.read_text(encoding="utf-8"))["package"] if one["name"] == "numpy")

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "argpartition": (1,),
    "broadcast_to": ((3, 3),),
    "clip": (1, 2),
    "digitize": (np.array([0.0, 1.0]),),
    "expand_dims": (0,),
    "full_like": (1,),
    "repeat": (2,),
    "reshape": ((3, 1),),
    "roll": (1,),
    "searchsorted": (1,),
    "split": (3,),
    "swapaxes": (0, 0),
    "tile": (2,),
}
"""What functions take beside an array."""
OF_NUMBERS: dict[str, tuple[Any, ...]] = {
    "bincount": ([1, 2],),
    "indices": ((2, 2),),
    "random.integers": (3,),
    "random.randint": (3,),
    "ravel_multi_index": (([0], [1]), (2, 2)),
    "tril_indices": (2,),
    "triu_indices": (2,),
    "unravel_index": ([1], (2, 2)),
}
"""What functions take in place of an array."""
OF_LISTS = {"concatenate", "hstack", "stack", "vstack"}
OF_TWO = {"add", "dot", "kron", "matmul", "maximum", "minimum", "mod", "multiply", "outer", "subtract"}
OF_MATRICES = {"rot90"}


def function(name: str) -> Any:
    """A function by its name; a draw as the generator's method where NumPy has it there alone."""
    if name == "random.integers":
        return np.random.default_rng(0).integers
    found = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


def result(name: str, dtype: str) -> np.ndarray:
    """What a function gives for arrays of a dtype; the first of several results."""
    array = np.array([[1, 2, 3]] if name in OF_MATRICES else [1, 2, 3], dtype=dtype)
    if name in OF_NUMBERS:
        given = OF_NUMBERS[name]
    elif name in OF_LISTS:
        given = ([array, array],)
    elif name == "arange":
        given = (array[0], array[2])
    else:
        given = (array, *([array] if name in OF_TWO else []), *ARGUMENTS.get(name, ()))
    found = function(name)(*given)
    return np.asarray(found[0] if isinstance(found, (tuple, list)) else found)


def names(key: str) -> list[str]:
    return [re.sub(r"^numpy\.", "", one) for one in LISTED[key]]


@pytest.mark.parametrize(
    ("name", "dtype"),
    # what `arange` makes of single-precision numbers differs between versions of NumPy
    sorted({*product(names("same_dtype_functions"), ("int64", "float32", "float64"))} - {("arange", "float32")}),
)
def test_which_functions_keep_the_dtype(name: str, dtype: str) -> None:
    assert result(name, dtype).dtype == dtype


@pytest.mark.parametrize("name", names("integer_functions"))
def test_which_functions_give_integers(name: str) -> None:
    assert result(name, "float64").dtype.kind == "i"


def test_functions_that_are_not_listed_compute_in_double_precision() -> None:
    assert np.sqrt(np.arange(3)).dtype == np.hanning(3).dtype == np.linspace(0, 1, 3).dtype == "float64"


def test_numbers_of_python_do_not_widen_arrays() -> None:
    assert (np.ones(3, "float32") * 0.5).dtype == "float32"
    assert (np.arange(3) / 2).dtype == "float64"


def test_complex_numbers_of_python_do_widen_arrays() -> None:
    assert (np.ones(3, "float32") * 2j).dtype.kind == "c"
    assert np.exp(np.ones(3, "complex128")).dtype.kind == "c"
    assert np.ones(3, "complex128").real.dtype == "float64"


@pytest.mark.parametrize("name", names("real_functions"))
def test_which_functions_give_real_numbers_for_complex_ones(name: str) -> None:
    assert result(name, "complex128").dtype == "float64"
    assert result(name, "complex64").dtype.kind == "f"
