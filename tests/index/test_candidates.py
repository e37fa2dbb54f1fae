"""Files of which no class can be an nn.Module class are told from all others without being parsed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from regbuf_lint.engine.screen import Screen
from regbuf_lint.engine.session import Session
from regbuf_lint.index.candidates import Candidates
from regbuf_lint.index.project import Project
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.overlay import Overlay
from regbuf_lint.source.text import SourceText, read_source

HOLD_ONE = {
    "by_alias": "import torch.nn as net\nclass A(net.Module): pass\n",
    "by_star": "from torch.nn import *\nclass A(Module): pass\n",
    "by_assigned_name": "from torch import nn\nBase = nn.Module\nclass A(Base): pass\n",
    "in_a_function": "def f():\n    from torch import nn\n    class A(nn.Module): pass\n",
    "in_a_class": "from torch import nn\nclass Outer:\n    class Inner(nn.Module): pass\n",
    "in_an_attribute": "from torch import nn\nclass Outer:\n    base = nn.Module\nclass A(Outer.base): pass\n",
    "in_some_rows": "from torch import (\n    nn,  # layers\n)\nclass A(\n    nn.Module,\n):\n    pass\n",
    "with_continued_row": "from torch \\\n    import nn\nclass A \\\n    (nn.Module): pass\n",
    "with_old_newlines": "from torch import nn\rclass A(nn.Module):\r    pass\r",
    "behind_a_colon": "try: from torch.nn import Module as B\nexcept Exception:\n    class B: pass\nclass A(B): pass\n",
    "behind_a_semicolon": "import os; from torch.nn import Module as Base\nclass A(Base): pass\n",
    "if_installed": (
        "try:\n    from torch.nn import Module as Base\nexcept ImportError:\n    Base = object\nclass A(Base): pass\n"
    ),
    "if_assigned": "from torch import nn\nclass Base: pass\nBase = nn.Module\nclass A(Base): pass\n",
    "if_assigned_with_others": "import torch\nclass B: pass\nC, B = 1, torch.nn.Module\nclass A(B): pass\n",
    "if_assigned_behind_another": "import torch\nclass B: pass\nC = B = torch.nn.Module\nclass A(B): pass\n",
    "if_assigned_with_annotation": "import torch\nclass B: pass\nB: type = torch.nn.Module\nclass A(B): pass\n",
    "made_by_a_call": "from torch import nn\ndef make(): return nn.Module\nclass A(make()): pass\n",
    "generic": "from torch import nn\nclass A[T: int](nn.Module): pass\n",
    "subscripted": "from typing import Generic\nfrom torch import nn\nclass A(nn.Module, Generic[int]): pass\n",
    "of_unknown_package": "from elsewhere import Layer\nclass A(Layer): pass\n",
    "of_other_file": "from pkg.layers import Own\nclass A(Own): pass\n",
    "mixed_in": "class Mixin:\n    def fill(self): pass\n",
    "mixed_in_from_a_class": "if 1: import os\nclass Outer:\n    class Nested:\n        def fill(self): pass\n",
    "mixed_in_further_on": "class Deep(Exception):\n    pass\n",
}
"""Files that hold an nn.Module class, or a base class of one, or what may be one."""

HOLD_NONE = {
    "no_class": "import torch\nx = torch.ones(3)\n",
    "builtin": "class A(Exception): pass\nclass B(dict, A): pass\n",
    "standard_library": "import enum, typing\nclass A(enum.Enum): x = 1\nclass B(typing.NamedTuple): x: int\n",
    "no_base": "from torch import nn\nclass A:\n    def __init__(self):\n        self.layer = nn.Linear(3, 3)\n",
    "of_other_file": "from .plain import Config\nclass Other(Config):\n    size = 3\n",
    "assigned_elsewhere": "from .plain import Config\nclass Other(Config):\n    size = 3\nother = Other\n",
}
"""Files that hold none."""

PACKAGE = {
    "pkg/__init__.py": "",
    "pkg/layers.py": "from torch import nn\nclass Own(nn.Module): pass\n",
    "pkg/plain.py": "class Config: pass\n",
    "pkg/mixing.py": (
        "from torch import nn\nfrom pkg.main import Mixin, Deep\nfrom pkg.further import Further\n"
        "class Uses(Mixin, nn.Module): pass\nclass UsesToo(Further, nn.Module): pass\n"
    ),
    "pkg/nested.py": "from torch import nn\nfrom pkg.main import Outer\nclass Uses(Outer.Nested, nn.Module): pass\n",
    "pkg/further.py": "from pkg.main import Deep\nclass Further(Deep): pass\n",
}


def may_hold_one(root: Path, text: str, *, module_classes: tuple[str, ...] = ()) -> bool:
    for name, content in PACKAGE.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    project = Project([root], Settings(root=root))
    candidates = Candidates(project.outlined(), module_classes)
    return candidates.may_hold_one(root / "pkg/main.py", SourceText.from_text(text, "main.py"))


@pytest.mark.parametrize("name", HOLD_ONE)
def test_files_that_may_hold_one(name: str, tmp_path: Path) -> None:
    assert may_hold_one(tmp_path, HOLD_ONE[name])


@pytest.mark.parametrize("name", HOLD_NONE)
def test_files_that_hold_none(name: str, tmp_path: Path) -> None:
    assert not may_hold_one(tmp_path, HOLD_NONE[name])


def test_what_the_configuration_names(tmp_path: Path) -> None:
    text = "class A: pass\n"
    assert not may_hold_one(tmp_path, text)
    assert may_hold_one(tmp_path, text, module_classes=("pkg.main.A",))


def test_an_overlay_counts(tmp_path: Path) -> None:
    path = tmp_path / "base.py"
    path.write_text("class Base: pass\n", encoding="utf-8")
    source = SourceText.from_text("from base import Base\nclass A(Base): pass\n", "main.py")
    candidates = Candidates(Project([tmp_path], Settings(root=tmp_path)).outlined(), ())
    assert not candidates.may_hold_one(tmp_path / "main.py", source)
    candidates.see(Overlay().with_files({path: b"from torch import nn\nclass Base(nn.Module): pass\n"}))
    assert candidates.may_hold_one(tmp_path / "main.py", source)


def test_syntax_errors_are_told_where_they_may_matter_or_the_user_names_the_file(tmp_path: Path) -> None:
    plain, layer = tmp_path / "plain.py", tmp_path / "layer.py"
    broken = SourceText.from_text("def f(:\n    pass\n", "plain.py")
    layered = SourceText.from_text("from torch import nn\nclass A(nn.Module):\n    def f(:\n", "layer.py")
    for named in ((), (plain,)):
        session = Session(Settings(root=tmp_path), Screen(Settings(root=tmp_path), named=named))
        assert [one.code for one in session.check(layer, layered).findings] == ["RBF900"]
        checked = session.check(plain, broken)
        assert [one.code for one in checked.findings] == ["RBF900"] * len(named)
        assert checked.is_parsed == bool(named)


SAMPLE = {
    "torch": ("ao/quantization", "distributions", "nn", "optim", "utils/data"),
    "transformers": ("data", "models/a*", "models/rt_detr*"),
}
"""Directories of installed packages in which there are files of all kinds."""


@pytest.mark.parametrize("package", SAMPLE)
def test_nothing_is_lost_in_real_packages(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    root = Path(spec.origin).parent
    files = sorted({path for one in SAMPLE[package] for folder in root.glob(one) for path in folder.rglob("*.py")})
    settings = Settings(root=root.parent, ignore=("RBF900",))
    candidates = Candidates(Project([root.parent], settings).outlined(), ())
    skipped = [path for path in files if not candidates.may_hold_one(path, read_source(path))]
    assert len(files) // 4 < len(skipped) < len(files)
    monkeypatch.setattr(Candidates, "may_hold_one", lambda *_: True)
    session = Session(settings)
    for path in skipped:
        checked = session.check(path, read_source(path))
        assert checked.is_parsed
        assert (path, checked.findings, checked.unresolved_bases) == (path, (), ())
