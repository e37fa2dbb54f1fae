"""Functions of packages that are not read, or whose source tells too little, from a checked-in list."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache
from pathlib import Path

from msgspec import Struct

from regbuf_lint.source.toml_files import parse_toml
from regbuf_lint.torch_facts.traits import has


class LibraryFunctions(Struct, frozen=True):
    """Patterns of dotted names.

    Attributes:
        tensors: functions that return a tensor whatever they get.
        like_argument: functions that return a tensor if their first argument is one.
        expanding: those of them whose result may be an expanded view.
        taking_tensor: functions and methods whose first argument is a tensor (of a method: after the object).
        array_functions: functions of arrays that return a tensor if some argument is one.
        integer_functions: functions of arrays whose result has an integer dtype; also methods of arrays, by that name.
        same_dtype_functions: functions of arrays whose result has the dtype of their arguments.
        real_functions: functions of arrays whose result is real where their arguments are complex.
        numbers: constants that are numbers of Python.
        saving: functions that write what they are given to a file.
        seeding: functions that give the package's own generator a seed.
        unseeding: functions behind which nobody knows the state of that generator.
        iterating: functions and classes that give the elements of their first argument.
        ranks: functions that give each process another number.
        ending: functions that end the program.
    """

    tensors: re.Pattern[str]
    like_argument: re.Pattern[str]
    expanding: re.Pattern[str]
    taking_tensor: re.Pattern[str]
    array_functions: re.Pattern[str]
    integer_functions: re.Pattern[str]
    same_dtype_functions: re.Pattern[str]
    real_functions: re.Pattern[str]
    numbers: re.Pattern[str]
    saving: re.Pattern[str]
    seeding: re.Pattern[str]
    unseeding: re.Pattern[str]
    iterating: re.Pattern[str]
    ranks: re.Pattern[str]
    ending: re.Pattern[str]


@cache
def library_functions() -> LibraryFunctions:
    """The checked-in list."""
    text = Path(__file__).with_name("data").joinpath("library_functions.toml").read_text(encoding="utf-8")
    packages = parse_toml(text)["package"]
    return LibraryFunctions(*(_any_of(packages, name) for name in LibraryFunctions.__struct_fields__))


def is_listed(name: str) -> bool:
    """Whether the list says what a function returns, by its dotted name where it is imported from or defined."""
    known = library_functions()
    return known.tensors.match(name) is not None or known.like_argument.match(name) is not None


def _any_of(packages: list[dict[str, list[str]]], key: str) -> re.Pattern[str]:
    names = [name for package in packages for name in package.get(key, ())]
    return re.compile("|".join(translate(one) for name in names for one in (name, _where_defined(name))))


def _where_defined(name: str) -> str:
    """``einops.*.rearrange``: packages offer functions that stand in files of theirs under names without these."""
    package, _, last = name.rpartition(".")
    return f"{package}.*.{last}"


def saves(name: str) -> bool:
    """Whether a function writes what it is given to a file, by its dotted name."""
    return library_functions().saving.match(name) is not None


def iterates(name: str) -> bool:
    """Whether a loop over what a call gives is one over its first argument, by the dotted name of what is called."""
    return library_functions().iterating.match(name) is not None


def ends_program(name: str) -> bool:
    """Whether a function never returns, since the program ends with it, by its dotted name."""
    return library_functions().ending.match(name) is not None


def takes_tensor(name: str) -> bool:
    """Whether the first argument of a function can be nothing but a tensor, by the dotted name of the function."""
    return has("takes_tensor_functions", name) or library_functions().taking_tensor.match(name) is not None
