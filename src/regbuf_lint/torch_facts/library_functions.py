"""Functions of packages that are not read, or whose source tells too little, from a checked-in list."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from regbuf_lint.source.toml_files import parse_toml
from regbuf_lint.torch_facts.traits import has

if TYPE_CHECKING:
    from collections.abc import Iterable


class Names:
    """Dotted names, looked up by their last parts: one pattern for them all takes longer to compile than a check.

    Packages offer functions that stand in files of theirs under names without these, so that ``einops.rearrange`` is
    ``einops.einops.rearrange``, too.

    Args:
        names: the names; the last part of one may be a glob.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._packages: defaultdict[str, list[str]] = defaultdict(list)
        self._globs: list[tuple[str, str]] = []
        for name in names:
            package, _, last = name.rpartition(".")
            if "*" in last:
                self._globs.append((f"{package}.", last))
            else:
                self._packages[last].append(f"{package}.")

    def __contains__(self, name: str) -> bool:
        package, dot, last = name.rpartition(".")
        if any(f"{package}{dot}".startswith(one) for one in self._packages.get(last, ())):
            return True
        return any(name.startswith(one) and fnmatchcase(last, glob) for one, glob in self._globs)


class LibraryFunctions(Struct, frozen=True):
    """Names of functions.

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

    tensors: Names
    like_argument: Names
    expanding: Names
    taking_tensor: Names
    array_functions: Names
    integer_functions: Names
    same_dtype_functions: Names
    real_functions: Names
    numbers: Names
    saving: Names
    seeding: Names
    unseeding: Names
    iterating: Names
    ranks: Names
    ending: Names


@cache
def library_functions() -> LibraryFunctions:
    """The checked-in list."""
    text = Path(__file__).with_name("data").joinpath("library_functions.toml").read_text(encoding="utf-8")
    packages = parse_toml(text)["package"]
    keys = LibraryFunctions.__struct_fields__
    return LibraryFunctions(*(Names(name for one in packages for name in one.get(key, ())) for key in keys))


def is_listed(name: str) -> bool:
    """Whether the list says what a function returns, by its dotted name where it is imported from or defined."""
    known = library_functions()
    return name in known.tensors or name in known.like_argument


def saves(name: str) -> bool:
    """Whether a function writes what it is given to a file, by its dotted name."""
    return name in library_functions().saving


def iterates(name: str) -> bool:
    """Whether a loop over what a call gives is one over its first argument, by the dotted name of what is called."""
    return name in library_functions().iterating


def ends_program(name: str) -> bool:
    """Whether a function never returns, since the program ends with it, by its dotted name."""
    return name in library_functions().ending


def takes_tensor(name: str) -> bool:
    """Whether the first argument of a function can be nothing but a tensor, by the dotted name of the function."""
    return has("takes_tensor_functions", name) or name in library_functions().taking_tensor
