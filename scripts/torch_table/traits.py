"""Lists of names with further facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torch_table.knowledge import (
    BOOL_RESULTS,
    COMPLEX_RESULTS,
    FLOAT_RESULTS,
    INT_RESULTS,
    RANDOM_PYTHON,
    UNINITIALIZED,
    VIEW_FUNCTIONS,
    VIEW_METHODS,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torch_table.operators import Operator


def traits(operators: Sequence[Operator], functions: set[str], methods: set[str]) -> dict[str, list[str]]:
    """Names of functions and methods by what holds for all on a list."""
    random = {operator.path for operator in operators if operator.is_random and operator.is_function}
    random |= {name for name in functions if any(re.fullmatch(pattern, name) for pattern in RANDOM_PYTHON)}
    views = {operator.path for operator in operators if operator.is_view and operator.is_function}
    result = {
        "random_functions": random & functions,
        "random_methods": {one.name for one in operators if one.is_random and one.is_method} & methods,
        "view_functions": (views | _with_prefix(VIEW_FUNCTIONS)) & functions,
        "view_methods": ({one.name for one in operators if one.is_view and one.is_method} | {*VIEW_METHODS}) & methods,
        "view_properties": {"H", "T", "data", "imag", "mH", "mT", "real"},
    }
    for key, names in (
        ("int", INT_RESULTS),
        ("bool", BOOL_RESULTS),
        ("complex", COMPLEX_RESULTS),
        ("float", FLOAT_RESULTS),
        ("uninitialized", UNINITIALIZED),
    ):
        result[f"{key}_functions"] = _with_prefix(names) & functions
        if methods.intersection(names):
            result[f"{key}_methods"] = methods.intersection(names)
    return {key: sorted(names) for key, names in result.items()}


def _with_prefix(names: Iterable[str]) -> set[str]:
    return {f"torch.{name}" for name in names}
