"""Which classes are nn.Module classes, whatever way their bases are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from index_examples import class_named, described, project_of

from regbuf_lint.index.hierarchy import Hierarchy

if TYPE_CHECKING:
    from pathlib import Path

BASE = "from torch import nn\nclass Base(nn.Module): ...\n"
MODEL_OF_X = "class Model(X): ..."
UNDER_TYPE_CHECKING = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"


def verdict(root: Path, main: str, files: dict[str, str], module_classes: tuple[str, ...] = ()) -> str:
    """Return ``yes``, ``no``, or ``unknown`` with the names that nothing explains."""
    project, facts = project_of(root, main, files)
    membership = Hierarchy(project, module_classes).membership(class_named(facts, "Model"))
    return " ".join((membership.verdict.value, *membership.unresolved))


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        # names of torch
        ("import torch\nclass Model(torch.nn.Module): ...", "yes"),
        ("import torch.nn\nclass Model(torch.nn.Module): ...", "yes"),
        ("import torch.nn as n\nclass Model(n.Module): ...", "yes"),
        ("import torch as th\nclass Model(th.nn.Module): ...", "yes"),
        ("from torch import nn as n\nclass Model(n.Module): ...", "yes"),
        ("from torch.nn import Module as M\nclass Model(M): ...", "yes"),
        ("from torch.nn.modules.module import Module\nclass Model(Module): ...", "yes"),
        ("from torch.nn import *\nclass Model(Module): ...", "yes"),
        ("from torch import nn\nclass Model(nn.Linear): ...", "yes"),
        ("import six\nfrom torch import nn\nclass Model(six.with_metaclass(type, nn.Module)): ...", "yes"),
        ("from six import with_metaclass\nclass Model(with_metaclass(type, object)): ...", "no"),
        ("from torch import nn\nclass Model(nn.modules.loss._Loss): ...", "yes"),
        ("import torch\nclass Model(torch.jit.ScriptModule): ...", "yes"),
        ("import torch\nclass Model(torch.nn.Parameter): ...", "no"),
        ("import torch\nclass Model(torch.autograd.Function): ...", "no"),
        ("import torch\nclass Model(torch.utils.data.Dataset): ...", "no"),
        ("import torch\nclass Model(torch.distributions.Normal): ...", "no"),
        ("class torch:\n    class nn:\n        class Module: ...\nclass Model(torch.nn.Module): ...", "no"),
        # no bases, or Python's own
        ("class Model: ...", "no"),
        ("class Model(object): ...", "no"),
        ("class Model(dict): ...", "no"),
        ("class Model(ValueError): ...", "no"),
        ("from enum import Enum\nclass Model(Enum): ...", "no"),
        ("import threading\nclass Model(threading.Thread): ...", "no"),
        ("from typing import Generic, TypeVar\nclass Model(Generic[TypeVar('T')]): ...", "no"),
        # names of the file
        ("from torch import nn\nBase = nn.Module\nclass Model(Base): ...", "yes"),
        ("from torch import nn\nA = B = nn.Module\nclass Model(B): ...", "yes"),
        (f"{BASE}class Model(Base): ...", "yes"),
        (f"{BASE}class Middle(Base): ...\nclass Model(Middle): ...", "yes"),
        (f"{BASE}class Model(Base[int]): ...", "yes"),
        (f"{BASE}class Mixin: ...\nclass Model(Mixin, Base): ...", "yes"),
        (f"{BASE}class Model(Base, metaclass=Meta): ...", "yes"),
        (f"{BASE}class Outer:\n    class Model(Base): ...", "yes"),
        (f"{BASE}class Outer:\n    class Inner(Base): ...\nclass Model(Outer.Inner): ...", "yes"),
        (f"{BASE}def make():\n    class Model(Base): ...", "yes"),
        (f"{BASE}def make(Base):\n    class Model(Base): ...", "unknown Base"),
        (f"{BASE}Base = object\nclass Model(Base): ...", "yes"),  # the first of several that is one
        # choices
        (f"try:\n    from a import X\nexcept ImportError:\n    from torch.nn import Linear as X\n{MODEL_OF_X}", "yes"),
        (f"import c\nif c.x:\n    class X: ...\nelse:\n    from torch.nn import Linear as X\n{MODEL_OF_X}", "yes"),
        (f"{UNDER_TYPE_CHECKING}    from torch.nn import Linear as X\nelse:\n    X = object\n{MODEL_OF_X}", "no"),
        # bases that nothing explains
        ("from somewhere import Base\nclass Model(Base): ...", "unknown somewhere.Base"),
        ("import somewhere.deep as s\nclass Model(s.Base): ...", "unknown somewhere.deep.Base"),
        ("from somewhere import Base, Other\nclass Middle(Base): ...\nclass Model(Middle, Other): ...",
         "unknown somewhere.Base somewhere.Other"),
        ("from torch import nn\nfrom somewhere import Base\nclass Model(Base, nn.Module): ...", "yes"),
        ("class Model(undefined): ...", "unknown undefined"),
        ("class Model(make(1)): ...", "unknown make(1)"),
        ("Base = make(1)\nclass Model(Base): ...", "unknown main.Base"),
        # the catalogue of known packages
        ("import pytorch_lightning as pl\nclass Model(pl.LightningModule): ...", "yes"),
        # cycles
        ("class Model(Model): ...", "unknown main.Model"),
        ("class Base(Model): ...\nclass Model(Base): ...", "no"),
        ("A = B\nB = A\nclass Model(A): ...", "unknown main.B"),
    ],
)  # fmt: skip
def test_one_file(tmp_path: Path, main: str, expected: str) -> None:
    assert verdict(tmp_path, main, {}) == expected


@pytest.mark.parametrize(
    ("main", "files", "expected"),
    [
        ("from base import Base\nclass Model(Base): ...", {"base.py": BASE}, "yes"),
        ("import base\nclass Model(base.Base): ...", {"base.py": BASE}, "yes"),
        ("from base import Base as Model\nclass Model(Model): ...", {"base.py": BASE}, "yes"),
        ("from base import *\nclass Model(Base): ...", {"base.py": BASE}, "yes"),
        ("from base import nn\nclass Model(nn.Module): ...", {"base.py": BASE}, "yes"),
        ("from base import Absent\nclass Model(Absent): ...", {"base.py": BASE}, "unknown base.Absent"),
        ("from base import Base\nclass Model(Base): ...", {"base.py": "class Base: ..."}, "no"),
        ("from base import Base\nclass Model(Base): ...", {"base.py": "class Base("}, "unknown base.Base"),
        ("from pkg import Base\nclass Model(Base): ...",
         {"pkg/__init__.py": "from .inner.base import Base", "pkg/inner/__init__.py": "", "pkg/inner/base.py": BASE},
         "yes"),
        ("from pkg import Base\nclass Model(Base): ...",
         {"pkg/__init__.py": "from .base import *\n__all__ = ['Base']", "pkg/base.py": BASE}, "yes"),
        ("import pkg.base\nclass Model(pkg.base.Base): ...", {"pkg/__init__.py": "", "pkg/base.py": BASE}, "yes"),
        ("from pkg import base as b\nclass Model(b.Base): ...", {"pkg/__init__.py": "", "pkg/base.py": BASE}, "yes"),
        ("from space.base import Base\nclass Model(Base): ...", {"space/base.py": BASE}, "yes"),
        ("from space.deep import base\nclass Model(base.Base): ...", {"space/deep/base.py": BASE}, "yes"),
        ("from a import Five\nclass Model(Five): ...",
         {"a.py": "from b import Four as Five", "b.py": "import c\nFour = c.Three", "c.py": "from d import *",
          "d.py": "from e import Two\nclass Three(Two): ...", "e.py": f"{BASE}Two = Base"}, "yes"),
        # cycles of imports
        ("from a import Base\nclass Model(Base): ...",
         {"a.py": "from b import Base", "b.py": f"import a\n{BASE}"}, "yes"),
        ("from a import Base\nclass Model(Base): ...",
         {"a.py": "from b import Base", "b.py": "from a import Base"}, "unknown a.Base"),
        ("from a import Base\nclass Model(Base): ...", {"a.py": "from a import *"}, "unknown a.Base"),
        ("from a import Base\nclass Model(Base): ...", {"a.py": "from b import *", "b.py": "from a import *"},
         "unknown a.Base"),
        ("from a import A\nclass Model(A): ...",
         {"a.py": "from b import B\nclass A(B): ...", "b.py": "from a import A\nclass B(A): ..."}, "no"),
    ],
)  # fmt: skip
def test_several_files(tmp_path: Path, main: str, files: dict[str, str], expected: str) -> None:
    assert verdict(tmp_path, main, files) == expected


@pytest.mark.parametrize("pattern", ["somewhere.Base", "somewhere.*", "*.Base"])
def test_configured_classes(tmp_path: Path, pattern: str) -> None:
    main = "from somewhere import Base\nclass Model(Base): ..."
    assert verdict(tmp_path, main, {}, (pattern,)) == "yes"


def test_the_source_of_a_listed_class_decides_where_it_tells(tmp_path: Path) -> None:
    main = "from timm.layers.some import Some\nclass Model(Some): ..."
    assert verdict(tmp_path, main, {}) == "yes"
    files = {"timm/__init__.py": "", "timm/layers/__init__.py": "", "timm/layers/some.py": "class Some: ..."}
    assert verdict(tmp_path, main, files) == "no"
    files["timm/layers/some.py"] = "from unheard import Unheard\nclass Some(Unheard): ..."
    assert verdict(tmp_path, main, files) == "yes"


def test_installed_packages_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site-packages")
    files = {"site-packages/installed/__init__.py": "", "site-packages/installed/base.py": BASE}
    assert verdict(tmp_path, "from installed.base import Base\nclass Model(Base): ...", files) == "yes"


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        ("class A: ...\nclass B(A): ...\nclass Model(B): ...", ["Model", "B", "A"]),
        ("class A: ...\nclass B(A): ...\nclass C(A): ...\nclass Model(B, C): ...", ["Model", "B", "C", "A"]),
        ("class A: ...\nclass B: ...\nclass Model(A, B): ...", ["Model", "A", "B"]),
        (
            "class A: ...\nclass Mix: ...\nclass B(A, Mix): ...\nclass C(A): ...\nclass Model(B, C): ...",
            ["Model", "B", "C", "A", "Mix"],
        ),
        ("class A: ...\nclass B(A): ...\nclass Model(A, B): ...", ["Model", "B", "A"]),  # which Python refuses
        ("class A(Model): ...\nclass Model(A): ...", ["Model", "A"]),  # and this, too
    ],
)
def test_order_of_look_up(tmp_path: Path, main: str, expected: list[str]) -> None:
    project, facts = project_of(tmp_path, main, {})
    order = Hierarchy(project).order(class_named(facts, "Model"))
    assert [described(base) for base in order] == [f"class main.{name}" for name in expected]
