"""What becomes of a tensor in a function, method or property: the traits of names, by their tables.

`scripts/torch_table/flow.py` defines the traits of torch's names, `data/python_functions.toml` those of Python's.
"""

from __future__ import annotations

import re
import sys
from fnmatch import translate
from functools import cache
from importlib.resources import files

from regbuf_lint.torch_facts.table import table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def has(trait: str, name: str) -> bool:
    """Whether a name is listed under a trait.

    Args:
        trait: its name and the kind of names, as in ``view_methods`` or ``random_functions``.
        name: the dotted name of a function, the bare name of a method or property.
    """
    return name in table().traits.get(trait, ())


def traits_of_function(name: str) -> frozenset[str]:
    """The traits of a function of torch, Python or NumPy, by its dotted name: ``torch.zeros``, ``builtins.len``."""
    return _by_name("functions").get(name) or _of_python(name)


def traits_of_method(name: str) -> frozenset[str]:
    """The traits of a method or property of tensors."""
    return _by_name("methods").get(name) or _by_name("properties").get(name, frozenset())


@cache
def _by_name(kind: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for key, names in table().traits.items():
        trait, _, kind_of_key = key.rpartition("_")
        if kind_of_key == kind:
            for name in names:
                found.setdefault(name, set()).add(trait)
    return {name: frozenset(traits) for name, traits in found.items()}


@cache
def _of_python(name: str) -> frozenset[str]:
    return frozenset(trait for trait, pattern in _python_functions().items() if pattern.match(name))


@cache
def _python_functions() -> dict[str, re.Pattern[str]]:
    text = files("regbuf_lint.torch_facts").joinpath("data", "python_functions.toml").read_text(encoding="utf-8")
    return {trait: re.compile("|".join(map(translate, names))) for trait, names in tomllib.loads(text).items()}
