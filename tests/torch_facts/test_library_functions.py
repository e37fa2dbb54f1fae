from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import regbuf_lint
from regbuf_lint.cli.main import main
from regbuf_lint.torch_facts.library_functions import Names

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(regbuf_lint.__file__).parent / "torch_facts" / "data" / "library_functions.toml"
PACKAGES: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["package"]
LISTS = {
    "tensors", "like_argument", "expanding", "taking_tensor", "array_functions", "integer_functions",
    "same_dtype_functions", "real_functions", "numbers", "saving", "seeding", "unseeding", "iterating", "ranks",
    "ending",
}  # fmt: skip


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_packages_have_documented_keys_only(package: dict[str, Any]) -> None:
    assert set(package) <= {"name", "source"} | LISTS
    assert package["name"]
    assert package["source"]
    assert LISTS & set(package)


def test_package_names_are_unique() -> None:
    names = [package["name"] for package in PACKAGES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_entries_are_dotted_paths_listed_once(package: dict[str, Any]) -> None:
    for key in LISTS & set(package):
        entries = package[key]
        assert len(entries) == len(set(entries))
        assert [entry for entry in entries if not re.fullmatch(r"\w+(\.\w+)*\.[\w*]+", entry)] == []


def test_numbers_are_numbers_of_python() -> None:
    names = [name for package in PACKAGES for name in package.get("numbers", ())]
    for name in names:
        package, _, last = name.rpartition(".")
        assert type(getattr(pytest.importorskip(package), last)) is float, name
    assert len(names) == 10


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_what_expands_is_like_its_argument(package: dict[str, Any]) -> None:
    assert set(package.get("expanding", ())) <= set(package.get("like_argument", ()))


MESSAGES = """\
import torch
from torch_geometric.nn import MessagePassing

class Net(MessagePassing):
    def __init__(self, path):
        super().__init__()
        self.edges = torch.load(path)

    def forward(self, x):
        return self.{call}(self.edges, x=x)
"""


@pytest.mark.parametrize(("call", "found"), [("propagate", True), ("propagated", False)])
def test_an_argument_of_a_listed_method_is_a_tensor(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    call: str,
    *,
    found: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(MESSAGES.format(call=call), encoding="utf-8")
    main(["--isolated", "net.py"])
    assert ("`Net.edges`" in capsys.readouterr().out) is found


INSTALLED = """\
from einops import {function}
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = {function}(torch.ones(2, 3), "a b -> b a")

    def forward(self, x):
        return x @ self.table
"""


@pytest.mark.parametrize(("function", "found"), [("rearrange", True), ("rearranged", False)])
def test_the_list_counts_where_the_source_of_a_package_is_at_hand(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    function: str,
    *,
    found: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "einops").mkdir()
    (tmp_path / "einops" / "__init__.py").write_text(f"from .inside import {function}\n", encoding="utf-8")
    source = f"def {function}(tensor, pattern):\n    return backend(tensor).apply(pattern)\n"
    (tmp_path / "einops" / "inside.py").write_text(source, encoding="utf-8")
    (tmp_path / "net.py").write_text(INSTALLED.format(function=function), encoding="utf-8")
    main(["--isolated", "net.py"])
    assert ("`Net.table`" in capsys.readouterr().out) is found


NAMES = Names(["pkg.fast", "pkg.sub.slow", "pkg.adjust_*"])


@pytest.mark.parametrize(
    "name", ["pkg.fast", "pkg.file.fast", "pkg.sub.a.b.slow", "pkg.adjust_hue", "pkg.a.adjust_hue"]
)
def test_a_name_is_that_of_a_listed_function_wherever_its_package_defines_it(name: str) -> None:
    assert name in NAMES


@pytest.mark.parametrize("name", ["fast", "pkgs.fast", "pkg.slow", "pkg.fast.other", "other.adjust_hue", "pkg.adjust"])
def test_other_names_are_not_listed(name: str) -> None:
    assert name not in NAMES
