from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import regbuf_lint
from regbuf_lint.torch_facts.traits import has, traits_of_function, traits_of_method

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(regbuf_lint.__file__).parent / "torch_facts" / "data" / "python_functions.toml"
LISTS: dict[str, list[str]] = tomllib.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("trait", LISTS)
def test_each_trait_is_defined_and_lists_names_once(trait: str) -> None:
    assert re.search(rf"(?m)^#   {trait}  ", FILE.read_text(encoding="utf-8"))
    assert len(LISTS[trait]) == len(set(LISTS[trait]))
    assert [name for name in LISTS[trait] if not re.fullmatch(r"\w+(\.\w+)*\.(\w+|\*)", name)] == []


def test_what_numpy_computes_is_a_ufunc() -> None:
    numpy = pytest.importorskip("numpy")
    for name in LISTS["ufunc"]:
        found = getattr(numpy, name.removeprefix("numpy."), None)
        assert found is None or isinstance(found, numpy.ufunc)
    assert {"numpy.sqrt", "numpy.add", "numpy.exp"} <= {*LISTS["ufunc"]}


@pytest.mark.parametrize(
    ("name", "trait", "expected"),
    [
        ("torch.zeros", "factory", True),
        ("torch.zeros", "draw", False),
        ("builtins.float", "host", True),
        ("builtins.len", "host", False),
        ("builtins.len", "metadata", True),
        ("math.sqrt", "host", True),
        ("numpy.sqrt", "ufunc", True),
        ("mathematics.sqrt", "host", False),
        ("mylib.zeros", "factory", False),
    ],
)
def test_traits_of_functions(name: str, trait: str, *, expected: bool) -> None:
    assert (trait in traits_of_function(name)) is expected


@pytest.mark.parametrize(
    ("name", "trait", "expected"),
    [
        ("item", "host", True),
        ("shape", "metadata", True),
        ("device", "place", True),
        ("view", "reshape", True),
        ("view", "part", False),
        ("zeros", "factory", False),
    ],
)
def test_traits_of_methods_and_properties(name: str, trait: str, *, expected: bool) -> None:
    assert (trait in traits_of_method(name)) is expected


def test_a_trait_of_one_kind_of_names() -> None:
    assert has("view_methods", "transpose")
    assert not has("view_functions", "transpose")
