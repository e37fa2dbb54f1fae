"""What nothing reads once the object is built is RBF006's; what something may read is RBF001's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.run import check_source
from regbuf_lint.model.settings import Settings
from regbuf_lint.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.steps = torch.arange(n)
        self.size = len(self.steps)

    def forward(self, x):
        return x + self.size
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    return tmp_path / "pkg"


def codes(text: str, package: Path) -> list[str]:
    settings = Settings(root=package.parent, select=("RBF001", "RBF006"))
    return [one.code for one in check_source(SourceText.from_text(text), package / "net.py", settings).findings]


def test_nothing_reads_it(package: Path) -> None:
    settings = Settings(root=package.parent, select=("RBF006",))
    (finding,) = check_source(SourceText.from_text(NET), package / "net.py", settings).findings
    assert finding.message.endswith("nothing comes: nothing reads it once the object is built")
    assert finding.help == "delete it, or use a local"
    assert finding.fix is None
    assert codes(NET, package) == ["RBF006"]


@pytest.mark.parametrize(
    "more",
    [
        "    def last(self):\n        return self.steps[-1:]\n",
        "    @property\n    def last(self):\n        return self.steps[-1:]\n",
        "    def add(self, n):\n        self.steps[0] += n\n",
        "    def get(self, name):\n        return getattr(self, name)\n\nSHOWN = ('steps',)\n",
        "    def get(self, end):\n        return getattr(self, f'st{end}')\n",
        "\ndef last(net):\n    return net.steps[-1]\n",
        "\nclass Subclass(Net):\n    def last(self):\n        return self.steps[-1:]\n",
    ],
)
def test_it_is_read_in_the_file(more: str, package: Path) -> None:
    assert codes(NET + more, package) == ["RBF001"]


@pytest.mark.parametrize("name", ["f'layer{end}'", "end"])
def test_a_computed_name_that_is_not_in_the_text_is_another_one(name: str, package: Path) -> None:
    more = f"    def get(self, end):\n        return getattr(self, {name})\n"
    assert codes(NET + more, package) == ["RBF006"]


@pytest.mark.parametrize(("family", "code"), [("st{end}", "RBF006"), ("code_{end}", "RBF001")])
def test_a_computed_name_in_the_form_of_registered_buffers_is_theirs(family: str, code: str, package: Path) -> None:
    registering = f"        for end in range(n):\n            self.register_buffer(f'{family}', torch.ones(end))\n"
    text = NET.replace("        self.size", f"{registering}        self.size")
    assert codes(text + "\n    def get(self, end):\n        return getattr(self, f'st{end}')\n", package) == [code]


def test_a_name_in_another_file_proves_no_use(package: Path) -> None:
    (package / "use.py").write_text("def last(net):\n    return net.steps[-1]\n", encoding="utf-8")
    settings = Settings(root=package.parent, select=("RBF001", "RBF006"))
    (finding,) = check_source(SourceText.from_text(NET), package / "net.py", settings).findings
    assert finding.code == "RBF006"
    assert finding.message.endswith("though other files read an attribute of that name")


def test_a_subclass_in_another_file_reads_it(package: Path) -> None:
    text = "from pkg.net import Net\n\nclass Sub(Net):\n    def last(self):\n        return self.steps[-1:]\n"
    (package / "use.py").write_text(text, encoding="utf-8")
    (package / "net.py").write_text(NET, encoding="utf-8")
    assert codes(NET, package) == ["RBF001"]


def test_forward_of_another_class_is_none_of_its_own(package: Path) -> None:
    """While the object is built it calls a part, which has a ``forward`` too."""
    part = "\nclass Part(nn.Module):\n    def forward(self, x):\n        return x\n\nclass Net"
    text = NET.replace("\nclass Net", part, 1).replace("torch.arange(n)", "Part()(torch.arange(n))")
    assert codes(text, package) == ["RBF006"]
    used = text.replace("self.size\n", "self.steps\n").replace("x + self.size", "x")
    assert codes(used, package) == ["RBF001"]


@pytest.mark.parametrize(("value", "code"), [("torch.arange(n)", "RBF006"), ("torch.randn(n)", "RBF001")])
def test_what_other_files_alone_read_is_missing_from_a_checkpoint_where_it_is_drawn(
    value: str, code: str, package: Path
) -> None:
    (package / "other.py").write_text("def last(net):\n    return net.steps[-1:]\n", encoding="utf-8")
    assert codes(NET.replace("torch.arange(n)", value), package) == [code]
