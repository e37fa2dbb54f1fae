"""What names stand for, within a file and across files; looking them up comes to an end."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from index_examples import class_named, described, project_of

from regbuf_lint.index.symbols import ValueSymbol

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "outside torch.nn.Module"
UNDER_TYPE_CHECKING = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"


def resolved(root: Path, main: str, expression: str, files: dict[str, str]) -> list[str]:
    project, facts = project_of(root, main, files)
    return [described(symbol) for symbol in project.resolve(facts.scope, ast.parse(expression, mode="eval").body)]


@pytest.mark.parametrize(
    ("main", "expression", "expected"),
    [
        ("import torch", "torch", ["outside torch"]),
        ("import torch.nn.functional as F", "F.relu", ["outside torch.nn.functional.relu"]),
        ("from torch import nn", "nn.Module", ["outside torch.nn.Module"]),
        ("import torch", "torch.nn.Linear[int]", ["outside torch.nn.Linear"]),
        ("", "len", ["outside builtins.len"]),
        ("", "undefined", ["unresolved undefined"]),
        ("def f(): ...", "f", ["function main.f"]),
        ("class C:\n    class D: ...", "C.D", ["class main.C.D"]),
        ("class C:\n    def f(self): ...", "C.f", ["function main.C.f"]),
        ("class C: ...", "C.absent", ["unresolved absent"]),
        ("x = 1", "x", ["value main.x"]),
        ("x: int", "x", ["unresolved x"]),
        ("x: int = 1", "x", ["value main.x"]),
        ("(x, y), z = f()", "y", ["value main.y"]),
        ("if c:\n    x = 1\nelse:\n    x = 2", "x", ["value main.x", "value main.x"]),
        ("try:\n    import a as m\nexcept ImportError:\n    import b as m", "m", ["outside a", "outside b"]),
        ("import torch\nm = torch\n", "m.nn", ["outside torch.nn"]),
        ('import pytest\ntorch = pytest.importorskip("torch", minversion="2.0")', "torch.nn", ["outside torch.nn"]),
        ('from importlib import import_module\nnn = import_module("torch.nn")', "nn.Module", [MODULE]),
        ("m = import_module(name)", "m.nn", ["unresolved nn"]),
        ('m = import_module(".nn", "torch")', "m.Module", ["unresolved Module"]),
        (f"{UNDER_TYPE_CHECKING}    from a import B", "B", ["outside a.B"]),
        (f"{UNDER_TYPE_CHECKING}    from a import *", "B", ["unresolved B"]),
        (
            f"{UNDER_TYPE_CHECKING}    x = 1\nelse:\n    import a as x",
            "x",
            ["outside a"],
        ),
        ("a = b\nb = c\nc = a", "a.x", ["unresolved x"]),
        ("a = a.b", "a.b", []),
    ],
)
def test_in_one_file(tmp_path: Path, main: str, expression: str, expected: list[str]) -> None:
    assert resolved(tmp_path, main, expression, {}) == expected


@pytest.mark.parametrize(
    ("main", "expression", "files", "expected"),
    [
        ("import a", "a", {"a.py": ""}, ["file a"]),
        ("import a.b", "a.b", {"a/__init__.py": "", "a/b.py": ""}, ["file a.b"]),
        ("import a.b", "a.b", {"a/b.py": ""}, ["file a.b"]),
        ("from a import f", "f", {"a.py": "def f(): ..."}, ["function a.f"]),
        ("from a import *", "f", {"a.py": "def f(): ..."}, ["function a.f"]),
        ("from a import absent", "absent", {"a.py": ""}, ["outside a.absent"]),
        ("from a import *", "absent", {"a.py": ""}, ["unresolved absent"]),
        ("from a import *", "len", {"a.py": "def len(): ..."}, ["function a.len"]),
        ("from a import *", "nn.Module", {"a.py": "from torch import nn"}, [MODULE]),
        ("from b import *", "nn.Module", {"a.py": "import torch.nn as nn", "b.py": "from a import *"}, [MODULE]),
        ("from a import *\nfrom b import *", "nn.Module", {"a.py": "", "b.py": "from torch import nn"}, [MODULE]),
        ("from a import f", "f", {"a/__init__.py": "from .b import f", "a/b.py": "f = 1"}, ["value a.b.f"]),
        ("from a import f", "f", {"a/__init__.py": "from ..b import f", "b.py": "f = 1"}, ["value b.f"]),
        ("from a import f", "f", {"a.py": "from b import f", "b.py": "from a import f"}, ["unresolved a.f"]),
        ("from a import f", "f", {"a.py": "from a import f"}, ["outside a.f"]),
        ("from a import f", "f", {"a.py": "import a\nf = a.f"}, ["value a.f"]),
        ("from a import f", "f", {"a.py": "def f(:"}, ["outside a.f"]),
    ],
)
def test_across_files(tmp_path: Path, main: str, expression: str, files: dict[str, str], expected: list[str]) -> None:
    assert resolved(tmp_path, main, expression, files) == expected


def test_names_in_functions_and_classes(tmp_path: Path) -> None:
    main = "x = 1\nclass C:\n    x = 2\n    def f(self, y):\n        def g(): ...\n"
    project, facts = project_of(tmp_path, main, {})
    in_class = class_named(facts, "C").scope
    in_method = in_class.child(next(node for node in ast.walk(facts.tree) if isinstance(node, ast.FunctionDef)))
    (of_class,), (of_method,) = project.lookup(in_class, "x"), project.lookup(in_method, "x")
    assert isinstance(of_class, ValueSymbol)
    assert isinstance(of_method, ValueSymbol)
    assert (of_class.scope, of_method.scope) == (in_class, facts.scope)
    assert [described(one) for one in project.lookup(in_method, "y")] == ["unresolved y"]
    assert [described(one) for one in project.lookup(in_method, "g")] == ["function main.C.f.g"]


def test_the_text_given_counts_and_not_the_disk(tmp_path: Path) -> None:
    assert resolved(tmp_path, "def f(): ...", "f", {"main.py": "f = 1"}) == ["function main.f"]
    assert resolved(tmp_path, "import main", "main.f", {"main.py": "f = 1"}) == ["outside main.f"]


def test_a_package_may_lie_in_a_directory_whose_name_cannot_be_imported(tmp_path: Path) -> None:
    """A checkout that is a package itself is called what its owner likes; relative imports in it still work."""
    files = {"__init__.py": "", "base.py": "class Base: ..."}
    found = resolved(tmp_path / "my-checkout", "from .base import Base", "Base", files)
    assert found == ["class my-checkout.base.Base"]
